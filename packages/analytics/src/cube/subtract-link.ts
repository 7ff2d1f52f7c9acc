/**
 * Takes the clicks of a deleted link out of a day's cube: an open slice of numbers below zero, written in the transaction that removes
 * these clicks. So the day stays in use, and nothing of other links is counted again. Its visitors are subtracted first, once.
 */
import type { RemovedDay, SubtractLink } from "@hopline/db/ledger/remove-clicks";
import type { RunTransaction } from "@hopline/db/neon-client";
import { type Sql, sql } from "@hopline/db/sql";
import { toTimestamp } from "../instant.ts";
import { CUBE_COLUMNS, MADE_AT_ONCE, QUARTER } from "./cube-columns.ts";
import { type CubeDay, isOfDay, isWithin, lockDay, openSession, type Run } from "./cube-session.ts";
import { insertCells, QUARTER_OF_CLICK } from "./insert-cells.ts";
import { insertNoVisitors, subtractVisits } from "./insert-visitors.ts";
import { finishSlice, HASH_MEMORY } from "./make-day.ts";
import { ALL_XIDS, FIRST_OPEN_SLICE, QUARTERS } from "./plan-day.ts";

export function linkSubtraction(runTransaction: RunTransaction, timeoutMs: number): SubtractLink {
  const run = openSession(runTransaction, timeoutMs);
  return async (removed, { sliceClicks, remove, isOver }) => {
    const day = { workspaceId: removed.workspaceId, dayMs: Date.parse(removed.day) };
    const { firstSlice, lastSlice, untilXids, isKept, hasVisitors } = await readSlices(
      run,
      day,
      removed.linkId,
    );
    if (firstSlice === null) {
      return;
    }
    const isRunning = firstSlice >= FIRST_OPEN_SLICE;
    let last = Math.max(FIRST_OPEN_SLICE - QUARTERS, lastSlice - (lastSlice % QUARTERS));
    const nextSlice = () => ({ slice: (last += QUARTERS), isOpen: true, spans: [], untilXid: "0" });
    const isPicked = sql`workspace_id = ${day.workspaceId}::uuid
      AND inserted_xid < (${untilXids}::bigint[])[1 + ${QUARTER_OF_CLICK}]`;
    if (hasVisitors) {
      const isCounted = isKept ? null : isPicked;
      await run([lockDay(day), ...subtractVisits(day, nextSlice(), removed.linkId, isCounted)]);
    }
    while (!isOver()) {
      const picked = selectPicked(
        day,
        removed,
        sql`${isPicked} ORDER BY clicked_at, event_id LIMIT ${sliceClicks}::integer`,
      );
      const [counted = []] = await run([
        sql`SELECT ${QUARTER_OF_CLICK}::integer AS quarter, count(*)::float8 AS clicks ${picked} GROUP BY 1`,
      ]);
      const quarters = Array.from({ length: QUARTERS }, () => 0);
      for (const { quarter, clicks } of counted) {
        quarters[Number(quarter)] = -Number(clicks);
      }
      if (counted.length === 0) {
        return;
      }
      const slice = nextSlice();
      const clicks = quarters.reduce((sum, one) => sum + one, 0);
      const known = CUBE_COLUMNS.filter((column) => column !== QUARTER);
      const scopes = MADE_AT_ONCE.flat().filter((scope) => scope !== QUARTER);
      await run([
        lockDay(day),
        // Fails where a removal whose lease had ended took some of them meanwhile.
        sql`SELECT 1 / (count(*) = ${-clicks}::float8)::integer ${picked}`,
        HASH_MEMORY,
        insertCells(scopes, day, { ...slice, known, subtracted: picked }),
        ...finishSlice(day, slice, { quarters, untilXid: slice.untilXid, isRunning }),
        insertNoVisitors(day, slice, clicks),
        ...remove(isPicked),
      ]);
    }
  };
}

/**
 * What is there of a day that retention has not removed. `untilXids` by quarter of an hour: clicks of transactions before these are in
 * the slices; all are where their number says so.
 */
async function readSlices(run: Run, day: CubeDay, linkId: string) {
  const ofVisitors = sql`FROM cube_visitors WHERE ${isOfDay(day)} AND scope`;
  const [[row = {}] = []] = await run([
    sql`WITH made AS (SELECT slice, until_xid, quarter_clicks FROM cube_days WHERE ${isOfDay(day)}
        AND NOT EXISTS (SELECT FROM event_retention WHERE kept_from > ${toTimestamp(day.dayMs)})),
      covered AS (
        SELECT slice % 96 + place - 1 AS quarter, sum(one) AS clicks, max(until_xid) AS until_xid
        FROM made CROSS JOIN LATERAL unnest(quarter_clicks) WITH ORDINALITY AS part (one, place) GROUP BY 1
      ), rolled AS (
        SELECT extract(epoch FROM bucket_start)::bigint / 900 % 96 AS quarter, sum(clicks) AS clicks
        FROM workspace_rollups WHERE ${isWithin(day, sql`bucket_start`)} GROUP BY 1
      )
      SELECT (SELECT min(slice) FROM made) AS first,
        GREATEST((SELECT max(slice) FROM made), (SELECT max(slice) ${ofVisitors} = '')) AS last,
        (SELECT min(slice) >= ${FIRST_OPEN_SLICE} ${ofVisitors} = '') AS is_kept,
        (SELECT sum(n) > 0 FROM (SELECT unnest(first_visitors) AS n ${ofVisitors} = 'link_id' AND scope_value = ${linkId}) AS seen) AS has_visitors,
        ARRAY(SELECT (CASE WHEN covered.clicks = rolled.clicks THEN ${ALL_XIDS}::bigint ELSE COALESCE(until_xid, 0) END)::text
          FROM generate_series(0, ${QUARTERS - 1}::integer) AS every (quarter) LEFT JOIN covered USING (quarter) LEFT JOIN rolled USING (quarter)
          ORDER BY quarter) AS until_xids`,
  ]);
  return {
    firstSlice: typeof row["first"] === "number" ? row["first"] : null,
    lastSlice: Number(row["last"]),
    untilXids: [row["until_xids"]].flat().map(String),
    isKept: row["is_kept"] === true,
    hasVisitors: row["has_visitors"] === true,
  };
}

/** FROM the link's clicks of the day. Its versions are gone with it, but for where they led. */
function selectPicked(day: CubeDay, { linkId }: RemovedDay, rest: Sql): Sql {
  return sql`FROM (SELECT *, (SELECT led.destination FROM removed_destinations AS led
      WHERE led.link_id = click_events.link_id AND version = link_version) AS own_destination FROM click_events
    WHERE link_id = ${linkId}::uuid AND ${isWithin(day, sql`clicked_at`)} AND ${rest}) AS click_events`;
}

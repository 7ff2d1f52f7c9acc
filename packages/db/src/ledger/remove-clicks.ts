/**
 * Removes the clicks of a link, a domain or a workspace that was deleted together with its clicks, a slice at a time.
 *
 * The row of a click stays: it keeps a repeated delivery from counting twice, and the ledger counts it. But it only says when,
 * and of which class; no link, no workspace, no visitor. Its rollups move to NO_LINK, so events, rollups and ledger add up
 * before and after each slice. From what analytics have pre-aggregated of its day, a link's clicks are subtracted; with those of a domain
 * or a workspace, the day is dropped, and made again.
 *
 * Where clicks are counted in ClickHouse, a day's rollups are moved at once, together with the row that keeps its clicks out of every
 * answer until ClickHouse has deleted them. A click that was on its way there when its link went is among them.
 *
 * What is left to do is read from the rollups, so this may be interrupted anywhere, and run twice. The links' rows are deleted
 * before it starts: a click that arrives later belongs to no workspace.
 */
import type { RunTransaction } from "../neon-client.ts";
import { type Sql, sql } from "../sql.ts";
import { mustCountIn, NO_LINK } from "../ingest/count-clicks.ts";
import { isInDay, startOf } from "./utc-day.ts";

/** Of one workspace: those of a link, of a domain, or all. */
export type RemovedClicks = {
  readonly workspaceId: string;
  readonly linkId?: string;
  readonly domainId?: string;
};

/** Clicks of a link on one day, `2026-11-22`. */
export type RemovedDay = Required<Pick<RemovedClicks, "workspaceId" | "linkId">> & {
  readonly day: string;
};

/** Takes the clicks out of what is pre-aggregated, and removes these, `sliceClicks` at a time. */
export type SubtractLink = (
  removed: RemovedDay,
  how: {
    readonly sliceClicks: number;
    /** Statements of the same transaction that remove the first clicks, by instant and id, of which the condition holds. */
    readonly remove: (isPicked: Sql) => readonly Sql[];
    readonly isOver: () => boolean;
  },
) => Promise<void>;

export type RemoveOptions = {
  readonly subtractLink: SubtractLink;
  /** A UUID. Days are leased while they are changed, so that they are not pre-aggregated meanwhile. */
  readonly leaseId: string;
  /** Of each transaction. */
  readonly timeoutMs: number;
  /** Milliseconds of any monotonic clock; no slice starts after it. */
  readonly endsAtMs: number;
  readonly nowMs: () => number;
  /** `2026-11-22`: the days before it are done. */
  readonly fromDay: string | null;
  /** False: ends as if the time were up. Absent: always. */
  readonly mayGoOn?: () => boolean;
  readonly sliceClicks?: number;
};

/** `waiting`: a day is being pre-aggregated. `unfinished`: the time is up. */
export type Removal =
  | { readonly outcome: "done" }
  /** They are in no answer, but have to be deleted from ClickHouse; then `endRemoval`. */
  | { readonly outcome: "kept out" }
  | { readonly outcome: "waiting" | "unfinished"; readonly fromDay: string | null };

const SLICE_CLICKS = 5_000;

/** Rejects as `RunTransaction` does; the slices before stay removed. */
export async function removeClicks(
  runTransaction: RunTransaction,
  removed: RemovedClicks,
  options: RemoveOptions,
): Promise<Removal> {
  const {
    leaseId,
    timeoutMs,
    endsAtMs,
    nowMs,
    mayGoOn = () => true,
    sliceClicks = SLICE_CLICKS,
    subtractLink,
  } = options;
  const run = async (...statements: readonly Sql[]) =>
    (await runTransaction([settings(timeoutMs), ...statements], timeoutMs)).at(-1) ?? [];
  const isOver = () => nowMs() >= endsAtMs || !mayGoOn();
  const { workspaceId, linkId, domainId } = removed;
  const isOfWorkspace = linkId === undefined && domainId === undefined;
  const [counting] = await run(sql`SELECT mode FROM counting_mode`);
  const isInClickHouse = counting?.["mode"] === "clickhouse";
  // What goes on elsewhere now is tried again there: what is changed here after a move is not changed in what it has copied.
  const isCounted = sql`SELECT FROM ${mustCountIn(isInClickHouse ? "clickhouse" : "postgres")}`;
  let { fromDay } = options;
  while (!isOver()) {
    const [first] = await run(findDay(removed, fromDay));
    const day = first?.["day"];
    if (typeof day !== "string") {
      await run(
        isCounted,
        sql`DELETE FROM removed_destinations WHERE link_id = ${linkId ?? null}::uuid`,
        isInClickHouse ? keepOut(removed, null) : dropLinkCells(workspaceId, linkId ?? null),
      );
      return { outcome: isInClickHouse ? "kept out" : "done" };
    }
    fromDay = day;
    const inDay = { removed, day, isOfWorkspace };
    if (isInClickHouse) {
      for (let isLeft = true; isLeft;) {
        const [slice] = await run(isCounted, forgetSpooled(inDay, sliceClicks));
        isLeft = Number(slice?.["clicks"]) > 0;
      }
      await run(isCounted, keepOut(removed, day), placeRollups(inDay), disownRollups(inDay));
      for (const statement of dropEmptyRollups(inDay)) {
        await run(statement);
      }
      continue;
    }
    const leaseMs = endsAtMs - nowMs() + 3 * timeoutMs;
    if ((await run(leaseDay(inDay, leaseId, leaseMs))).length === 0) {
      return { outcome: "waiting", fromDay };
    }
    if (linkId === undefined) {
      for (const statement of dropDay(inDay)) {
        await run(statement);
      }
    } else {
      const remove = (isPicked: Sql) => [
        settings(timeoutMs),
        isCounted,
        disownEvents(inDay, sliceClicks, isPicked),
      ];
      await subtractLink({ workspaceId, linkId, day }, { sliceClicks, remove, isOver });
    }
    let isLeft = true;
    while (isLeft && !isOver()) {
      const [slice] = await run(isCounted, disownEvents(inDay, sliceClicks));
      isLeft = Number(slice?.["clicks"]) > 0;
    }
    if (!isLeft) {
      await run(isCounted, placeRollups(inDay), disownRollups(inDay));
    }
    for (const statement of dropEmptyRollups(inDay)) {
      await run(statement);
    }
    await run(releaseDay(inDay, leaseId));
  }
  return { outcome: "unfinished", fromDay };
}

/** TimescaleDB changes compressed chunks up to a limit, where it has that setting. A day of clicks may be more. */
function settings(timeoutMs: number): Sql {
  return sql`
    SELECT set_config('statement_timeout', ${String(timeoutMs)}, true)
    UNION ALL
    SELECT set_config(name, '0', true) FROM pg_settings WHERE name = 'timescaledb.max_tuples_decompressed_per_dml_transaction'`;
}

/** Clicks of one day that are removed. */
type InDay = { readonly removed: RemovedClicks; readonly day: string; readonly isOfWorkspace: boolean };

function isRemoved({ workspaceId, linkId, domainId }: RemovedClicks): Sql {
  if (linkId !== undefined) {
    return sql`link_id = ${linkId}::uuid`;
  }
  const isOfDomain = domainId === undefined ? sql`` : sql` AND domain_id = ${domainId}::uuid`;
  return sql`workspace_id = ${workspaceId}::uuid${isOfDomain}`;
}

/** In the table of work. */
const keyOf = ({ removed, day }: InDay) => `${removed.workspaceId}/${day}`;

/** The first day that has clicks. */
function findDay(removed: RemovedClicks, fromDay: string | null): Sql {
  const isAhead = fromDay === null ? sql`` : sql` AND bucket_start >= ${startOf(fromDay)}`;
  return sql`
    SELECT (min(bucket_start) AT TIME ZONE 'UTC')::date::text AS day FROM click_rollups
    WHERE ${isRemoved(removed)} AND clicks > 0${isAhead}`;
}

/** As pre-aggregation leases it (packages/analytics/src/cube/day-work.ts). No row: it is leased already. */
function leaseDay(inDay: InDay, leaseId: string, leaseMs: number): Sql {
  return sql`
    INSERT INTO work AS kept (kind, key, lease, due_at)
    VALUES ('summary', ${keyOf(inDay)}, ${leaseId}::uuid, now() + ${leaseMs}::float8 * interval '1 millisecond')
    ON CONFLICT (kind, key) DO UPDATE SET lease = excluded.lease, due_at = excluded.due_at, revision = kept.revision + 1
    WHERE kept.lease IS NULL OR kept.due_at <= now()
    RETURNING 1`;
}

/** It is made again a little later, or looked at while it runs: after one link a hundred more may be deleted. */
function releaseDay(inDay: InDay, leaseId: string): Sql {
  return sql`
    UPDATE work SET lease = NULL, due_at = now() + interval '5 minutes', wanted_at = now() + interval '5 minutes'
    WHERE kind = 'summary' AND key = ${keyOf(inDay)} AND lease = ${leaseId}::uuid`;
}

/**
 * Whether the workspace's numbers of the day lose these clicks. Not where retention has removed the single clicks: without them the
 * day's breakdowns could not be made again for all other links. ClickHouse makes none beforehand. Of a whole workspace no member is
 * left who could ask.
 */
function isSubtracted({ day, isOfWorkspace }: InDay): Sql {
  return sql`
    (${isOfWorkspace}::boolean OR NOT EXISTS (SELECT FROM event_retention WHERE kept_from > ${startOf(day)})
      OR EXISTS (SELECT FROM counting_mode WHERE mode = 'clickhouse'))`;
}

/** Before the clicks: with fewer of them and as many late ones, a day that was made of others would count as current. */
function dropDay(inDay: InDay): readonly Sql[] {
  const { removed, day } = inDay;
  return [sql`cube_days`, sql`cube_visitors`, sql`cube_visits`, sql`click_cube`].map(
    (table) => sql`
      DELETE FROM ${table}
      WHERE workspace_id = ${removed.workspaceId}::uuid AND day = ${startOf(day)} AND ${isSubtracted(inDay)}`,
  );
}

/** Only a function of the tables' owner may change a click: migrations/0003_clicks.sql. */
const disownEvents = (inDay: InDay, sliceClicks: number, isPicked = sql`true`) =>
  disown(
    sql`${forgotten(inDay, sliceClicks, isPicked)}, counted AS (
      SELECT link_id, date_bin('15 minutes', clicked_at, 'epoch') AS bucket_start, class, workspace_id, domain_id,
        count(*) AS clicks, 0::bigint AS hashes
      FROM disowned GROUP BY 1, 2, 3, 4, 5
    )`,
    inDay,
  );

/** Those that a webhook or a stream wanted. Before their rollups move: by these a removal that was cut off finds the day again. */
const forgetSpooled = (inDay: InDay, sliceClicks: number) => sql`
  WITH ${forgotten(inDay, sliceClicks)} SELECT count(*)::float8 AS clicks FROM disowned`;

function forgotten({ removed, day }: InDay, sliceClicks: number, isPicked = sql`true`): Sql {
  return sql`
    picked AS MATERIALIZED (
      SELECT clicked_at, event_id, link_id, workspace_id, domain_id, class FROM click_events
      WHERE ${isRemoved(removed)} AND ${isInDay(sql`clicked_at`, day)} AND ${isPicked}
      ORDER BY clicked_at, event_id LIMIT ${sliceClicks}::integer
    ), disowned AS (
      SELECT picked.* FROM forget_clicks(
        ARRAY(SELECT clicked_at FROM picked), ARRAY(SELECT event_id FROM picked), ${removed.linkId ?? null}::uuid)
      JOIN picked ON clicked_at = forgotten_at AND event_id = forgotten_event
    )`;
}

/** Takes the locks that come first: a batch with late clicks has one of these rows, and then those of its links. */
function placeRollups({ removed, day }: InDay): Sql {
  return sql`
    INSERT INTO click_rollups AS rollup (link_id, bucket_start, class, clicks)
    SELECT DISTINCT ${NO_LINK}, bucket_start, class, 0 FROM click_rollups
    WHERE ${isRemoved(removed)} AND ${isInDay(sql`bucket_start`, day)} AND clicks > 0
    ORDER BY 1, 2, 3
    ON CONFLICT (link_id, bucket_start, class) DO UPDATE SET clicks = rollup.clicks`;
}

function disownRollups(inDay: InDay): Sql {
  const counted = sql`
    counted AS MATERIALIZED (
      SELECT link_id, bucket_start, class, workspace_id, domain_id, clicks, hashes FROM click_rollups
      WHERE ${isRemoved(inDay.removed)} AND ${isInDay(sql`bucket_start`, inDay.day)} AND clicks > 0
      ORDER BY 1, 2, 3 FOR UPDATE
    )`;
  return disown(counted, inDay);
}

/**
 * Takes its locks in the order of the statement that writes clicks: rollups, rollups of the workspace, totals. A count that has fewer
 * clicks than it would lose is an error: a constraint says so, and nothing of the slice is changed.
 */
function disown(counted: Sql, inDay: InDay): Sql {
  return sql`
  WITH ${counted}, kept AS (
    INSERT INTO click_rollups AS rollup (link_id, bucket_start, class, clicks)
    SELECT ${NO_LINK}, bucket_start, class, sum(clicks) FROM counted GROUP BY 2, 3
    ORDER BY 1, 2, 3
    ON CONFLICT (link_id, bucket_start, class) DO UPDATE SET clicks = rollup.clicks + excluded.clicks
    RETURNING 1
  ), lost AS (
    SELECT link_id, bucket_start, class, sum(counted.clicks) AS clicks, sum(counted.hashes) AS hashes
    FROM counted GROUP BY 1, 2, 3
  ), locked AS (
    SELECT lost.* FROM lost JOIN click_rollups AS rollup USING (link_id, bucket_start, class)
    WHERE (SELECT count(*) FROM kept) >= 0 ORDER BY 1, 2, 3 FOR UPDATE OF rollup
  ), rolled_up AS (
    UPDATE click_rollups AS rollup SET clicks = rollup.clicks - locked.clicks, hashes = rollup.hashes - locked.hashes FROM locked
    WHERE rollup.link_id = locked.link_id AND rollup.bucket_start = locked.bucket_start AND rollup.class = locked.class
    RETURNING 1
  ), workspace_lost AS (
    SELECT workspace_id, bucket_start, domain_id, class, sum(clicks) AS clicks, sum(hashes) AS hashes FROM counted
    WHERE workspace_id IS NOT NULL AND ${isSubtracted(inDay)} GROUP BY 1, 2, 3, 4
  ), workspace_locked AS (
    SELECT lost.* FROM workspace_lost AS lost JOIN workspace_rollups AS rollup USING (workspace_id, bucket_start, domain_id, class)
    WHERE (SELECT count(*) FROM rolled_up) >= 0 ORDER BY 1, 2, 3, 4 FOR UPDATE OF rollup
  ), workspace_rolled_up AS (
    UPDATE workspace_rollups AS rollup SET clicks = rollup.clicks - locked.clicks, hashes = rollup.hashes - locked.hashes
    FROM workspace_locked AS locked
    WHERE rollup.workspace_id = locked.workspace_id AND rollup.bucket_start = locked.bucket_start
      AND rollup.domain_id = locked.domain_id AND rollup.class = locked.class
    RETURNING 1
  ), totals AS (
    SELECT link_id FROM link_totals
    WHERE link_id IN (SELECT link_id FROM counted) AND (SELECT count(*) FROM workspace_rolled_up) >= 0
    ORDER BY link_id FOR UPDATE
  ), untotalled AS (
    DELETE FROM link_totals WHERE link_id IN (SELECT link_id FROM totals)
  )
  SELECT COALESCE(sum(clicks), 0)::float8 AS clicks FROM counted`;
}

function dropEmptyRollups({ removed, day }: InDay): readonly Sql[] {
  const isEmpty = sql`${isInDay(sql`bucket_start`, day)} AND clicks = 0`;
  return [
    sql`DELETE FROM click_rollups WHERE ${isRemoved(removed)} AND ${isEmpty}`,
    sql`DELETE FROM workspace_rollups WHERE workspace_id = ${removed.workspaceId}::uuid AND ${isEmpty}`,
  ];
}

/** Of days whose numbers were kept. */
function dropLinkCells(workspaceId: string, linkId: string | null): Sql {
  const isOfLink = sql`workspace_id = ${workspaceId}::uuid AND scope = 'link_id' AND scope_value = ${linkId}::text`;
  return sql`
    WITH cells AS (DELETE FROM click_cube WHERE ${isOfLink})
    DELETE FROM cube_visitors WHERE ${isOfLink}`;
}

/** @param day up to its end; `null`: for ever, for what was on its way when the link went. */
function keepOut({ workspaceId, linkId, domainId }: RemovedClicks, day: string | null): Sql {
  const until = day === null ? sql`'infinity'::timestamptz` : sql`${startOf(day)} + interval '24 hours'`;
  return sql`
    INSERT INTO clickhouse_removals AS kept (workspace_id, link_id, domain_id, until)
    VALUES (${workspaceId}::uuid, ${linkId ?? null}::uuid, ${domainId ?? null}::uuid, ${until})
    ON CONFLICT ON CONSTRAINT clickhouse_removals_once DO UPDATE SET until = greatest(kept.until, excluded.until)`;
}

/** Once ClickHouse has deleted the clicks, and those that came late. */
export function endRemoval({ workspaceId, linkId, domainId }: RemovedClicks): Sql {
  return sql`
    DELETE FROM clickhouse_removals WHERE workspace_id = ${workspaceId}::uuid
      AND link_id IS NOT DISTINCT FROM ${linkId ?? null}::uuid AND domain_id IS NOT DISTINCT FROM ${domainId ?? null}::uuid`;
}

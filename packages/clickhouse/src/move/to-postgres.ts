/**
 * From now on, clicks are counted in Postgres. Those that ClickHouse keeps are copied back. May be interrupted anywhere and run again.
 *
 * A visitor is 64 bits of what Postgres had, also of clicks that were kept for a webhook, so who comes before and after on the day of the change is counted twice. What retention has
 * removed keeps its totals and series, and no breakdown.
 */
import { placeOfEvent } from "@hopline/core/click/event-id";
import { sql } from "@hopline/db/sql";
import { keptOut, readRemovals } from "../removals.ts";
import { findDays, inDay, type MoveDeps, readMode, setMode } from "./counting-mode.ts";
import { VISIT_COLUMNS } from "./visit-columns.ts";

const SLICE_ROWS = 20_000;
const MAX_ROUNDS = 3;

/** Days that Postgres still has not as they were counted: none unless something is wrong. Rejects as `RunSql` and `ClickHouse` do. */
export async function moveToPostgres(deps: MoveDeps): Promise<readonly string[]> {
  const { runSql, timeoutMs, onProgress } = deps;
  if ((await readMode(runSql, timeoutMs)) === "clickhouse") {
    for (const day of await findDifferentDays(deps)) {
      onProgress(`${day}: ${await copyBack(deps, day)} clicks copied`);
    }
    await setMode(deps, "postgres");
  }
  let different = await findDifferentDays(deps);
  for (let round = 0; round < MAX_ROUNDS && different.length > 0; round += 1) {
    for (const day of different) {
      onProgress(`${day}: ${await copyBack(deps, day)} clicks copied again`);
    }
    different = await findDifferentDays(deps);
  }
  await runSql(ENQUEUE_DAYS, timeoutMs);
  if (different.length === 0) {
    // No click is read from ClickHouse any more. A removal that ends here does not end these.
    await runSql(sql`DELETE FROM clickhouse_removals`, timeoutMs);
  }
  return different;
}

/** To be pre-aggregated: when they are over, or at once. */
const ENQUEUE_DAYS = sql`
  INSERT INTO work (kind, key, wanted_at, due_at)
  SELECT 'summary', workspace_id::text || to_char(day AT TIME ZONE 'UTC', '/YYYY-MM-DD'), due_at, due_at FROM (
    SELECT workspace_id, day, greatest(now(), day + interval '24 hours 10 minutes') AS due_at FROM (
      SELECT DISTINCT workspace_id, date_bin('24 hours', bucket_start, 'epoch') AS day FROM workspace_rollups
      WHERE bucket_start >= COALESCE((SELECT kept_from FROM event_retention), '-infinity')
    ) AS counted
  ) AS days
  ON CONFLICT (kind, key) DO NOTHING`;

/** Days of which Postgres has not as many single clicks as it has counted. */
async function findDifferentDays(deps: MoveDeps): Promise<readonly string[]> {
  const different: string[] = [];
  for (const day of await findDays(deps)) {
    const [row] = await deps.runSql(
      sql`SELECT (SELECT count(*) FROM click_events WHERE ${inDay(day)} AND workspace_id IS NOT NULL) = (
          SELECT sum(clicks) FROM (SELECT clicks, bucket_start AS clicked_at FROM workspace_rollups) AS rolled WHERE ${inDay(day)}
        ) AS is_same`,
      deps.timeoutMs,
    );
    different.push(...(row?.["is_same"] === true ? [] : [day]));
  }
  return different;
}

const OPTIONAL: readonly string[] = ["rule_id", "variant_id", "destination", ...VISIT_COLUMNS];
const COPIED = ["link_id", "source", "class", ...OPTIONAL];

/** Of no transaction: webhooks and streams have seen them, or did not want them. */
const INSERT = sql`
  INSERT INTO click_events (event_id, clicked_at, workspace_id, domain_id, link_version, visitor, inserted_xid,
    ${sql.join(COPIED.map(sql.identifier), sql`, `)})
  SELECT event_id, to_timestamp(at_ms / 1000.0), workspace_id, domain_id, link_version,
    CASE WHEN visitor <> 0 THEN (lpad(to_hex(visitor), 16, '0') || repeat('0', 16))::uuid END, 0,
    ${sql.join(
      COPIED.map((name) =>
        OPTIONAL.includes(name) ? sql`NULLIF(${sql.identifier(name)}, '')` : sql.identifier(name),
      ),
      sql`, `,
    )}`;
const FIELDS = sql`event_id uuid, isolate text, sequence bigint, at_ms float8, workspace_id uuid, domain_id uuid, link_version bigint, visitor bigint, ${sql.join(
  COPIED.map((name) => (name === "link_id" ? sql`link_id uuid` : sql`${sql.identifier(name)} text`)),
  sql`, `,
)}`;

/**
 * Clicks that ClickHouse has and that are not counted yet are left to their next delivery: it would find them, and count none. After two
 * days there are no more of these.
 */
const IS_COUNTED = sql`(to_timestamp(at_ms / 1000.0) < now() - interval '2 days' OR (
    SELECT isolate_id = isolate AND first_sequence + click_count > sequence AND inserted > 0 FROM segment_ledger
    WHERE (isolate_id, first_sequence) <= (isolate, sequence) AND click_count > 0
    ORDER BY isolate_id DESC, first_sequence DESC LIMIT 1
  ) IS TRUE)`;

/** Of the clicks between two instants, epoch milliseconds: those whose removal began while they were on their way. */
const forgetRemoved = (fromMs: number, toMs: number) => sql`
  WITH removed AS MATERIALIZED (
    SELECT clicked_at, event_id FROM clickhouse_removals AS removal JOIN click_events AS event
      ON event.workspace_id = removal.workspace_id AND COALESCE(event.link_id = removal.link_id, true)
        AND COALESCE(event.domain_id = removal.domain_id, true) AND clicked_at < until
    WHERE clicked_at BETWEEN to_timestamp(${fromMs}::float8 / 1000.0) AND to_timestamp(${toMs}::float8 / 1000.0)
  )
  SELECT count(*) FROM forget_clicks(ARRAY(SELECT clicked_at FROM removed), ARRAY(SELECT event_id FROM removed), NULL)`;

async function copyBack({ runSql, clickHouse, timeoutMs }: MoveDeps, day: string): Promise<number> {
  const removals = keptOut(await readRemovals(runSql, null, timeoutMs));
  let copied = 0;
  let after = { at: "0", event: "" };
  for (let rows = SLICE_ROWS; rows === SLICE_ROWS; copied += rows) {
    const found = await clickHouse.select(
      `SELECT toString(event_id) AS event_id, toString(toUnixTimestamp64Milli(clicked_at)) AS at_ms, toString(workspace_id) AS workspace_id,
         domain_id, toString(link_version) AS link_version, toString(visitor) AS visitor, ${COPIED.join(", ")}
       FROM clicks FINAL WHERE toDate(quarter) = {day:Date} ${removals}
         AND (toUnixTimestamp64Milli(clicked_at), toString(event_id)) > ({at:Int64}, {event:String})
       ORDER BY toUnixTimestamp64Milli(clicked_at), toString(event_id) LIMIT ${SLICE_ROWS}`,
      { day, ...after },
      timeoutMs,
    );
    rows = found.length;
    const last = found.at(-1);
    after = { at: String(last?.["at_ms"]), event: String(last?.["event_id"]) };
    const clicks = found.map((row) => {
      const { isolateId, sequence } = placeOfEvent(String(row["event_id"]));
      return { ...row, isolate: isolateId, sequence };
    });
    await runSql(
      sql`${INSERT} FROM json_to_recordset(${JSON.stringify(clicks)}::json) AS click (${FIELDS}) WHERE ${IS_COUNTED}
        ON CONFLICT (clicked_at, event_id) DO UPDATE SET visitor = excluded.visitor WHERE click_events.workspace_id IS NOT NULL`,
      timeoutMs,
    );
    await runSql(forgetRemoved(Number(found[0]?.["at_ms"] ?? 0), Number(last?.["at_ms"] ?? 0)), timeoutMs);
  }
  return copied;
}

/**
 * Retention: removes what is older than a given day. A hypertable loses whole chunks, which costs almost nothing; an
 * ordinary table loses rows, a slice at a time, so that no lock is held for long.
 *
 * It waits until the days before are in the cube of analytics, but not for ever. Then it records since when events are
 * complete. Rollups and the cube stay, because they hold no visitor. Dead letters go, because they hold sealed addresses and
 * user agents.
 */
import type { RunSql } from "../neon-client.ts";

export type RetentionOptions = {
  /** Epoch milliseconds; a UTC midnight, so that rollup buckets stay whole. */
  readonly beforeMs: number;
  readonly timeoutMs: number;
  readonly sliceRows?: number;
};

export type RetentionReport = {
  /** Rows of click_events; `null` if whole chunks were dropped, whose rows nobody counts. */
  readonly events: number | null;
  /** Chunks of a hypertable that lay wholly before the day. */
  readonly chunks: number;
  readonly ledgerRows: number;
  readonly deadLetters: number;
  /** Numbers of reports of the edge. What they counted stays. */
  readonly edgeReports: number;
};

const SLICE_ROWS = 5_000;
/** Of one table per run; the next run continues. */
const MAX_SLICES = 400;

const BEFORE = "to_timestamp($1::float8 / 1000.0)";

const HAS_CATALOGUE = `SELECT to_regclass('timescaledb_information.hypertables') IS NOT NULL AS found`;
const IS_HYPERTABLE = `
  SELECT EXISTS (
    SELECT FROM timescaledb_information.hypertables
    WHERE hypertable_schema = current_schema() AND hypertable_name = 'click_events'
  ) AS found`;
/** In migrations/0019, because only the table's owner may drop chunks. */
const DROP_CHUNKS = `SELECT drop_click_chunks(${BEFORE}) AS removed`;

/** A day that cannot be made for so long keeps no clicks back any more. */
const IS_DAY_WAITING = `
  SELECT EXISTS (
    SELECT FROM work WHERE kind = 'summary' AND wanted_at > now() - interval '7 days'
      AND right(key, 10) < to_char(${BEFORE} AT TIME ZONE 'UTC', 'YYYY-MM-DD')
  ) AS found`;

const NOTE_KEPT_FROM = `
  INSERT INTO event_retention AS retention (kept_from) VALUES (${BEFORE})
  ON CONFLICT (only_row) DO UPDATE SET kept_from = GREATEST(retention.kept_from, excluded.kept_from)`;

const DELETE_EVENTS = toSlicedDelete("click_events AS old", `clicked_at < ${BEFORE} ORDER BY clicked_at`);
const DELETE_LETTERS = toSlicedDelete("dead_letters AS old", `created_at < ${BEFORE}`);
const DELETE_REPORTS = toSlicedDelete("edge_reports AS old", `received_at < ${BEFORE}`);
/** Only of isolates that have ended: rows of one isolate prove each other, and half of them would look like a gap. */
const DELETE_LEDGER = toSlicedDelete(
  "segment_ledger AS old",
  `first_clicked_at < ${BEFORE} AND NOT EXISTS (
     SELECT FROM segment_ledger young
     WHERE young.isolate_id = old.isolate_id AND young.last_clicked_at >= ${BEFORE}
   )`,
);

/**
 * `null`: nothing was removed, because a day is not in the cube yet. Rejects as `RunSql` does; what was removed by then stays
 * removed.
 */
export async function dropOldClicks(
  runSql: RunSql,
  options: RetentionOptions,
): Promise<RetentionReport | null> {
  const { beforeMs, timeoutMs, sliceRows = SLICE_ROWS } = options;
  const [waiting] = await runSql(IS_DAY_WAITING, [beforeMs], timeoutMs);
  if (waiting?.["found"] === true) {
    return null;
  }
  await runSql(NOTE_KEPT_FROM, [beforeMs], timeoutMs);
  const removedBy = async (statement: string, ...parameters: readonly number[]): Promise<number> =>
    Number((await runSql(statement, parameters, timeoutMs))[0]?.["removed"] ?? 0);
  const deleteSlices = async (statement: string): Promise<number> => {
    let removed = 0;
    for (let slice = 0; slice < MAX_SLICES; slice += 1) {
      const rows = await removedBy(statement, beforeMs, sliceRows);
      removed += rows;
      if (rows < sliceRows) {
        break;
      }
    }
    return removed;
  };
  const isHypertable = await findHypertable(runSql, timeoutMs);
  return {
    chunks: isHypertable ? await removedBy(DROP_CHUNKS, beforeMs) : 0,
    events: isHypertable ? null : await deleteSlices(DELETE_EVENTS),
    ledgerRows: await deleteSlices(DELETE_LEDGER),
    deadLetters: await deleteSlices(DELETE_LETTERS),
    edgeReports: await deleteSlices(DELETE_REPORTS),
  };
}

/** Two statements, because the second does not even parse without the extension. */
async function findHypertable(runSql: RunSql, timeoutMs: number): Promise<boolean> {
  const [catalogue] = await runSql(HAS_CATALOGUE, [], timeoutMs);
  const [hypertable] = catalogue?.["found"] === true ? await runSql(IS_HYPERTABLE, [], timeoutMs) : [];
  return hypertable?.["found"] === true;
}

function toSlicedDelete(table: string, condition: string): string {
  return `
    WITH gone AS (
      DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT $2::int))
      RETURNING 1
    )
    SELECT count(*)::int AS removed FROM gone`;
}

/**
 * Retention: removes what is older than a day given, and asks the server how. A hypertable loses whole chunks, at the
 * price of a catalogue entry; an ordinary table loses rows, a slice at a time, so that no lock is held for long.
 *
 * Since when events are complete is written down first. Rollups and summaries stay: they hold no visitor. Dead letters do not: they hold sealed addresses and user agents.
 */
import type { RunSql } from "../neon-client.ts";

export type RetentionOptions = {
  /** Epoch milliseconds; a UTC midnight, so that rollup buckets stay whole. */
  readonly beforeMs: number;
  readonly timeoutMs: number;
  readonly sliceRows?: number;
  /** The next run goes on where this one ends. */
  readonly maxSlices?: number;
};

export type RetentionReport = {
  /** Rows of click_events, or `null` where whole chunks went and nobody counted. */
  readonly events: number | null;
  /** Chunks of a hypertable that lay wholly before the day. */
  readonly chunks: number;
  readonly ledgerRows: number;
  readonly deadLetters: number;
  /** Numbers of reports of the edge; what they counted stays. */
  readonly edgeReports: number;
};

const SLICE_ROWS = 5_000;
const MAX_SLICES = 400;

const HAS_CATALOGUE = `SELECT to_regclass('timescaledb_information.hypertables') IS NOT NULL AS found`;
const IS_HYPERTABLE = `
  SELECT EXISTS (
    SELECT FROM timescaledb_information.hypertables
    WHERE hypertable_schema = current_schema() AND hypertable_name = 'click_events'
  ) AS found`;
const DROP_CHUNKS = `
SELECT drop_click_chunks(to_timestamp($1::float8 / 1000.0)) AS removed`;

const DELETE_EVENTS = toSlicedDelete(
  "click_events",
  "SELECT ctid FROM click_events WHERE clicked_at < to_timestamp($1::float8 / 1000.0) ORDER BY clicked_at LIMIT $2::int",
);
const DELETE_LETTERS = toSlicedDelete(
  "dead_letters",
  "SELECT ctid FROM dead_letters WHERE created_at < to_timestamp($1::float8 / 1000.0) LIMIT $2::int",
);
const DELETE_REPORTS = toSlicedDelete(
  "edge_reports",
  "SELECT ctid FROM edge_reports WHERE received_at < to_timestamp($1::float8 / 1000.0) LIMIT $2::int",
);
/** Only isolates that are over: the rows of one isolate prove each other, and half of them would look like a gap. */
const DELETE_LEDGER = toSlicedDelete(
  "segment_ledger",
  `SELECT old.ctid FROM segment_ledger old
   WHERE old.first_clicked_at < to_timestamp($1::float8 / 1000.0) AND NOT EXISTS (
     SELECT FROM segment_ledger young
     WHERE young.isolate_id = old.isolate_id AND young.last_clicked_at >= to_timestamp($1::float8 / 1000.0)
   ) LIMIT $2::int`,
);

const NOTE_KEPT_FROM = `
  INSERT INTO event_retention AS retention (kept_from) VALUES (to_timestamp($1::float8 / 1000.0))
  ON CONFLICT (only_row) DO UPDATE SET kept_from = GREATEST(retention.kept_from, excluded.kept_from)`;

/** Rejects as `RunSql` does; what was removed by then stays removed. */
export async function dropOldClicks(runSql: RunSql, options: RetentionOptions): Promise<RetentionReport> {
  await runSql(NOTE_KEPT_FROM, [options.beforeMs], options.timeoutMs);
  const isHypertable = await findHypertable(runSql, options.timeoutMs);
  const chunks = isHypertable
    ? readNumber(await runSql(DROP_CHUNKS, [options.beforeMs], options.timeoutMs), "removed")
    : 0;
  return {
    events: isHypertable ? null : await deleteSlices(runSql, DELETE_EVENTS, options),
    chunks,
    ledgerRows: await deleteSlices(runSql, DELETE_LEDGER, options),
    deadLetters: await deleteSlices(runSql, DELETE_LETTERS, options),
    edgeReports: await deleteSlices(runSql, DELETE_REPORTS, options),
  };
}

async function findHypertable(runSql: RunSql, timeoutMs: number): Promise<boolean> {
  // Two questions, because the second does not even parse where the extension is not there.
  const [catalogue] = await runSql(HAS_CATALOGUE, [], timeoutMs);
  if (catalogue?.["found"] !== true) {
    return false;
  }
  const [hypertable] = await runSql(IS_HYPERTABLE, [], timeoutMs);
  return hypertable?.["found"] === true;
}

async function deleteSlices(runSql: RunSql, statement: string, options: RetentionOptions): Promise<number> {
  const sliceRows = options.sliceRows ?? SLICE_ROWS;
  const maxSlices = options.maxSlices ?? MAX_SLICES;
  let removed = 0;
  for (let slice = 0; slice < maxSlices; slice += 1) {
    const rows = await runSql(statement, [options.beforeMs, sliceRows], options.timeoutMs);
    const count = readNumber(rows, "removed");
    removed += count;
    if (count < sliceRows) {
      break;
    }
  }
  return removed;
}

function toSlicedDelete(table: string, findRows: string): string {
  return `
    WITH gone AS (DELETE FROM ${table} WHERE ctid = ANY (ARRAY(${findRows})) RETURNING 1)
    SELECT count(*)::int AS removed FROM gone`;
}

function readNumber(rows: readonly { readonly [column: string]: unknown }[], column: string): number {
  const value = rows[0]?.[column];
  return typeof value === "number" ? value : 0;
}

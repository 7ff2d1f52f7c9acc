/**
 * Retention: removes what is older than a given day. A hypertable loses whole chunks, which costs almost nothing; an
 * ordinary table loses rows, a slice at a time, so that no lock is held for long.
 *
 * It waits until the days before are in the cube of analytics, but not for ever. Then it records since when events are
 * complete. Rollups and the cube stay, because they hold no visitor; the ledger stays longer, and its sums for ever. Dead letters go, because they hold sealed addresses and
 * user agents.
 */
import type { RunSql } from "../neon-client.ts";
import { type Sql, sql } from "../sql.ts";
import { IS_OPEN, quarterOf } from "./ledger-accounts.ts";

export type RetentionOptions = {
  /** Epoch milliseconds; a UTC midnight, so that rollup buckets stay whole. */
  readonly beforeMs: number;
  readonly nowMs: number;
  readonly timeoutMs: number;
  readonly sliceRows?: number;
};

export type RetentionReport = {
  /** Rows of click_events; `null` if whole chunks were dropped, whose rows are not counted. */
  readonly events: number | null;
  /** Chunks of a hypertable that lay wholly before the day. */
  readonly chunks: number;
  readonly ledgerRows: number;
  readonly deadLetters: number;
  /** Numbers of reports of the edge. What they counted stays. */
  readonly edgeReports: number;
};

/**
 * A click may be delivered again after it was dropped: queues and their dead letters keep messages for 14 days each. As long as the
 * ledger has its segment it counts once.
 */
const LEDGER_MS = 45 * 86_400_000;
const SLICE_ROWS = 5_000;
/** Of one table per run; the next run continues. */
const MAX_SLICES = 400;

/**
 * `null`: nothing was removed, because a day is not in the cube yet. Rejects as `RunSql` does; what was removed by then stays
 * removed.
 */
export async function dropOldClicks(
  runSql: RunSql,
  options: RetentionOptions,
): Promise<RetentionReport | null> {
  const { beforeMs, nowMs, timeoutMs } = options;
  const before = sql`to_timestamp(${beforeMs}::float8 / 1000.0)`;
  const [waiting] = await runSql(isDayWaiting(before), timeoutMs);
  if (waiting?.["found"] === true) {
    return null;
  }
  await runSql(noteKeptFrom(before), timeoutMs);
  const { deleteSlices } = openRemoval(runSql, options);
  return {
    ...(await dropEvents(runSql, before, options)),
    ledgerRows: await deleteSlices(
      sql`segment_ledger`,
      isOfEndedIsolate(sql`to_timestamp(${Math.min(beforeMs, nowMs - LEDGER_MS)}::float8 / 1000.0)`),
      INTO_SUMS,
    ),
    deadLetters: await deleteSlices(sql`dead_letters`, sql`created_at < ${before}`),
    edgeReports: await deleteSlices(sql`edge_reports`, sql`received_at < ${before}`),
  };
}

/** Removes what domains had no link for before a day. Resolves to how many rows. Rejects as `RunSql` does. */
export function dropOldMisses(
  runSql: RunSql,
  { beforeMs, ...slices }: Slices & Pick<RetentionOptions, "beforeMs">,
): Promise<number> {
  const before = sql`(to_timestamp(${beforeMs}::float8 / 1000.0) AT TIME ZONE 'UTC')::date`;
  return openRemoval(runSql, slices).deleteSlices(sql`missed_visits`, sql`day < ${before}`);
}

/** What removes rows of a table slice by slice. Resolves to how many were removed. */
function openRemoval(runSql: RunSql, { timeoutMs, sliceRows = SLICE_ROWS }: Slices) {
  const removedBy = async (statement: Sql): Promise<number> =>
    Number((await runSql(statement, timeoutMs))[0]?.["removed"] ?? 0);
  const deleteSlices = async (table: Sql, condition: Sql, summed?: Sql): Promise<number> => {
    let removed = 0;
    for (let slice = 0; slice < MAX_SLICES; slice += 1) {
      const rows = await removedBy(deleteSlice(table, sql`${condition} LIMIT ${sliceRows}::int`, summed));
      removed += rows;
      if (rows < sliceRows) {
        break;
      }
    }
    return removed;
  };
  return { removedBy, deleteSlices };
}

type Slices = Pick<RetentionOptions, "timeoutMs" | "sliceRows">;

async function dropEvents(
  runSql: RunSql,
  before: Sql,
  slices: Slices,
): Promise<Pick<RetentionReport, "events" | "chunks">> {
  const { removedBy, deleteSlices } = openRemoval(runSql, slices);
  const isHypertable = await findHypertable(runSql, slices.timeoutMs);
  return {
    // A function, because only the table's owner may drop chunks (migrations/0003_clicks.sql).
    chunks: isHypertable ? await removedBy(sql`SELECT drop_click_chunks(${before}) AS removed`) : 0,
    events: isHypertable
      ? null
      : await deleteSlices(sql`click_events`, sql`clicked_at < ${before} ORDER BY clicked_at`),
  };
}

/** A delivery of a webhook can be replayed for so long, and needs its clicks. */
const SPOOL_MS = 30 * 86_400_000;

/**
 * Where clicks are counted in ClickHouse: removes those that were kept for webhooks. Resolves to whether they are counted there. Rejects as
 * `RunSql` does.
 */
export async function dropSpooledClicks(runSql: RunSql, nowMs: number, timeoutMs: number): Promise<boolean> {
  const [counting] = await runSql(sql`SELECT mode FROM counting_mode`, timeoutMs);
  const isInClickHouse = counting?.["mode"] === "clickhouse";
  if (isInClickHouse) {
    const beforeMs = Math.floor((nowMs - SPOOL_MS) / 86_400_000) * 86_400_000;
    await dropEvents(runSql, sql`to_timestamp(${beforeMs}::float8 / 1000.0)`, { timeoutMs });
  }
  return isInClickHouse;
}

/** A day that cannot be made for so long keeps no clicks back any more. */
function isDayWaiting(before: Sql): Sql {
  return sql`
    SELECT EXISTS (
      SELECT FROM work WHERE kind = 'summary' AND wanted_at > now() - interval '7 days'
        AND right(key, 10) < to_char(${before} AT TIME ZONE 'UTC', 'YYYY-MM-DD')
    ) AS found`;
}

function noteKeptFrom(before: Sql): Sql {
  return sql`
    INSERT INTO event_retention AS retention (kept_from) VALUES (${before})
    ON CONFLICT (only_row) DO UPDATE SET kept_from = GREATEST(retention.kept_from, excluded.kept_from)`;
}

/** Two statements, because the second does not even parse without the extension. */
async function findHypertable(runSql: RunSql, timeoutMs: number): Promise<boolean> {
  const hasCatalogue = sql`SELECT to_regclass('timescaledb_information.hypertables') IS NOT NULL AS found`;
  const isHypertable = sql`
    SELECT EXISTS (
      SELECT FROM timescaledb_information.hypertables
      WHERE hypertable_schema = current_schema() AND hypertable_name = 'click_events'
    ) AS found`;
  const [catalogue] = await runSql(hasCatalogue, timeoutMs);
  const [hypertable] = catalogue?.["found"] === true ? await runSql(isHypertable, timeoutMs) : [];
  return hypertable?.["found"] === true;
}

/** Rows of one isolate prove each other, and half of them would look like a gap. */
function isOfEndedIsolate(before: Sql): Sql {
  return sql`gap IS NOT NULL AND last_clicked_at < ${before} AND NOT EXISTS (
    SELECT FROM segment_ledger young
    WHERE young.isolate_id = old.isolate_id AND young.last_clicked_at >= ${before}
  )`;
}

/** What only the rows had: segments that never were wholly inserted, and gaps before them. */
const INTO_SUMS = sql`
    INSERT INTO ledger_sums AS kept (bucket_start, segments, delivered, inserted, duplicates, rejected, gaps)
    SELECT ${quarterOf(sql`first_clicked_at`)}, count(*) FILTER (WHERE click_count > 0), sum(click_count), sum(inserted),
      sum(duplicates), sum(rejected), sum(gap)
    FROM gone WHERE ${IS_OPEN}
    GROUP BY 1
    ORDER BY 1
    ON CONFLICT (bucket_start) DO UPDATE SET segments = kept.segments + excluded.segments,
      delivered = kept.delivered + excluded.delivered, inserted = kept.inserted + excluded.inserted,
      duplicates = kept.duplicates + excluded.duplicates, rejected = kept.rejected + excluded.rejected, gaps = kept.gaps + excluded.gaps`;

/** @param summed an INSERT that reads the rows from `gone` */
function deleteSlice(table: Sql, condition: Sql, summed?: Sql): Sql {
  const more = summed === undefined ? sql`` : sql`, summed AS (${summed})`;
  return sql`
    WITH gone AS (
      DELETE FROM ${table} AS old WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} AS old WHERE ${condition}))
      RETURNING old.*
    )${more}
    SELECT count(*)::int AS removed FROM gone`;
}

/**
 * Makes one row of the settled segments of an isolate that follow each other, and adds their clicks to the sums. Any part of what
 * was compacted may be delivered again: a batch looks up the row before a segment's number (ingest/insert-clicks.ts).
 *
 * Isolates are taken whole: their rows are locked, read and replaced by one statement. A batch that writes one of them meanwhile
 * waits, and writes the row that it then finds; what it adds has no gap noted and is compacted the next time.
 */
import type { RunTransaction } from "../neon-client.ts";
import { sql } from "../sql.ts";
import type { WorkHandler } from "../work/run-work.ts";
import { IS_SUMMED, quarterOf } from "./ledger-accounts.ts";

/** Of one statement. */
const ISOLATES = 200;
/** A batch that waits for our rows and has some that we want goes first: well before Postgres looks for deadlocks. */
const LOCK_TIMEOUT_MS = 300;
const TIMEOUT_MS = 60_000;
const TIME_LIMIT_MS = 240_000;
const COMPACT_FOR_MS = 40_000;
/** Before the next run of each minute. */
const AGAIN_AFTER_SECONDS = 45;

const BEFORE = sql`PARTITION BY isolate_id ORDER BY first_sequence ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING`;

const COMPACT = sql`
  WITH picked AS MATERIALIZED (
    SELECT DISTINCT isolate_id FROM (
      SELECT isolate_id FROM segment_ledger WHERE gap IS NULL ORDER BY first_clicked_at LIMIT 20 * ${ISOLATES}::integer
    ) AS oldest LIMIT ${ISOLATES}::integer
  ), taken AS (
    DELETE FROM segment_ledger AS kept USING picked WHERE kept.isolate_id = picked.isolate_id RETURNING kept.*
  ), placed AS (
    SELECT *, click_count > 0 AND inserted = click_count AS is_settled,
      COALESCE(max(first_sequence + click_count) OVER (${BEFORE}), 1) AS expected
    FROM taken
  ), judged AS (
    -- Of clicks that another row has: a report of a place that is known, or a delivery that crossed with a compaction.
    SELECT *, first_sequence + click_count <= expected AND inserted = 0 AS is_known FROM placed
  ), followed AS (
    SELECT *, is_settled AND first_sequence = expected AND COALESCE(lag(is_settled) OVER (
        PARTITION BY isolate_id ORDER BY first_sequence), false) AS is_next
    FROM judged WHERE NOT is_known
  ), numbered AS (
    SELECT *, count(*) FILTER (WHERE NOT is_next) OVER (PARTITION BY isolate_id ORDER BY first_sequence) AS run
    FROM followed
  ), compacted AS (
    INSERT INTO segment_ledger (isolate_id, first_sequence, click_count, inserted, rejected, duplicates,
      deliveries, queue_delay_ms, first_clicked_at, last_clicked_at, first_settled_at, last_settled_at, gap)
    SELECT isolate_id, min(first_sequence), sum(click_count), sum(inserted), sum(rejected),
      sum(CASE WHEN is_settled THEN 0 ELSE duplicates END), sum(deliveries), max(queue_delay_ms), min(first_clicked_at),
      max(last_clicked_at), min(first_settled_at), max(last_settled_at), max(GREATEST(first_sequence - expected, 0))
    FROM numbered GROUP BY isolate_id, run
    RETURNING first_clicked_at, CASE WHEN ${IS_SUMMED} THEN gap ELSE 0 END AS gap
  ), change AS (
    SELECT ${quarterOf(sql`first_clicked_at`)} AS bucket_start, count(*) FILTER (WHERE is_settled AND gap IS NULL) AS segments,
      COALESCE(sum(click_count) FILTER (WHERE is_settled AND gap IS NULL), 0) AS clicks,
      COALESCE(sum(duplicates) FILTER (WHERE is_settled OR is_known), 0) AS duplicates, -COALESCE(sum(gap) FILTER (WHERE is_settled), 0) AS gaps
    FROM judged GROUP BY 1
    UNION ALL
    SELECT ${quarterOf(sql`first_clicked_at`)}, 0, 0, 0, sum(gap) FROM compacted GROUP BY 1
  ), summed AS (
    INSERT INTO ledger_sums AS kept (bucket_start, segments, delivered, inserted, duplicates, gaps)
    SELECT bucket_start, sum(segments), sum(clicks), sum(clicks), sum(duplicates), sum(gaps) FROM change
    GROUP BY 1 HAVING sum(segments + duplicates) > 0 OR sum(gaps) <> 0
    ORDER BY 1
    ON CONFLICT (bucket_start) DO UPDATE SET segments = kept.segments + excluded.segments,
      delivered = kept.delivered + excluded.delivered, inserted = kept.inserted + excluded.inserted,
      duplicates = kept.duplicates + excluded.duplicates, gaps = kept.gaps + excluded.gaps
  )
  SELECT count(*)::integer AS taken FROM taken`;

/** Rows that were taken; 0: nothing is left to do. Rejects as `RunTransaction` does, with nothing changed. */
export async function compactLedger(runTransaction: RunTransaction, timeoutMs: number): Promise<number> {
  const results = await runTransaction(
    [
      sql`SELECT set_config('statement_timeout', ${String(timeoutMs)}, true)`,
      // One at a time: a second one would not see what the first has made of an isolate.
      sql`SELECT pg_advisory_xact_lock(hashtext('segment_ledger'))`,
      sql`SELECT set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)`,
      COMPACT,
    ],
    timeoutMs,
  );
  return Number(results.at(-1)?.[0]?.["taken"]);
}

export type CompactDeps = {
  readonly runTransaction: RunTransaction;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  /** False: the invocation has no requests left for another statement. */
  readonly mayGoOn: () => boolean;
};

/** Batches enqueue it. It goes on as long as there is something to compact, so the last batch is compacted as well. */
export function compactHandler({ runTransaction, nowMs, mayGoOn }: CompactDeps): WorkHandler {
  return {
    timeLimitMs: TIME_LIMIT_MS,
    atOnce: 1,
    maxDelaySeconds: AGAIN_AFTER_SECONDS,
    async run() {
      const endsAtMs = nowMs() + COMPACT_FOR_MS;
      let hasTaken = false;
      while (nowMs() < endsAtMs && mayGoOn()) {
        if ((await compactLedger(runTransaction, TIMEOUT_MS)) === 0) {
          return hasTaken ? { againInSeconds: AGAIN_AFTER_SECONDS } : undefined;
        }
        hasTaken = true;
      }
      return { againInSeconds: 0 };
    },
  };
}

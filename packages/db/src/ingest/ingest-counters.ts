/**
 * The part of the insert statement that counts for the metrics: clicks by class, duplicates, retries, delays in the
 * queue. In the same statement as the clicks, so that they count once. Each statement picks a shard, so that writers do
 * not queue up behind a counter, and counts last, so that it holds the lock as briefly as possible.
 */

import { type Sql, sql, type SqlValue } from "../sql.ts";

/** About as many as there are concurrent writers: the sum of the shards' `max_concurrency`. */
const SHARDS = 16;

/** Upper bounds of the buckets of queue delays, milliseconds, inclusive. One more bucket lies above the last. */
export const QUEUE_DELAY_BOUNDS_MS = [
  500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 1_800_000, 7_200_000,
] as const;

/**
 * Reads `fresh` (class, clicks) and `settled` (is_new, queue_delay_ms).
 *
 * @param sentCounts the clicks of each segment, counted once per copy of its message.
 * @param retries how often these messages were returned to their queue before.
 */
export function countIngest(sentCounts: readonly SqlValue[] | null, retries: number): Sql {
  return sql`
    INSERT INTO ingest_counters AS counter (metric, label, shard, total)
    SELECT metric, label, shard, total
    FROM (
      SELECT 'clicks' AS metric, class AS label, sum(clicks) AS total FROM fresh GROUP BY class
      UNION ALL
      SELECT 'duplicates', '', (SELECT sum(sent) FROM unnest(${sentCounts}::integer[]) AS sent) - (SELECT COALESCE(sum(clicks), 0) FROM fresh)
      UNION ALL
      SELECT 'retries', '', ${retries}::bigint
      UNION ALL
      SELECT 'queue_delay',
        width_bucket(queue_delay_ms - 1, ${QUEUE_DELAY_BOUNDS_MS}::bigint[])::text, count(*)
      FROM settled WHERE is_new GROUP BY 2
      UNION ALL
      SELECT 'queue_delay_ms', '', COALESCE(sum(queue_delay_ms), 0) FROM settled WHERE is_new
    ) AS part, (SELECT floor(random() * ${SHARDS}::integer)::smallint AS shard OFFSET 0) AS place
    WHERE total > 0
    ORDER BY metric, label
    ON CONFLICT (metric, label, shard) DO UPDATE SET total = counter.total + excluded.total, counted_at = now()`;
}

/**
 * Counts segments whose clicks are in ClickHouse: their rows in the ledger, rollups, totals, caps, and the clicks that a webhook or a
 * stream wants, in one statement. A segment is counted at once, and once: the one whose row in the ledger this statement writes. A segment
 * that another statement writes at this moment is left to its next delivery.
 *
 * Locks are taken in the order of insert-clicks.ts, but the ledger's come before the rollups'.
 */
import type { RunSql } from "../neon-client.ts";
import { sql } from "../sql.ts";
import { CLICK_COLUMNS, type ClickRow } from "./click-row.ts";
import { toArrays, toColumns, unnest } from "./columns.ts";
import {
  aliasedClicks,
  ALIASES,
  CAPPED_LINKS,
  CAPS,
  DUPLICATES,
  insertEvents,
  LINK_TOTALS,
  mustCountIn,
  NO_LINK,
  ROLLUPS,
  WORKSPACE_ROLLUPS,
} from "./count-clicks.ts";
import { isSettled } from "./find-segments.ts";
import { countIngest } from "./ingest-counters.ts";
import type { InsertedClicks } from "./insert-clicks.ts";
import { ledgerUpsert, SEGMENT_COLUMNS, type SegmentEntry } from "./segment-entry.ts";

/** What clicks are counted by. */
export type CountKey = {
  readonly linkId: string;
  /** Under which the clicks are in ClickHouse; `null`: they are not there, for there is no such link. */
  readonly workspaceId: string | null;
  /** Epoch milliseconds. */
  readonly quarterMs: number;
  readonly class: string;
  /** Of all segments: it says when, and counts nothing. */
  readonly lastClickedAtMs: number;
};

/** The clicks of one segment and key, each by its index: most of what is sent and read of a batch is these, so they are narrow. */
export type ClickCount = {
  readonly segment: number;
  readonly key: number;
  readonly clicks: number;
  /** The sum of the clicks' hashes. */
  readonly hashes: number;
};

const KEY_COLUMNS = toColumns({
  linkId: "uuid",
  workspaceId: "uuid",
  quarterMs: "float8",
  class: "text",
  lastClickedAtMs: "float8",
} as const);
const COUNT_COLUMNS = toColumns({
  segment: "integer",
  key: "integer",
  clicks: "integer",
  hashes: "bigint",
} as const);

export type CountedSegments = {
  readonly segments: readonly SegmentEntry[];
  /** Of each segment: the clicks that are counted with it. Others are in dead letters. */
  readonly inserted: readonly number[];
  /** Of a segment that is one click of a dead letter: that click's number. It is counted if the letter is open, and closes it. */
  readonly letters: readonly (number | null)[];
  readonly keys: readonly CountKey[];
  readonly counts: readonly ClickCount[];
  /** All clicks that may be counted, and the index of the segment of each: some came through an alias. */
  readonly clicks: readonly ClickRow[];
  readonly segmentOfClick: readonly number[];
  /** Clicks that are needed in Postgres, and the index of the segment of each. */
  readonly spooled: readonly ClickRow[];
  readonly segmentOfSpooled: readonly number[];
  readonly retries: number;
};

/** A row that only has a letter, or the word that clicks come; or the click of a letter, which is no delivery. */
const IS_COUNTABLE = sql`ledger.inserted = 0 OR excluded.deliveries = 0`;

const SETTLED_ONCE = sql`(SELECT check_counted_once(array_agg(isolate_id), array_agg(first_sequence)) FROM settled WHERE is_new)`;

/** Compaction, as in insert-clicks.ts: once for all batches of a minute. */
const WORK = sql`
    INSERT INTO work AS kept (kind, key, wanted_at, due_at)
    SELECT 'ledger', 'all', now() + interval '45 seconds', now() + interval '45 seconds'
    WHERE NOT EXISTS (SELECT FROM work WHERE kind = 'ledger' AND key = 'all') AND (SELECT count(*) FROM capped) >= 0
    ON CONFLICT (kind, key) DO UPDATE SET revision = kept.revision + 1
    RETURNING 1`;

/**
 * `left`: segments that another statement is counting. They have to be delivered again. Rejects as `RunSql` does, or with `WRONG_MODE`; then
 * nothing was counted, or the answer was lost.
 */
export async function countSegments(
  runSql: RunSql,
  batch: CountedSegments,
  timeoutMs: number,
): Promise<InsertedClicks & { readonly left: number }> {
  const aliased = aliasedClicks(batch.clicks, batch.segmentOfClick);
  const { segments, inserted, letters, keys, counts, spooled, segmentOfSpooled, retries } = batch;
  const entries = toArrays(SEGMENT_COLUMNS, segments);
  const isSpooled = sql`(${segmentOfSpooled}::integer[])[click.position] + 1 = ANY (ARRAY(SELECT position FROM counted_segment))`;
  const [row] = await runSql(
    sql`
    WITH segment AS MATERIALIZED (
      SELECT known.*, (${inserted}::integer[])[position] AS inserted, 0 AS rejected, (${letters}::bigint[])[position] AS letter_sequence
      FROM ${mustCountIn("clickhouse")} CROSS JOIN (${isSettled(entries)}) AS known
    ), letter AS (
      UPDATE dead_letters SET replayed_at = now() FROM segment
      WHERE kind = 'click_refused' AND replayed_at IS NULL AND dead_letters.isolate_id = segment.isolate_id
        AND dead_letters.first_sequence = letter_sequence
      RETURNING position
    ), settled AS (${ledgerUpsert(
      sql`
      FROM segment
      WHERE CASE WHEN letter_sequence IS NULL THEN NOT is_known ELSE position IN (SELECT position FROM letter) END`,
      IS_COUNTABLE,
    )}
    ), counted_segment AS MATERIALIZED (
      SELECT position FROM segment JOIN settled USING (isolate_id, first_sequence)
    ), inserted AS (${insertEvents(toArrays(CLICK_COLUMNS, spooled), isSpooled, sql`ON CONFLICT DO NOTHING`)}
    ), fresh AS MATERIALIZED (
      SELECT COALESCE(links.id, ${NO_LINK}) AS link_id, to_timestamp(quarter_ms / 1000.0) AS bucket_start, class,
        links.workspace_id, links.domain_id, sum(clicks) AS clicks, sum(hashes) AS hashes,
        to_timestamp(max(last_clicked_at_ms) / 1000.0) AS last_clicked_at
      FROM (
        SELECT key AS at, sum(clicks) AS clicks, sum(hashes) AS hashes
        FROM ${unnest("part", COUNT_COLUMNS, toArrays(COUNT_COLUMNS, counts))}
        JOIN counted_segment ON counted_segment.position = part.segment + 1
        GROUP BY key
      ) AS counted
      JOIN ${unnest("key", KEY_COLUMNS, toArrays(KEY_COLUMNS, keys))} ON key.position = counted.at + 1
      LEFT JOIN links ON links.id = key.link_id AND links.workspace_id = key.workspace_id
      GROUP BY 1, 2, 3, 4, 5
    ), rolled_up AS (${ROLLUPS}
    ), workspace_rolled_up AS (${WORKSPACE_ROLLUPS}
    ), totalled AS (${LINK_TOTALS}
    ), via AS (
      SELECT link_id, aliased_click.slug, to_timestamp(clicked_at_ms / 1000.0) AS clicked_at FROM ${aliased}
      JOIN counted_segment ON counted_segment.position = aliased_click.segment + 1
      JOIN links ON links.id = link_id
    ), aliased AS (${ALIASES}
    ), capped_links AS (${CAPPED_LINKS}
    ), capped AS (${CAPS}
    ), enqueued AS (${WORK}
    ), duplicated AS (${DUPLICATES}
    ), counted AS (${countIngest(entries.sentCount, retries)}
    )
    SELECT COALESCE((SELECT sum(clicks) FROM fresh), 0)::int AS inserted,
      (SELECT count(*) FROM capped WHERE is_used_up)::int AS used_up, ${SETTLED_ONCE} AS is_once,
      (SELECT count(*) FROM segment WHERE letter_sequence IS NULL AND NOT is_known
        AND position NOT IN (SELECT position FROM counted_segment))::int AS left`,
    timeoutMs,
  );
  const numberOf = (name: string) => Number(row?.[name] ?? 0);
  return { inserted: numberOf("inserted"), usedUpLinks: numberOf("used_up"), left: numberOf("left") };
}

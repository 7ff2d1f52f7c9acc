/**
 * Writes clicks, their rollups and the ledger rows of their segments in one statement: all of it, or nothing. A click
 * that is already there, or of a segment that the ledger has settled, is skipped and counted nowhere, so a batch may be delivered any
 * number of times.
 *
 * Every statement takes its locks in one order (events, rollups, totals, aliases, caps, days, ledger, its sums; each by key), so any number of batches for
 * one hot link wait for each other in a queue and never deadlock.
 */
import { toDatabaseFailure, UNIQUE_VIOLATION } from "../database-failure.ts";
import type { RunSql } from "../neon-client.ts";
import { type Sql, sql } from "../sql.ts";
import { CLICK_COLUMNS, type ClickField, type ClickRow } from "./click-row.ts";
import { type Arrays, toArrays, unnest } from "./columns.ts";
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
import { countIngest } from "./ingest-counters.ts";
import { ledgerUpsert, SEGMENT_COLUMNS, type SegmentEntry } from "./segment-entry.ts";

/**
 * Clicks in one statement, at most. The more, the fewer rows of the counts are written for each click, and the fewer writers wait for each
 * other: beside three others, one of 5,000 took Postgres 19 µs a click and one of 1,000 took 47 (load-tests/results/2026-11-25-runs.md). Not more,
 * because all writers of a slow database have to be done before their time is up, those too that wait for a hot link.
 */
export const MAX_BATCH_CLICKS = 5_000;

export type ClickBatch = {
  /** At most `MAX_BATCH_CLICKS`; where they go to ClickHouse, twice as many. No two have the same event id. */
  readonly rows: readonly ClickRow[];
  /** For each row, the index of its segment in `segments`. */
  readonly segmentOfRow: readonly number[];
  /** No two have the same isolate and first sequence. */
  readonly segments: readonly SegmentEntry[];
  /** How often the messages of this batch were returned to their queue before. */
  readonly retries?: number;
};

/**
 * The segments, and whether the ledger has settled them: the row at a segment's number, or else before it, has them, wholly inserted.
 * Of a segment that was inserted in part, it is not known which part once retention has dropped its clicks. Rows are compared as in the
 * index, so that Postgres takes the one before from there, however many rows it expects an isolate to have.
 */
const KNOWN = (segments: Arrays<keyof SegmentEntry>) => sql`
    SELECT segment.*, COALESCE((
        SELECT kept.isolate_id = segment.isolate_id AND kept.first_sequence + kept.click_count > segment.first_sequence
          AND (kept.inserted = kept.click_count OR kept.inserted > 0
            AND to_timestamp(segment.first_clicked_at_ms / 1000.0) < (SELECT kept_from FROM event_retention))
        FROM segment_ledger AS kept
        WHERE (kept.isolate_id, kept.first_sequence) <= (segment.isolate_id, segment.first_sequence) AND kept.click_count > 0
        ORDER BY kept.isolate_id DESC, kept.first_sequence DESC LIMIT 1
      ), false) AS is_known
    FROM ${mustCountIn("postgres")} CROSS JOIN ${unnest("segment", SEGMENT_COLUMNS, segments)}`;

const isUnknown = (segmentOfRow: readonly number[]) =>
  sql`NOT (ARRAY(SELECT is_known FROM segment ORDER BY position))[(${segmentOfRow}::integer[])[click.position] + 1]`;

/** Read by everything that is counted. */
const FRESH = sql`
    SELECT link_id, date_bin('15 minutes', clicked_at, 'epoch') AS bucket_start, class, workspace_id, domain_id,
      count(*) AS clicks, 0::bigint AS hashes, max(clicked_at) AS last_clicked_at
    FROM inserted
    GROUP BY 1, 2, 3, 4, 5`;

/** Clicks in quarters of an hour that this statement adds to: a workspace with so many may have its day made while it runs. */
const BUSY_CLICKS = 2_500;

/**
 * The days of these clicks, for the cube of analytics: today's is looked at each minute if it is busy, and else made when it is over, an
 * earlier one again. A day that will not be made before this statement is over is left alone, because every batch would wait for its row;
 * and a running one that is looked at soon. And the ledger, to be compacted: once for all batches of a minute.
 */
const WORK = sql`
    INSERT INTO work AS kept (kind, key, wanted_at, due_at)
    SELECT kind, key, due_at, due_at
    FROM (
      SELECT 'summary' AS kind, workspace_id::text || to_char(day AT TIME ZONE 'UTC', '/YYYY-MM-DD') AS key,
        CASE WHEN day + interval '24 hours' > now() AND clicks >= ${BUSY_CLICKS} THEN now() + interval '1 minute'
          ELSE greatest(now(), day + interval '24 hours') + interval '10 minutes' END AS due_at,
        day + interval '24 hours' > now() AS is_open
      FROM (SELECT workspace_id, day, sum(clicks) AS clicks FROM workspace_rolled_up GROUP BY 1, 2) AS touched
      WHERE (SELECT count(*) FROM capped) >= 0
      UNION ALL
      SELECT 'ledger', 'all', now() + interval '45 seconds', false
    ) AS touched
    WHERE NOT EXISTS (
      SELECT FROM work WHERE work.kind = touched.kind AND work.key = touched.key
        AND CASE WHEN work.kind = 'ledger' THEN true
          WHEN is_open THEN lease IS NOT NULL OR work.due_at <= touched.due_at + interval '1 minute'
          ELSE lease IS NULL AND work.due_at > now() + interval '5 minutes' END
    )
    ORDER BY kind, key
    ON CONFLICT (kind, key) DO UPDATE SET revision = kept.revision + 1,
      due_at = CASE WHEN kept.lease IS NULL AND kept.wanted_at > now() - interval '1 hour' THEN excluded.due_at ELSE kept.due_at END
    RETURNING 1`;

/** The clicks of each segment that were new: all that were sent, or else the statement has failed. */
const countAll = (segments: readonly SegmentEntry[], segmentOfRow: readonly number[]) => {
  const counts = segments.map(() => 0);
  segmentOfRow.forEach((segment) => (counts[segment] = (counts[segment] ?? 0) + 1));
  return sql`
      SELECT segment.*, (${counts}::integer[])[segment.position] AS inserted, 0 AS rejected
      FROM segment
      WHERE NOT is_known`;
};
const countInserted = (eventIds: Arrays<ClickField>["eventId"], segmentOfRow: readonly number[]) => sql`
      SELECT segment.*, COALESCE(landed.inserted, 0) AS inserted, 0 AS rejected
      FROM segment
      LEFT JOIN (
        SELECT origin.segment, count(*)::integer AS inserted
        FROM inserted
        JOIN unnest(${eventIds}::uuid[], ${segmentOfRow}::integer[]) AS origin (event_id, segment) USING (event_id)
        GROUP BY 1
      ) landed ON landed.segment = segment.position - 1
      WHERE NOT is_known`;

// Counting the part before makes the ledger wait for it: parts of a WITH have no order of their own.
const ledger = (landed: Sql) =>
  ledgerUpsert(sql`
    FROM (${landed}
    ) segment
    WHERE (SELECT count(*) FROM enqueued) >= 0`);

function insertAll({ rows, segmentOfRow, segments, retries = 0 }: ClickBatch, isNewOnly: boolean): Sql {
  const clicks = toArrays(CLICK_COLUMNS, rows);
  const entries = toArrays(SEGMENT_COLUMNS, segments);
  const landed = isNewOnly ? countAll(segments, segmentOfRow) : countInserted(clicks.eventId, segmentOfRow);
  return sql`
  WITH segment AS MATERIALIZED (${KNOWN(entries)}
  ), inserted AS (${insertEvents(clicks, isUnknown(segmentOfRow), isNewOnly ? NEW_ONLY : SKIP_KNOWN)}
  ), fresh AS MATERIALIZED (${FRESH}
  ), rolled_up AS (${ROLLUPS}
  ), workspace_rolled_up AS (${WORKSPACE_ROLLUPS}
  ), totalled AS (${LINK_TOTALS}
  ), via AS (
    SELECT inserted.link_id, slug, clicked_at FROM ${aliasedClicks(rows, segmentOfRow)}
    JOIN inserted USING (event_id) WHERE inserted.link_id <> ${NO_LINK}
  ), aliased AS (${ALIASES}
  ), capped_links AS (${CAPPED_LINKS}
  ), capped AS (${CAPS}
  ), enqueued AS (${WORK}
  ), settled AS (${ledger(landed)}
  ), duplicated AS (${DUPLICATES}
  ), counted AS (${countIngest(entries.sentCount, retries)}
  )
  SELECT (SELECT count(*) FROM inserted)::int AS inserted, (SELECT count(*) FROM settled)::int AS settled,
    (SELECT count(*) FROM capped WHERE is_used_up)::int AS used_up`;
}

/** Fails if a click is there already. Skipping those costs a quarter of the whole statement, so it is the second try. */
const NEW_ONLY = sql``;
const SKIP_KNOWN = sql`ON CONFLICT DO NOTHING`;

export type InsertedClicks = {
  /** Clicks that were new. */
  readonly inserted: number;
  /** Links that reached their fast cap by this batch, and that the edge still redirects. */
  readonly usedUpLinks: number;
};

/** Writes the batch. Rejects as `RunSql` does; then nothing was written, or the answer was lost. */
export async function insertBatch(
  runSql: RunSql,
  batch: ClickBatch,
  timeoutMs: number,
): Promise<InsertedClicks> {
  const insertUnknown = () => runSql(insertAll(batch, false), timeoutMs);
  const insertNew = () =>
    runSql(insertAll(batch, true), timeoutMs).catch((error: unknown) => {
      if (toDatabaseFailure(error).sqlState !== UNIQUE_VIOLATION) {
        throw error;
      }
      return insertUnknown();
    });
  const [row] = await ((batch.retries ?? 0) > 0 ? insertUnknown() : insertNew());
  const { inserted, used_up: usedUpLinks } = row ?? {};
  if (typeof inserted !== "number" || typeof usedUpLinks !== "number") {
    throw new Error("invariant: the insert statement returns one row of whole numbers");
  }
  return { inserted, usedUpLinks };
}

/** The same, resolving to how many clicks were new. */
export async function insertClicks(runSql: RunSql, batch: ClickBatch, timeoutMs: number): Promise<number> {
  return (await insertBatch(runSql, batch, timeoutMs)).inserted;
}

/**
 * Writes clicks, their rollups and the ledger rows of their segments in one statement: all of it, or nothing. A click
 * that is already there, or of a segment that the ledger has settled, is skipped and counted nowhere, so a batch may be delivered any
 * number of times.
 *
 * Every statement takes its locks in one order (events, rollups, totals, caps, days, ledger, its sums; each by key), so any number of batches for
 * one hot link wait for each other in a queue and never deadlock.
 */
import { toDatabaseFailure, UNIQUE_VIOLATION } from "../database-failure.ts";
import type { RunSql } from "../neon-client.ts";
import { quarterOf } from "../ledger/ledger-accounts.ts";
import { type Sql, sql } from "../sql.ts";
import { CLICK_COLUMNS, type ClickRow } from "./click-row.ts";
import { type Arrays, COMMA, toArrays, unnest } from "./columns.ts";
import { countIngest } from "./ingest-counters.ts";
import { ledgerUpsert, SEGMENT_COLUMNS, type SegmentEntry } from "./segment-entry.ts";

/**
 * Clicks in one statement, at most. The more, the fewer rows of the counts are written for each click, and the fewer writers wait for each
 * other: beside three others, one of 5,000 took Postgres 19 µs a click and one of 1,000 took 47 (load-tests/results/2026-11-25-runs.md). Not more,
 * because all writers of a slow database have to be done before their time is up, those too that wait for a hot link.
 */
export const MAX_BATCH_CLICKS = 5_000;

export type ClickBatch = {
  /** At most `MAX_BATCH_CLICKS`. No two have the same event id. */
  readonly rows: readonly ClickRow[];
  /** For each row, the index of its segment in `segments`. */
  readonly segmentOfRow: readonly number[];
  /** No two have the same isolate and first sequence. */
  readonly segments: readonly SegmentEntry[];
  /** How often the messages of this batch were returned to their queue before. */
  readonly retries?: number;
};

/**
 * The link of clicks whose link has no row any more: late ones, and those that were removed. A row of a count either has an owner or is
 * of this link.
 */
export const NO_LINK: Sql = sql`'00000000-0000-0000-0000-000000000000'::uuid`;

const STORED_COLUMNS = CLICK_COLUMNS.filter(({ field }) => field !== "clickedAtMs").map(({ name }) => name);
const STORED = sql.join(STORED_COLUMNS, COMMA);
const STORED_VALUES = sql.join(
  CLICK_COLUMNS.filter(({ field }) => field !== "clickedAtMs").map(({ name, field }) =>
    field === "linkId" ? sql`COALESCE(links.id, ${NO_LINK})` : sql`click.${name}`,
  ),
  COMMA,
);

/**
 * The segments, and whether the ledger has settled them: the row at a segment's number, or else before it, has them, wholly inserted.
 * Of a segment that was inserted in part, nobody knows which part once retention has dropped its clicks. Rows are compared as in the
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
    FROM ${unnest("segment", SEGMENT_COLUMNS, segments)}`;

const events = (clicks: Arrays<keyof ClickRow>, segmentOfRow: readonly number[], onConflict: Sql) => sql`
    INSERT INTO click_events (clicked_at, workspace_id, domain_id, ${STORED})
    SELECT to_timestamp(click.clicked_at_ms / 1000.0), links.workspace_id, links.domain_id, ${STORED_VALUES}
    FROM ${unnest("click", CLICK_COLUMNS, clicks)}
    LEFT JOIN links ON links.id = click.link_id
    WHERE NOT (ARRAY(SELECT is_known FROM segment ORDER BY position))[(${segmentOfRow}::integer[])[click.position] + 1]
    ORDER BY click.clicked_at_ms, click.event_id
    ${onConflict}
    RETURNING event_id, clicked_at, link_id, workspace_id, domain_id, class`;

/** Read by everything that is counted. */
const FRESH = sql`
    SELECT link_id, date_bin('15 minutes', clicked_at, 'epoch') AS bucket_start, class, workspace_id, domain_id,
      count(*) AS clicks, max(clicked_at) AS last_clicked_at
    FROM inserted
    GROUP BY 1, 2, 3, 4, 5`;

/** For another rollup add another part like this one, and name it in `insertAll` before the ledger. */
const ROLLUPS = sql`
    INSERT INTO click_rollups AS rollup (link_id, bucket_start, class, workspace_id, domain_id, clicks)
    SELECT link_id, bucket_start, class, workspace_id, domain_id, clicks
    FROM fresh
    ORDER BY 1, 2, 3
    ON CONFLICT (link_id, bucket_start, class) DO UPDATE SET
      clicks = rollup.clicks + excluded.clicks
    RETURNING 1`;

// Counting the part before makes this one wait for it, so that every statement locks rows in the same order.
const WORKSPACE_ROLLUPS = sql`
    INSERT INTO workspace_rollups AS rollup (workspace_id, bucket_start, domain_id, class, clicks)
    SELECT workspace_id, bucket_start, domain_id, class, sum(clicks)
    FROM fresh
    WHERE workspace_id IS NOT NULL AND (SELECT count(*) FROM rolled_up) >= 0
    GROUP BY 1, 2, 3, 4
    ORDER BY 1, 2, 3, 4
    ON CONFLICT (workspace_id, bucket_start, domain_id, class) DO UPDATE SET
      clicks = rollup.clicks + excluded.clicks
    RETURNING workspace_id, date_bin('24 hours', bucket_start, 'epoch') AS day, clicks`;

const LINK_TOTALS = sql`
    INSERT INTO link_totals AS kept (link_id, human, total, last_clicked_at)
    SELECT link_id, COALESCE(sum(clicks) FILTER (WHERE class = 'human'), 0), sum(clicks), max(last_clicked_at)
    FROM fresh
    WHERE workspace_id IS NOT NULL AND (SELECT count(*) FROM workspace_rolled_up) >= 0
    GROUP BY 1
    ORDER BY 1
    ON CONFLICT (link_id) DO UPDATE SET
      human = kept.human + excluded.human,
      total = kept.total + excluded.total,
      last_clicked_at = GREATEST(kept.last_clicked_at, excluded.last_clicked_at)
    RETURNING 1`;

/**
 * Fast caps, counted with the clicks and so exactly once. The rows are locked in order first, because an UPDATE locks in
 * any order. A link without a cap costs one index look-up.
 */
const CAPPED_LINKS = sql`
    SELECT cap.link_id, clicked.clicks
    FROM (SELECT link_id, sum(clicks)::bigint AS clicks FROM fresh GROUP BY 1) clicked
    JOIN link_caps cap ON cap.link_id = clicked.link_id
    WHERE cap.mode = 'fast' AND (SELECT count(*) FROM totalled) >= 0
    ORDER BY cap.link_id
    FOR NO KEY UPDATE OF cap`;
const CAPS = sql`
    UPDATE link_caps AS cap SET used = cap.used + capped_links.clicks
    FROM capped_links WHERE cap.link_id = capped_links.link_id
    RETURNING cap.used >= cap.max_clicks AND NOT cap.published_used_up AS is_used_up`;

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
const countInserted = (eventIds: Arrays<keyof ClickRow>["eventId"], segmentOfRow: readonly number[]) => sql`
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

const DUPLICATES = sql`
    INSERT INTO ledger_sums AS kept (bucket_start, duplicates)
    SELECT ${quarterOf(sql`to_timestamp(first_clicked_at_ms / 1000.0)`)}, sum(sent_count)
    FROM segment WHERE is_known AND sent_count > 0 AND (SELECT count(*) FROM settled) >= 0
    GROUP BY 1
    ORDER BY 1
    ON CONFLICT (bucket_start) DO UPDATE SET duplicates = kept.duplicates + excluded.duplicates`;

function insertAll({ rows, segmentOfRow, segments, retries = 0 }: ClickBatch, isNewOnly: boolean): Sql {
  const clicks = toArrays(CLICK_COLUMNS, rows);
  const entries = toArrays(SEGMENT_COLUMNS, segments);
  const landed = isNewOnly ? countAll(segments, segmentOfRow) : countInserted(clicks.eventId, segmentOfRow);
  return sql`
  WITH segment AS MATERIALIZED (${KNOWN(entries)}
  ), inserted AS (${events(clicks, segmentOfRow, isNewOnly ? NEW_ONLY : SKIP_KNOWN)}
  ), fresh AS MATERIALIZED (${FRESH}
  ), rolled_up AS (${ROLLUPS}
  ), workspace_rolled_up AS (${WORKSPACE_ROLLUPS}
  ), totalled AS (${LINK_TOTALS}
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

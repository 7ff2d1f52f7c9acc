/**
 * Adds reports of the edge to the counters of the metrics, in one statement; what an isolate holds stays with its report. A report that is already there counts
 * nothing. Not part of the clicks' statement, because every writer updates the same few rows: here their locks are held
 * for one short statement. Rows are locked in key order, so two statements never deadlock.
 */
import { durationBucketOf, type EdgeReport, nameCell } from "@hopline/core/click/edge-report";
import { MISS_KINDS, nameOfKind } from "@hopline/core/click/missed-visits";
import type { RunSql } from "../neon-client.ts";
import { sql } from "../sql.ts";
import { toArrays, toColumns, unnest } from "./columns.ts";

export type EdgeReportRow = {
  /** With the report's number, its key. */
  readonly isolateId: string;
  readonly report: EdgeReport;
  /** IATA code; `null` if not known. */
  readonly colo: string | null;
  /** The shard that delivered it; absent where none did. */
  readonly queue?: string;
};

const REPORTS = toColumns({
  isolateId: "text",
  number: "bigint",
  colo: "text",
  entries: "bigint",
  bytes: "bigint",
  buffered: "bigint",
});
/** Of `ingest_counters`; the label is the data centre, or the queue, or none for gaps. */
const SUMS = toColumns({
  isolateId: "text",
  number: "bigint",
  metric: "text",
  label: "text",
  total: "bigint",
});
const CELLS = toColumns({
  isolateId: "text",
  number: "bigint",
  colo: "text",
  cacheTier: "text",
  outcome: "text",
  bucket: "smallint",
  answers: "bigint",
  totalMs: "bigint",
});
const AGES = toColumns({
  isolateId: "text",
  number: "bigint",
  colo: "text",
  bucket: "smallint",
  ageMs: "bigint",
});

/** Of `missed_visits`. */
const MISSES = toColumns({
  isolateId: "text",
  number: "bigint",
  domainId: "uuid",
  slug: "text",
  visits: "bigint",
});

function toMisses({ isolateId, report: { number, misses = [] } }: EdgeReportRow) {
  return misses.flatMap(([domainId, root, ended, unknown, slugs]) => {
    const kinds = MISS_KINDS.map((kind) => [nameOfKind(kind), { root, ended, unknown }[kind]] as const);
    return [...kinds, ...slugs]
      .filter(([, visits]) => visits > 0)
      .map(([slug, visits]) => ({ isolateId, number, domainId, slug, visits }));
  });
}

/** What of a report's facts is counted, as `edge_…`. */
const COUNTED_FACTS = ["evictions", "refused", "kv", "db", "hedged"] as const;

function toSums({ isolateId, report: { number, feedGaps, facts }, colo, queue }: EdgeReportRow) {
  const gaps = { isolateId, number, metric: "feed_gaps", label: "", total: feedGaps };
  const counted = COUNTED_FACTS.map((name) => ({
    isolateId,
    number,
    metric: `edge_${name}`,
    label: colo ?? "",
    total: facts?.[name] ?? 0,
  }));
  const delivered = {
    isolateId,
    number,
    metric: "queue",
    label: queue ?? "",
    total: queue === undefined ? 0 : 1,
  };
  return [gaps, delivered, ...counted].filter(({ total }) => total > 0);
}

/** Counts each report once. Rejects as `RunSql` does; then none of them was counted, or the answer was lost. */
export async function insertEdgeReports(
  runSql: RunSql,
  reports: readonly EdgeReportRow[],
  timeoutMs: number,
): Promise<void> {
  // A report that is twice in the statement would count twice.
  const rows = [...new Map(reports.map((row) => [`${row.isolateId}/${row.report.number}`, row])).values()];
  const cells = rows.flatMap(({ isolateId, report: { number, cells: counted }, colo }) =>
    counted.flatMap(({ cell, answers, totalMs }) => {
      const name = nameCell(cell);
      if (name === null) {
        return [];
      }
      const { tier: cacheTier, outcome, bucket } = name;
      return [{ isolateId, number, colo: colo ?? "", cacheTier, outcome, bucket, answers, totalMs }];
    }),
  );
  const ages = rows.flatMap(({ isolateId, report: { number, feedAgeMs: ageMs }, colo }) =>
    ageMs === null ? [] : [{ isolateId, number, colo: colo ?? "", bucket: durationBucketOf(ageMs), ageMs }],
  );
  const sums = rows.flatMap((row) => toSums(row));
  const misses = rows.flatMap((row) => toMisses(row));
  const numbers = rows.map(({ isolateId, report: { number, facts }, colo }) => ({
    isolateId,
    number,
    colo: colo ?? "",
    entries: facts?.entries ?? null,
    bytes: facts?.bytes ?? null,
    buffered: facts?.buffered ?? null,
  }));
  await runSql(
    sql`
      WITH fresh AS (
        INSERT INTO edge_reports (isolate_id, number, colo, entries, bytes, buffered)
        SELECT isolate_id, number, colo, entries, bytes, buffered
        FROM ${unnest("report", REPORTS, toArrays(REPORTS, numbers))}
        ORDER BY 1, 2
        ON CONFLICT DO NOTHING
        RETURNING isolate_id, number
      ), counted AS (
        INSERT INTO edge_answers AS counter (colo, cache_tier, outcome, bucket, answers, total_ms)
        SELECT colo, cache_tier, outcome, bucket, sum(answers), sum(total_ms)
        FROM ${unnest("cell", CELLS, toArrays(CELLS, cells))} JOIN fresh USING (isolate_id, number)
        GROUP BY 1, 2, 3, 4
        ORDER BY 1, 2, 3, 4
        ON CONFLICT (colo, cache_tier, outcome, bucket) DO UPDATE SET
          answers = counter.answers + excluded.answers, total_ms = counter.total_ms + excluded.total_ms
        RETURNING 1
      ), summed AS (
        -- The time of a queue is that of its last report. The others have none: the last click has the newest.
        INSERT INTO ingest_counters AS counter (metric, label, shard, total, counted_at)
        SELECT metric, label, 0, sum(total), CASE WHEN metric = 'queue' THEN now() ELSE to_timestamp(0) END
        FROM ${unnest("sum", SUMS, toArrays(SUMS, sums))} JOIN fresh USING (isolate_id, number)
        GROUP BY 1, 2
        ORDER BY 1, 2
        ON CONFLICT (metric, label, shard) DO UPDATE SET
          total = counter.total + excluded.total, counted_at = excluded.counted_at
      ), aged AS (
        INSERT INTO edge_feed_ages AS counter (colo, bucket, reports, total_ms)
        SELECT colo, bucket, count(*), sum(age_ms)
        FROM ${unnest("age", AGES, toArrays(AGES, ages))} JOIN fresh USING (isolate_id, number)
        WHERE (SELECT count(*) FROM counted) >= 0
        GROUP BY 1, 2
        ORDER BY 1, 2
        ON CONFLICT (colo, bucket) DO UPDATE SET
          reports = counter.reports + excluded.reports, total_ms = counter.total_ms + excluded.total_ms
        RETURNING 1
      ), missed AS (
        INSERT INTO missed_visits AS kept (domain_id, day, slug, visits)
        SELECT domain_id, (now() AT TIME ZONE 'UTC')::date, slug, sum(visits)
        FROM ${unnest("miss", MISSES, toArrays(MISSES, misses))} JOIN fresh USING (isolate_id, number)
        WHERE EXISTS (SELECT FROM domains WHERE id = domain_id) AND (SELECT count(*) FROM aged) >= 0
        GROUP BY 1, 3
        ORDER BY 1, 3
        ON CONFLICT (domain_id, day, slug) DO UPDATE SET
          visits = kept.visits + excluded.visits, last_at = excluded.last_at
        RETURNING domain_id, day
      )
      SELECT keep_most_missed(array_agg(DISTINCT domain_id), day) FROM missed GROUP BY day`,
    timeoutMs,
  );
}

/**
 * Adds reports of the edge to the counters of the metrics, in one statement: a report that is there already feeds
 * nothing. By itself and not with the clicks, because every writer rewrites the same few rows: here their locks are
 * held for one short statement. Rows are taken in key order, so that two statements never wait in a circle.
 */
import { durationBucketOf, type EdgeReport, nameCell } from "@hopline/core/click/edge-report";
import type { RunSql } from "../neon-client.ts";

export type EdgeReportRow = {
  /** With the report's number, its key. */
  readonly isolateId: string;
  readonly report: EdgeReport;
  /** IATA code; `null`: not known. */
  readonly colo: string | null;
};

const STATEMENT = `
  WITH fresh AS (
    INSERT INTO edge_reports (isolate_id, number)
    SELECT DISTINCT isolate_id, number FROM unnest($1::text[], $2::bigint[]) AS report (isolate_id, number)
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING
    RETURNING isolate_id, number
  ), counted AS (
    INSERT INTO edge_answers AS counter (colo, cache_tier, outcome, bucket, answers, total_ms)
    SELECT colo, cache_tier, outcome, bucket, sum(answers), sum(total_ms)
    FROM unnest($3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::smallint[], $9::bigint[], $10::bigint[])
      AS cell (isolate_id, number, colo, cache_tier, outcome, bucket, answers, total_ms)
    JOIN fresh USING (isolate_id, number)
    GROUP BY 1, 2, 3, 4
    ORDER BY 1, 2, 3, 4
    ON CONFLICT (colo, cache_tier, outcome, bucket) DO UPDATE SET
      answers = counter.answers + excluded.answers, total_ms = counter.total_ms + excluded.total_ms
    RETURNING 1
  )
  INSERT INTO edge_feed_ages AS counter (colo, bucket, reports, total_ms)
  SELECT colo, bucket, count(*), sum(age_ms)
  FROM unnest($11::text[], $12::bigint[], $13::text[], $14::smallint[], $15::bigint[])
    AS age (isolate_id, number, colo, bucket, age_ms)
  JOIN fresh USING (isolate_id, number)
  WHERE (SELECT count(*) FROM counted) >= 0
  GROUP BY 1, 2
  ORDER BY 1, 2
  ON CONFLICT (colo, bucket) DO UPDATE SET
    reports = counter.reports + excluded.reports, total_ms = counter.total_ms + excluded.total_ms`;

/** Counts each report once. Rejects as `RunSql` does; then none of them was counted, or the answer was lost. */
export async function insertEdgeReports(
  runSql: RunSql,
  reports: readonly EdgeReportRow[],
  timeoutMs: number,
): Promise<void> {
  // The same report twice in a statement would be counted twice.
  const rows = [...new Map(reports.map((row) => [`${row.isolateId}/${row.report.number}`, row])).values()];
  const cells = rows.flatMap((row) =>
    row.report.cells.flatMap((cell) => {
      const name = nameCell(cell.cell);
      return name === null ? [] : [{ ...row, cell, name }];
    }),
  );
  const ages = rows.flatMap((row) =>
    row.report.feedAgeMs === null ? [] : [{ ...row, ageMs: row.report.feedAgeMs }],
  );
  await runSql(
    STATEMENT,
    [
      rows.map(({ isolateId }) => isolateId),
      rows.map(({ report }) => report.number),
      cells.map(({ isolateId }) => isolateId),
      cells.map(({ report }) => report.number),
      cells.map(({ colo }) => colo ?? ""),
      cells.map(({ name }) => name.tier),
      cells.map(({ name }) => name.outcome),
      cells.map(({ name }) => name.bucket),
      cells.map(({ cell }) => cell.answers),
      cells.map(({ cell }) => cell.totalMs),
      ages.map(({ isolateId }) => isolateId),
      ages.map(({ report }) => report.number),
      ages.map(({ colo }) => colo ?? ""),
      ages.map(({ ageMs }) => durationBucketOf(ageMs)),
      ages.map(({ ageMs }) => ageMs),
    ],
    timeoutMs,
  );
}

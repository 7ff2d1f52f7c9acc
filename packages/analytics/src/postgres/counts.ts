/** The statements of totals and series. Counts are selected as float8: exact up to 2^53. */
import { type SQL, sql } from "drizzle-orm";
import type { Counts, Question, SeriesPart, TotalsPart } from "../engine.ts";
import { selectHits } from "./hits.ts";
import type { Row, Statement } from "./snapshot.ts";
import { createStatementTables } from "./statement-tables.ts";
import { selectVisitors, visitorScopeOf } from "./visitors.ts";

/** A statement, and the multiranges in which it reads single clicks. */
export type Counted<Answer> = Statement<Answer> & { readonly eventSpans: readonly SQL[] };

/** Totals are a series of one bucket. */
export function countTotals({ question, visitors }: Omit<TotalsPart, "kind">): Counted<Counts> {
  const { read, ...counted } = countSeries({ question, visitors, startsMs: null });
  return { ...counted, read: (rows) => read(rows)[0] ?? toCounts({}, visitors) };
}

type AskedSeries = Omit<SeriesPart, "kind" | "startsMs"> & { readonly startsMs: readonly number[] | null };

/** One count for each start, zero for buckets without clicks. The buckets are sent as instants: the server's time zone data does not matter. */
export function countSeries({ question, startsMs, visitors }: AskedSeries): Counted<readonly Counts[]> {
  const buckets = startsMs ?? [question.range.fromMs];
  const scope = visitors ? visitorScopeOf(question) : null;
  const isFromEvents = visitors && scope === null;
  const tables = createStatementTables();
  const hits = selectHits(
    question,
    { visitors: isFromEvents, ...(startsMs === null ? {} : { boundariesMs: startsMs }) },
    tables,
  );
  const bucket = startsMs === null ? sql`1` : bucketOf(startsMs);
  const clicks = sql`SELECT ${bucket} AS bucket, COALESCE(sum(clicks), 0)::float8 AS clicks,
      ${isFromEvents ? sql`count(DISTINCT visitor)` : sql`NULL`}::float8 AS visitors
    FROM (${hits.query}) AS hits GROUP BY 1`;
  const seen = scope === null ? null : selectVisitors(question, scope, buckets);
  const query =
    seen === null
      ? clicks
      : sql`SELECT bucket, counted.clicks, seen.visitors::float8 AS visitors FROM (${clicks}) AS counted
          LEFT JOIN (${seen.query}) AS seen ON seen.key = bucket`;
  return {
    query: sql`${tables.toWith()}${query}`,
    eventSpans: [...hits.eventSpans, ...(seen === null ? [] : [seen.eventSpans])],
    read: (rows) => {
      const byBucket = new Map(rows.map((row) => [Number(row["bucket"]), row]));
      return buckets.map((_start, index) => toCounts(byBucket.get(index + 1) ?? {}, visitors));
    },
  };
}

/** The bucket of `at`, from 1. */
export function bucketOf(startsMs: readonly number[]): SQL {
  const starts = sql.param(startsMs.map((atMs) => new Date(atMs).toISOString()));
  return sql`width_bucket(at, ${starts}::timestamptz[])`;
}

export function toCounts(row: Row, visitors: boolean): Counts {
  return { clicks: Number(row["clicks"] ?? 0), visitors: visitors ? Number(row["visitors"] ?? 0) : null };
}

/** One boolean for each of the lists: no single click that it needs has been removed by retention. */
export function isEachComplete(
  { workspaceId }: Question,
  lists: readonly (readonly SQL[])[],
): Statement<readonly boolean[]> {
  const columns = lists.map((spans, index) => {
    const isComplete = sql`NOT EXISTS (
        SELECT FROM event_retention CROSS JOIN unnest(${sql.join([sql`'{}'::tstzmultirange`, ...spans], sql` + `)}) AS needed
        WHERE lower(needed) < kept_from AND EXISTS (
          SELECT FROM workspace_rollups WHERE workspace_id = ${workspaceId}::uuid
            AND bucket_start > lower(needed) - interval '15 minutes' AND bucket_start < LEAST(upper(needed), kept_from)
        ))`;
    return sql`${spans.length === 0 ? sql`true` : isComplete} AS ${sql.raw(`complete_${index}`)}`;
  });
  return {
    query: sql`SELECT ${sql.join(columns, sql`, `)}`,
    read: ([row]) => lists.map((_spans, index) => row?.[`complete_${index}`] === true),
  };
}

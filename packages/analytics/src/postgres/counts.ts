/** The statement of a series. Counts are selected as float8: exact up to 2^53. */
import type { SqlRow } from "@hopline/db/neon-client";
import { type Sql, sql } from "@hopline/db/sql";
import type { Counts, Question, SeriesPart } from "../engine.ts";
import { selectHits } from "./hits.ts";
import type { Statement } from "./snapshot.ts";
import { createStatementTables } from "./statement-tables.ts";
import { selectVisitors, visitorScopeOf } from "./visitors.ts";

/** A statement, and the multiranges in which it reads single clicks. */
export type Counted<Answer> = Statement<Answer> & { readonly eventSpans: readonly Sql[] };

/** One count for each start, zero for buckets without clicks. The buckets are sent as instants: the server's time zone data does not matter. */
export function countSeries({ question, startsMs, visitors }: SeriesPart): Counted<readonly Counts[]> {
  const isTotal = startsMs.length === 1;
  const scope = visitors ? visitorScopeOf(question) : null;
  const isFromEvents = visitors && scope === null;
  const tables = createStatementTables();
  const boundaries = isTotal ? {} : { boundariesMs: startsMs };
  const hits = selectHits(question, { visitors: isFromEvents, ...boundaries }, tables);
  const clicks = sql`SELECT ${isTotal ? sql`1` : bucketOf(startsMs)} AS bucket, COALESCE(sum(clicks), 0)::float8 AS clicks,
      ${isFromEvents ? sql`count(DISTINCT visitor)` : sql`NULL`}::float8 AS visitors
    FROM (${hits.query}) AS hits GROUP BY 1`;
  const seen = scope === null ? null : selectVisitors(question, scope, startsMs);
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
      return startsMs.map((_start, index) => toCounts(byBucket.get(index + 1) ?? {}, visitors));
    },
  };
}

/** The bucket of `at`, from 1. */
export function bucketOf(startsMs: readonly number[]): Sql {
  return sql`width_bucket(at, ${startsMs.map((atMs) => new Date(atMs).toISOString())}::timestamptz[])`;
}

export function toCounts(row: SqlRow, visitors: boolean): Counts {
  return { clicks: Number(row["clicks"] ?? 0), visitors: visitors ? Number(row["visitors"] ?? 0) : null };
}

/** One boolean for each of the lists: no single click that it needs has been removed by retention. */
export function isEachComplete(
  { workspaceId }: Question,
  lists: readonly (readonly Sql[])[],
): Statement<readonly boolean[]> {
  const columns = lists.map((spans, index) => {
    const isComplete = sql`NOT EXISTS (
        SELECT FROM event_retention CROSS JOIN unnest(${sql.join([sql`'{}'::tstzmultirange`, ...spans], sql` + `)}) AS needed
        WHERE lower(needed) < kept_from AND EXISTS (
          SELECT FROM workspace_rollups WHERE workspace_id = ${workspaceId}::uuid
            AND bucket_start > lower(needed) - interval '15 minutes' AND bucket_start < LEAST(upper(needed), kept_from)
        ))`;
    return sql`${spans.length === 0 ? sql`true` : isComplete} AS ${sql.identifier(`complete_${index}`)}`;
  });
  return {
    query: sql`SELECT ${sql.join(columns, sql`, `)}`,
    read: ([row]) => lists.map((_spans, index) => row?.[`complete_${index}`] === true),
  };
}

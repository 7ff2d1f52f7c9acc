/** One statement for each kind of answer, and how its rows are read. Counts are selected as float8: exact up to 2^53. */
import { type SQL, sql } from "drizzle-orm";
import type { Dimension } from "@hopline/analytics/dimension";
import { type Hits, selectHits } from "./hits.ts";
import type { Question } from "./question.ts";
import type { Row, Statement } from "./run-statements.ts";
import { createStatementTables, type StatementTables } from "./statement-tables.ts";
import { selectVisitors, selectVisitorsByCountry, visitorScopeOf } from "./visitors.ts";

/** `visitors` is `null` unless it was asked for. */
export type Counts = { readonly clicks: number; readonly visitors: number | null };

export type CountOptions = { readonly visitors: boolean };

export function totals(question: Question, { visitors }: CountOptions): Statement<Counts> {
  const scope = visitors ? visitorScopeOf(question) : null;
  const seen = scope === null ? null : selectVisitors(question, scope, [question.range.fromMs]);
  const counts =
    seen === null
      ? countHits(visitors)
      : sql`${countHits(false)}, (SELECT sum(visitors) FROM (${seen}) AS seen)::float8 AS visitors`;
  const tables = createStatementTables();
  const hits = selectHits(question, { visitors: visitors && seen === null }, tables);
  return {
    summaries: seen === null ? hits.summaries : [question],
    query: sql`${tables.toWith()}SELECT ${counts} FROM (${hits.query}) AS hits`,
    read: ([row]) => toCounts(row ?? {}, visitors),
  };
}

/** One for each start, zero for buckets without clicks. */
export function series(
  question: Question,
  startsMs: readonly number[],
  { visitors }: CountOptions,
): Statement<readonly Counts[]> {
  const scope = visitors ? visitorScopeOf(question) : null;
  const tables = createStatementTables();
  const counted = countByBucket({ question, startsMs, visitors: visitors && scope === null }, tables);
  return {
    summaries: scope === null ? counted.summaries : [question],
    query:
      scope === null
        ? sql`${tables.toWith()}${counted.query}`
        : sql`${tables.toWith()}SELECT bucket, clicks, visitors::float8 AS visitors FROM (${counted.query}) AS counted
            LEFT JOIN (${selectVisitors(question, scope, startsMs)}) AS seen USING (bucket)`,
    read: (rows) => {
      const byBucket = new Map(rows.map((row) => [Number(row["bucket"]), row]));
      return startsMs.map((_start, index) => toCounts(byBucket.get(index + 1) ?? {}, visitors));
    },
  };
}

/** Clicks of all points of a series. Visitors can't be added up. */
export function addUp(points: readonly Counts[]): Counts {
  return { clicks: points.reduce((sum, { clicks }) => sum + clicks, 0), visitors: null };
}

type AskedSeries = CountOptions & {
  readonly question: Question;
  readonly startsMs: readonly number[];
};

/** The buckets are sent as instants, so that days do not depend on the server's time zone data. */
function countByBucket({ question, startsMs, visitors }: AskedSeries, tables: StatementTables): Hits {
  const starts = sql.param(startsMs.map((atMs) => new Date(atMs).toISOString()));
  const hits = selectHits(question, { visitors, boundariesMs: startsMs }, tables);
  const query = sql`SELECT width_bucket(at, ${starts}::timestamptz[]) AS bucket, ${countHits(visitors)}
    FROM (${hits.query}) AS hits GROUP BY 1`;
  return { ...hits, query };
}

export type ValueCount = Counts & {
  /** A link's or domain's UUID; `null`: unknown. */
  readonly value: string | null;
  /** Host and slug of a link, host of a domain. */
  readonly label: string | null;
};

export type Breakdown = {
  readonly values: readonly ValueCount[];
  /** Clicks of the values that are not listed. */
  readonly otherClicks: number;
  readonly otherValues: number;
  /** All clicks, each once. */
  readonly totalClicks: number;
};

export type BreakdownOptions = CountOptions & {
  readonly dimension: Dimension;
  /** The values with the most clicks. */
  readonly limit: number;
  /** Only values that contain this text (in the label, for links and domains), in any case. */
  readonly search?: string;
};

export type AskedBreakdown = BreakdownOptions & { readonly question: Question };

export function breakdown(question: Question, options: BreakdownOptions): Statement<Breakdown> {
  const tables = createStatementTables();
  const { query, summaries } = selectBreakdown({ ...options, question }, tables);
  return {
    summaries,
    query: sql`${tables.toWith()}${query} ORDER BY clicks DESC, value`,
    read: (rows) => toBreakdown(rows, options.visitors),
  };
}

/** All breakdowns in one statement: what several of them need is read once. */
export function breakdowns(asked: readonly AskedBreakdown[]): Statement<readonly Breakdown[]> {
  const tables = createStatementTables();
  const selected = asked.map((one) => selectBreakdown(one, tables));
  const lists = selected.map(
    ({ query }, index) => sql`SELECT ${index}::int AS list, top.* FROM (${query}) AS top`,
  );
  return {
    summaries: selected.flatMap(({ summaries }) => summaries),
    query:
      lists.length === 0
        ? sql`SELECT NULL AS list WHERE false`
        : sql`${tables.toWith()}${sql.join(lists, sql` UNION ALL `)} ORDER BY list, clicks DESC, value`,
    read: (rows) => {
      const byList = Map.groupBy(rows, (row) => Number(row["list"]));
      return asked.map(({ visitors }, index) => toBreakdown(byList.get(index) ?? [], visitors));
    },
  };
}

/** SELECT of the values of a breakdown in any order, with the sums of all of them in each row. */
function selectBreakdown(asked: AskedBreakdown, tables: StatementTables): Hits {
  const { question, dimension, limit, visitors, search = "" } = asked;
  const { counted, total, summaries } = countByValue({ question, dimension, visitors }, tables);
  const labelled = sql`(SELECT value, clicks, visitors, ${labelOf(dimension)} AS label FROM ${counted})`;
  const matching =
    search === "" ? sql`true` : sql`strpos(lower(coalesce(label, value::text)), lower(${search}::text)) > 0`;
  const common = sql`sum(clicks) OVER () AS matching_clicks, count(*) OVER () AS matching_values`;
  const query = sql`SELECT value::text AS value, label, clicks::float8 AS clicks, visitors::float8 AS visitors,
      matching_clicks::float8 AS matching_clicks, matching_values::float8 AS matching_values,
      (${total})::float8 AS total_clicks
    FROM (
      SELECT *, ${common} FROM ${search === "" ? counted : labelled} AS found WHERE ${matching}
      ORDER BY clicks DESC, value LIMIT ${limit}
    ) AS top${search === "" ? sql` CROSS JOIN LATERAL (SELECT ${labelOf(dimension)} AS label) AS labels` : sql``}`;
  return { query, summaries };
}

type Counted = {
  /** Table (value, clicks, visitors). A click on a link with two tags counts for both. */
  readonly counted: SQL;
  /** SELECT of all clicks, each once. */
  readonly total: SQL;
  readonly summaries: Hits["summaries"];
};

function countByValue(
  { question, dimension, visitors }: Pick<AskedBreakdown, "question" | "dimension" | "visitors">,
  tables: StatementTables,
): Counted {
  const scope = visitors ? visitorScopeOf({ ...question, dimension }) : null;
  const hits = selectHits(question, { dimension, visitors: visitors && scope === null }, tables);
  if (scope !== null) {
    const counted = tables.addOwn(
      "counted",
      sql`SELECT value, clicks, COALESCE(seen.visitors, 0) AS visitors
        FROM (SELECT value, sum(clicks) AS clicks FROM (${hits.query}) AS hits GROUP BY value) AS clicked
        LEFT JOIN (${selectVisitorsByCountry(question, scope)}) AS seen ON seen.country = COALESCE(value, '')`,
    );
    return { counted, total: sumOf(counted), summaries: [question] };
  }
  // For a tag, clicks are also subtracted, so a value may come to zero.
  const some = sql`HAVING sum(clicks) > 0`;
  const counts = sql`value, sum(clicks) AS clicks, ${visitors ? sql`count(DISTINCT visitor)` : sql`NULL::bigint`} AS visitors`;
  if (dimension !== "tag") {
    const byValue = sql`SELECT ${counts} FROM (${hits.query}) AS hits GROUP BY value ${some}`;
    const counted = tables.addOwn("counted", byValue);
    return { counted, total: sumOf(counted), summaries: hits.summaries };
  }
  const byLink = tables.addOwn(
    "by_link",
    sql`SELECT value AS link_id, visitor, sum(clicks) AS clicks FROM (${hits.query}) AS hits GROUP BY 1, 2 ${some}`,
  );
  const byTag = sql`SELECT ${counts} FROM (
      SELECT tag AS value, clicks, visitor FROM ${byLink} AS by_link
      LEFT JOIN links ON links.id = by_link.link_id::uuid
      LEFT JOIN LATERAL unnest(links.tags) AS tag ON true
    ) AS tagged GROUP BY value`;
  return { counted: tables.addOwn("counted", byTag), total: sumOf(byLink), summaries: hits.summaries };
}

function sumOf(counted: SQL): SQL {
  return sql`SELECT sum(clicks) FROM ${counted}`;
}

function labelOf(dimension: Dimension): SQL {
  if (dimension === "link") {
    return sql`(SELECT domains.host || '/' || links.slug FROM links JOIN domains ON domains.id = links.domain_id
        WHERE links.id = value::uuid)`;
  }
  return dimension === "domain" ? sql`(SELECT host FROM domains WHERE id = value)` : sql`NULL::text`;
}

function toBreakdown(rows: readonly Row[], visitors: boolean): Breakdown {
  const values = rows.map((row) => ({
    ...toCounts(row, visitors),
    value: toText(row["value"]),
    label: toText(row["label"]),
  }));
  const listed = values.reduce((sum, { clicks }) => sum + clicks, 0);
  const [first = {}] = rows;
  return {
    values,
    otherClicks: toNumber(first["matching_clicks"]) - listed,
    otherValues: toNumber(first["matching_values"]) - values.length,
    totalClicks: toNumber(first["total_clicks"]),
  };
}

function countHits(visitors: boolean): SQL {
  const clicks = sql`coalesce(sum(clicks), 0)::float8 AS clicks`;
  return visitors ? sql`${clicks}, count(DISTINCT visitor)::float8 AS visitors` : clicks;
}

function toCounts(row: Row, visitors: boolean): Counts {
  return { clicks: toNumber(row["clicks"]), visitors: visitors ? toNumber(row["visitors"]) : null };
}

function toNumber(cell: unknown): number {
  return cell === null || cell === undefined ? 0 : Number(cell);
}

function toText(cell: unknown): string | null {
  return typeof cell === "string" ? cell : null;
}

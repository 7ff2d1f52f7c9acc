/** The statement of all breakdowns of a request: what several of them need is read once. */
import { type SQL, sql } from "drizzle-orm";
import type { Dimension } from "../dimension.ts";
import type { Breakdown, BreakdownPart } from "../engine.ts";
import { toCounts } from "./counts.ts";
import { selectHits } from "./hits.ts";
import type { Row, Statement } from "./snapshot.ts";
import { createStatementTables, type StatementTables } from "./statement-tables.ts";
import { selectVisitors, visitorScopeOf } from "./visitors.ts";

type Found = Omit<Breakdown, "complete">;

export type CountedBreakdowns = Statement<readonly Found[]> & {
  /** By breakdown: the multiranges in which it reads single clicks. */
  readonly eventSpans: readonly (readonly SQL[])[];
};

export function countBreakdowns(asked: readonly BreakdownPart[]): CountedBreakdowns {
  const tables = createStatementTables();
  const selected = asked.map((one) => selectBreakdown(one, tables));
  const lists = selected.map(
    ({ query }, index) => sql`SELECT ${index}::int AS list, top.* FROM (${query}) AS top`,
  );
  return {
    eventSpans: selected.map(({ eventSpans }) => eventSpans),
    query: sql`${tables.toWith()}${sql.join(lists, sql` UNION ALL `)} ORDER BY list, clicks DESC, value`,
    read: (rows) => {
      const byList = Map.groupBy(rows, (row) => Number(row["list"]));
      return asked.map(({ visitors }, index) => toBreakdown(byList.get(index) ?? [], visitors));
    },
  };
}

type Selected = { readonly query: SQL; readonly eventSpans: readonly SQL[] };

/** SELECT of the values of a breakdown in any order, with the sums of all of them in each row. */
function selectBreakdown(asked: BreakdownPart, tables: StatementTables): Selected {
  const { dimension, limit, search } = asked;
  const { counted, total, eventSpans } = countByValue(asked, tables);
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
  return { query, eventSpans };
}

type CountedValues = {
  /** Table (value, clicks, visitors). A click on a link with two tags counts for both. */
  readonly counted: SQL;
  /** SELECT of all clicks, each once. */
  readonly total: SQL;
  readonly eventSpans: readonly SQL[];
};

function countByValue(
  { question, dimension, visitors }: BreakdownPart,
  tables: StatementTables,
): CountedValues {
  const scope = visitors ? visitorScopeOf({ ...question, dimension }) : null;
  const isFromEvents = visitors && scope === null;
  const hits = selectHits(question, { dimension, visitors: isFromEvents }, tables);
  const unique = isFromEvents ? sql`count(DISTINCT visitor)` : sql`NULL::bigint`;
  const byValue = sql`SELECT value, sum(clicks) AS clicks, ${unique} AS visitors FROM (${hits.query}) AS hits GROUP BY value`;
  if (scope !== null) {
    const seen = selectVisitors(question, scope, [question.range.fromMs]);
    const counted = tables.addOwn(
      "counted",
      sql`SELECT value, clicks, COALESCE(seen.visitors, 0) AS visitors FROM (${byValue}) AS clicked
        LEFT JOIN (${seen.query}) AS seen ON seen.key = COALESCE(value::text, '')`,
    );
    return { counted, total: sumOf(counted), eventSpans: [...hits.eventSpans, seen.eventSpans] };
  }
  const { eventSpans } = hits;
  if (dimension !== "tag") {
    const counted = tables.addOwn("counted", byValue);
    return { counted, total: sumOf(counted), eventSpans };
  }
  const byLink = tables.addOwn(
    "by_link",
    sql`SELECT value AS link_id, visitor, sum(clicks) AS clicks FROM (${hits.query}) AS hits GROUP BY 1, 2`,
  );
  const byTag = sql`SELECT tag AS value, sum(clicks) AS clicks, ${unique} AS visitors FROM ${byLink} AS by_link
      LEFT JOIN links ON links.id = by_link.link_id
      LEFT JOIN LATERAL unnest(links.tags) AS tag ON true
    GROUP BY tag`;
  return { counted: tables.addOwn("counted", byTag), total: sumOf(byLink), eventSpans };
}

function sumOf(counted: SQL): SQL {
  return sql`SELECT sum(clicks) FROM ${counted}`;
}

function labelOf(dimension: Dimension): SQL {
  if (dimension === "link") {
    return sql`(SELECT domains.host || '/' || links.slug FROM links JOIN domains ON domains.id = links.domain_id
        WHERE links.id = value)`;
  }
  return dimension === "domain" ? sql`(SELECT host FROM domains WHERE id = value)` : sql`NULL::text`;
}

function toBreakdown(rows: readonly Row[], visitors: boolean): Found {
  const values = rows.map((row) => ({
    ...toCounts(row, visitors),
    value: toText(row["value"]),
    label: toText(row["label"]),
  }));
  const listed = values.reduce((sum, { clicks }) => sum + clicks, 0);
  const [first = {}] = rows;
  return {
    values,
    otherClicks: Number(first["matching_clicks"] ?? 0) - listed,
    otherValues: Number(first["matching_values"] ?? 0) - values.length,
    totalClicks: Number(first["total_clicks"] ?? 0),
  };
}

function toText(cell: unknown): string | null {
  return typeof cell === "string" ? cell : null;
}

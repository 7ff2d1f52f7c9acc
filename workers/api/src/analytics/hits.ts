/**
 * The clicks that a question is about, as a sub-SELECT: rows of (at, clicks, value, visitor), from rollups and
 * summaries where they are exact and from events where they are not. What is counted and how is left to the statement
 * around it.
 */
import { type SQL, sql } from "drizzle-orm";
import { type ColumnOf, eventColumn, toConditions } from "./conditions.ts";
import { columnOf, type Dimension } from "./dimension.ts";
import { type Piece, planPieces } from "./plan.ts";
import type { Question } from "./question.ts";
import type { InstantRange } from "./range.ts";
import { selectLinkSetHits } from "./link-set.ts";
import {
  chooseSources,
  choosesLinks,
  type CompleteName,
  linkSetMemberOf,
  type Needs,
  rolledDimensionOf,
  scopeOf,
  type SummaryName,
} from "./source.ts";
import { selectEvents, valueOf } from "./select-events.ts";
import {
  selectUsable,
  type SummaryNeed,
  uncoveredSpans,
  UNCOVERED_FROM,
  UNCOVERED_TO,
} from "./summary-periods.ts";
import { toTimestamp } from "./timestamp.ts";

const DAY_MS = 86_400_000;

export type Wanted = {
  /** What `value` holds; for `tag` the link. NULL in every row when left out. */
  readonly dimension?: Dimension;
  /** Whether `visitor` is needed; NULL in every row otherwise. */
  readonly visitors?: boolean;
  /** Instants that no row may lie across. */
  readonly boundariesMs?: readonly number[];
};

/** A sub-SELECT, and what it reads summaries of. */
export type Hits = { readonly query: SQL; readonly summaries: SummaryNeed | undefined };

export function selectHits(question: Question, wanted: Wanted): Hits {
  const needs = needsOf(question, wanted);
  const pieces = planPieces(question.range, chooseSources(needs), wanted.boundariesMs);
  const query = sql.join(
    pieces.map((piece) => selectPiece(piece, question, needs)),
    sql` UNION ALL `,
  );
  const isSummarised = pieces.some(({ source }) => source.kind === "summary");
  return { query, summaries: isSummarised ? question : undefined };
}

export function needsOf({ filters }: Question, { dimension, visitors = false, boundariesMs }: Wanted): Needs {
  return { filters, dimension, visitors, instants: boundariesMs !== undefined };
}
function selectPiece({ source, ...piece }: Piece, question: Question, needs: Needs): SQL {
  const edges = { from: toTimestamp(piece.fromMs), to: toTimestamp(piece.toMs) };
  if (source.kind === "complete") {
    return selectComplete(source.name, question, { ...edges, needs });
  }
  const member = linkSetMemberOf(needs);
  if (source.name === "linkSetDays" && member !== undefined) {
    return selectLinkSetHits({ question, range: piece, member }, needs);
  }
  // OFFSET 0: each span is looked up by an index; merged into one join, the planner would read every event there is.
  return sql`(WITH usable AS MATERIALIZED (${selectUsable(question.workspaceId, piece, scopeOf(needs))})
    ${selectSummary(source.name, { question, piece, needs })}
    UNION ALL
    SELECT hit.* FROM ${uncoveredSpans(edges)} CROSS JOIN LATERAL (
      ${selectComplete(source.otherwise, question, { from: UNCOVERED_FROM, to: UNCOVERED_TO, needs })} OFFSET 0
    ) AS hit)`;
}

type SummaryPart = { readonly question: Question; readonly piece: InstantRange; readonly needs: Needs };

/** The rows of the usable periods. */
function selectSummary(name: SummaryName, { question, piece, needs }: SummaryPart): SQL {
  const { table, at, clicks, column, isRow } = openSummary(name, needs);
  const conditions = sql.join(
    [
      sql`workspace_id = ${question.workspaceId}::uuid`,
      isOfUsablePeriod(piece, needs),
      ...isRow,
      ...toConditions(question.workspaceId, question.filters, column),
    ],
    sql` AND `,
  );
  const value = valueOf(needs.dimension, column);
  if (!isCut(name)) {
    return sql`SELECT ${at} AS at, ${clicks} AS clicks, ${value} AS value, NULL::uuid AS visitor
      FROM ${table} WHERE ${conditions}`;
  }
  // Counted by their small numbers first: to make instants of them costs more than all the rest. Only those of the
  // piece are wanted, the periods may go beyond it.
  return sql`SELECT at, clicks, value, NULL::uuid AS visitor FROM (
      SELECT period_start + quarter * interval '15 minutes' AS at, sum(part_clicks) AS clicks, value FROM (
        SELECT period_start, unnest(quarters) AS quarter, unnest(quarter_clicks) AS part_clicks, ${value} AS value
        FROM ${table} WHERE ${conditions}
      ) AS part GROUP BY period_start, quarter, value
    ) AS quarters WHERE at >= ${toTimestamp(piece.fromMs)} AND at < ${toTimestamp(piece.toMs)}`;
}

/**
 * Links are read one by one from an index in which each one's periods lie side by side: a list of periods would have it
 * searched for each of them anew, and the planner takes that for cheap. All others are read by period.
 */
function isOfUsablePeriod({ fromMs, toMs }: InstantRange, needs: Needs): SQL {
  return choosesLinks(needs)
    ? sql`period_start >= ${toTimestamp(fromMs - DAY_MS)} AND period_start < ${toTimestamp(toMs)}
        AND period_start <@ (SELECT range_agg(tstzrange(period_start, period_end)) FROM usable)`
    : sql`period_start = ANY(ARRAY(SELECT period_start FROM usable))`;
}

type CompletePart = { readonly from: SQL; readonly to: SQL; readonly needs: Needs };

function selectComplete(name: CompleteName, question: Question, { from, to, needs }: CompletePart): SQL {
  const { table, at, clicks } = COMPLETE[name];
  const conditions = [
    sql`workspace_id = ${question.workspaceId}::uuid`,
    sql`${at} >= ${from} AND ${at} < ${to}`,
    ...toConditions(question.workspaceId, question.filters, eventColumn),
  ];
  const value = valueOf(needs.dimension, eventColumn);
  if (name === "events") {
    return selectEvents(value, conditions, needs);
  }
  return sql`SELECT ${at} AS at, ${clicks} AS clicks, ${value} AS value, NULL::uuid AS visitor
    FROM ${table} WHERE ${sql.join(conditions, sql` AND `)}`;
}

const COMPLETE: Readonly<
  Record<CompleteName, { readonly table: SQL; readonly at: SQL; readonly clicks: SQL }>
> = {
  workspaceRollup: { table: sql`workspace_rollups`, at: sql`bucket_start`, clicks: sql`clicks` },
  linkRollup: { table: sql`click_rollups`, at: sql`bucket_start`, clicks: sql`clicks` },
  events: { table: sql`click_events`, at: sql`clicked_at`, clicks: sql`1::bigint` },
};

function isCut(name: SummaryName): boolean {
  return name === "dimensionQuarters" || name === "linkQuarters";
}

type Summary = {
  readonly table: SQL;
  readonly at: SQL;
  readonly clicks: SQL;
  readonly column: ColumnOf;
  /** Which rows of the table are meant, beside the filters. */
  readonly isRow: readonly SQL[];
};

function openSummary(name: SummaryName, needs: Needs): Summary {
  const whole = { at: sql`period_start`, clicks: sql`clicks` };
  switch (name) {
    case "linkDays":
    case "linkQuarters":
      return { ...whole, table: sql`link_summaries`, column: eventColumn, isRow: [] };
    case "dimensionDays":
    case "dimensionQuarters":
      return { ...whole, ...dimensionRows(needs), table: sql`dimension_summaries` };
    case "linkSetDays":
    case "scopeDays":
      return scopeRows(needs);
  }
}

/** dimension_summaries has its one dimension in `value`. */
function dimensionRows(needs: Needs): Pick<Summary, "column" | "isRow"> {
  return {
    column: (dimension) => (isOwnColumn(dimension) ? eventColumn(dimension) : sql`value`),
    isRow: [sql`dimension = ${columnOf(rolledDimensionOf(needs))}`],
  };
}

function scopeRows(needs: Needs): Summary {
  const scope = scopeOf(needs);
  if (scope === undefined) {
    throw new Error("invariant: scope_summaries is asked inside a link or a country");
  }
  const members = scope.member === "link" ? sql`member::uuid` : sql`member`;
  const chosen = scope.dimension === "link" ? sql`scope_value::uuid` : sql`scope_value`;
  return {
    table: sql`scope_summaries CROSS JOIN LATERAL unnest(member_values, member_clicks) AS part (member, part_clicks)`,
    at: sql`period_start`,
    clicks: sql`part_clicks::bigint`,
    column: (dimension) =>
      isOwnColumn(dimension) ? eventColumn(dimension) : dimension === scope.dimension ? chosen : members,
    isRow: [
      sql`scope = ${columnOf(scope.dimension)} AND scope_value = ${scope.value} AND dimension = ${columnOf(scope.member)}`,
    ],
  };
}

function isOwnColumn(dimension: Dimension): boolean {
  return dimension === "domain" || dimension === "class";
}

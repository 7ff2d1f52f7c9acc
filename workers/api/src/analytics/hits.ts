/**
 * The clicks that a question is about, as a sub-SELECT: rows of (at, clicks, value, visitor), from rollups and
 * summaries where they are exact and from events where they are not. What is counted and how is left to the statement
 * around it.
 */
import { type SQL, sql } from "drizzle-orm";
import { type ColumnOf, eventColumn, toConditions } from "./conditions.ts";
import { columnOf, type Dimension, type Filter } from "./dimension.ts";
import { type Piece, planPieces } from "./plan.ts";
import type { InstantRange } from "./range.ts";
import {
  chooseSources,
  type CompleteName,
  type Needs,
  rolledDimensionOf,
  scopeOf,
  type SummaryName,
} from "./source.ts";
import { selectUsable, uncoveredSpans, UNCOVERED_FROM, UNCOVERED_TO } from "./summary-periods.ts";
import { selectUsableWeeks, WEEK_OF_PERIOD, wholeWeeks } from "./summary-weeks.ts";
import { toTimestamp } from "./timestamp.ts";

export type Question = {
  readonly workspaceId: string;
  readonly range: InstantRange;
  readonly filters: readonly Filter[];
};

export type Wanted = {
  /** What `value` holds; for `tag` the link. NULL in every row when left out. */
  readonly dimension?: Dimension;
  /** Whether `visitor` is needed; NULL in every row otherwise. */
  readonly visitors?: boolean;
  /** Instants that no row may lie across. */
  readonly boundariesMs?: readonly number[];
};

export function selectHits(question: Question, wanted: Wanted): SQL {
  const needs: Needs = {
    filters: question.filters,
    dimension: wanted.dimension,
    visitors: wanted.visitors ?? false,
  };
  const pieces = planPieces(question.range, chooseSources(needs), wanted.boundariesMs);
  return sql.join(
    pieces.map((piece) => selectPiece(piece, question, { needs, boundariesMs: wanted.boundariesMs })),
    sql` UNION ALL `,
  );
}

type PieceOptions = { readonly needs: Needs; readonly boundariesMs?: readonly number[] | undefined };

function selectPiece(
  { source, ...piece }: Piece,
  question: Question,
  { needs, boundariesMs }: PieceOptions,
): SQL {
  const edges = { from: toTimestamp(piece.fromMs), to: toTimestamp(piece.toMs) };
  if (source.kind === "complete") {
    return selectComplete(source.name, question, { ...edges, needs });
  }
  const { workspaceId } = question;
  const weeksMs = isCut(source.name) ? [] : wholeWeeks(piece, boundariesMs);
  const scope = scopeOf(needs);
  const [levels, usableWeeks] =
    weeksMs.length === 0
      ? [[DAYS], sql``]
      : [
          [WEEKS, OTHER_DAYS],
          sql`, usable_weeks AS MATERIALIZED (${selectUsableWeeks(workspaceId, weeksMs, scope)})`,
        ];
  const rows = levels.map((level) => selectSummary(level, question, { name: source.name, edges, needs }));
  // OFFSET 0: each span is looked up by an index; merged into one join, the planner would read every event there is.
  return sql`(WITH usable AS MATERIALIZED (${selectUsable(workspaceId, piece, scope)})${usableWeeks}
    ${sql.join(rows, sql` UNION ALL `)}
    UNION ALL
    SELECT hit.* FROM ${uncoveredSpans(edges)} CROSS JOIN LATERAL (
      ${selectComplete(source.otherwise, question, { from: UNCOVERED_FROM, to: UNCOVERED_TO, needs })} OFFSET 0
    ) AS hit)`;
}

type SummaryPart = {
  readonly name: SummaryName;
  readonly edges: { readonly from: SQL; readonly to: SQL };
  readonly needs: Needs;
};

function selectSummary(level: Level, question: Question, { name, edges, needs }: SummaryPart): SQL {
  const { table, at, clicks, column, isRow } = openSummary(name, needs, level);
  const conditions = [
    sql`workspace_id = ${question.workspaceId}::uuid AND ${level.start} = ANY(ARRAY(${level.usable}))`,
    ...isRow,
    // Of rows cut to quarters of an hour only those of the piece; other rows are of periods inside it.
    ...(isCut(name) ? [sql`${at} >= ${edges.from} AND ${at} < ${edges.to}`] : []),
    ...toConditions(question.workspaceId, question.filters, column),
  ];
  return sql`SELECT ${at} AS at, ${clicks} AS clicks, ${valueOf(needs.dimension, column)} AS value, NULL::uuid AS visitor
    FROM ${table} WHERE ${sql.join(conditions, sql` AND `)}`;
}

type CompletePart = { readonly from: SQL; readonly to: SQL; readonly needs: Needs };

function selectComplete(name: CompleteName, question: Question, { from, to, needs }: CompletePart): SQL {
  const { table, at, clicks } = COMPLETE[name];
  const conditions = [
    sql`workspace_id = ${question.workspaceId}::uuid`,
    sql`${at} >= ${from} AND ${at} < ${to}`,
    ...toConditions(question.workspaceId, question.filters, eventColumn),
  ];
  return sql`SELECT ${at} AS at, ${clicks} AS clicks, ${valueOf(needs.dimension, eventColumn)} AS value,
      ${needs.visitors ? sql`visitor` : sql`NULL::uuid`} AS visitor
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

const QUARTERS = {
  unnested: sql`CROSS JOIN LATERAL unnest(quarters, quarter_clicks) AS part (quarter, part_clicks)`,
  at: sql`(period_start + quarter * interval '15 minutes')`,
  clicks: sql`part_clicks::bigint`,
};

/** The tables of one length of time: of days and the hours of those that go on, or of weeks. */
type Level = {
  readonly links: SQL;
  readonly dimensions: SQL;
  readonly scopes: SQL;
  /** The column that says when a row's time begins. */
  readonly start: SQL;
  /** SELECT of the starts whose rows are read. */
  readonly usable: SQL;
};

const DAYS: Level = {
  links: sql`link_summaries`,
  dimensions: sql`dimension_summaries`,
  scopes: sql`scope_summaries`,
  start: sql`period_start`,
  usable: sql`SELECT period_start FROM usable`,
};
const WEEKS: Level = {
  links: sql`link_weeks`,
  dimensions: sql`dimension_weeks`,
  scopes: sql`scope_weeks`,
  start: sql`week_start`,
  usable: sql`SELECT week_start FROM usable_weeks`,
};
/** Those that are in none of the weeks. */
const OTHER_DAYS: Level = {
  ...DAYS,
  usable: sql`${DAYS.usable} WHERE ${WEEK_OF_PERIOD} <> ALL(ARRAY(${WEEKS.usable}))`,
};

type Summary = {
  readonly table: SQL;
  readonly at: SQL;
  readonly clicks: SQL;
  readonly column: ColumnOf;
  /** Which rows of the table are meant, beside the filters. */
  readonly isRow: readonly SQL[];
};

function openSummary(name: SummaryName, needs: Needs, level: Level): Summary {
  const whole = { at: level.start, clicks: sql`clicks` };
  switch (name) {
    case "linkDays":
      return { ...whole, table: level.links, column: eventColumn, isRow: [] };
    case "linkQuarters":
      return {
        ...QUARTERS,
        table: sql`link_summaries ${QUARTERS.unnested}`,
        column: eventColumn,
        isRow: [],
      };
    case "dimensionDays":
      return { ...whole, ...dimensionRows(needs), table: level.dimensions };
    case "dimensionQuarters":
      return {
        ...dimensionRows(needs),
        ...QUARTERS,
        table: sql`dimension_summaries ${QUARTERS.unnested}`,
      };
    case "scopeDays":
      return scopeRows(needs, level);
  }
}

/** These tables have their one dimension in `value`. */
function dimensionRows(needs: Needs): Pick<Summary, "column" | "isRow"> {
  return {
    column: (dimension) => (isOwnColumn(dimension) ? eventColumn(dimension) : sql`value`),
    isRow: [sql`dimension = ${columnOf(rolledDimensionOf(needs))}`],
  };
}

function scopeRows(needs: Needs, level: Level): Summary {
  const scope = scopeOf(needs);
  if (scope === undefined) {
    throw new Error("invariant: scope_summaries is asked inside a link or a country");
  }
  const members = scope.member === "link" ? sql`member::uuid` : sql`member`;
  const chosen = scope.dimension === "link" ? sql`scope_value::uuid` : sql`scope_value`;
  return {
    table: sql`${level.scopes} CROSS JOIN LATERAL unnest(member_values, member_clicks) AS part (member, part_clicks)`,
    at: level.start,
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

function valueOf(dimension: Dimension | undefined, column: ColumnOf): SQL {
  if (dimension === undefined) {
    return sql`NULL::text`;
  }
  // Grouped as they are stored: a UUID is shorter than its text.
  return dimension === "link" || dimension === "tag" || dimension === "domain"
    ? column(dimension === "tag" ? "link" : dimension)
    : sql`NULLIF(${column(dimension)}, '')`;
}

/** The rows of summaries: of days, of the hours of an unfinished day, and of weeks instead of their days. */
import { type SQL, sql } from "drizzle-orm";
import { type ColumnOf, eventColumn, toConditions } from "./conditions.ts";
import { columnOf, type Dimension } from "@hopline/analytics/dimension";
import type { Question } from "./question.ts";
import type { SummaryRun } from "./plan.ts";
import type { InstantRange } from "@hopline/analytics/range";
import { memberValueOf, valueOf } from "./select-events.ts";
import { choosesLinks, type Needs, rolledDimensionOf, scopeOf, type SummaryName } from "./source.ts";
import type { StatementTables } from "./statement-tables.ts";
import { selectUsable } from "./summary-periods.ts";
import { selectUsableWeeks, WEEK_OF_PERIOD, wholeWeeks } from "./summary-weeks.ts";
import { toTimestamp } from "./timestamp.ts";

const DAY_MS = 86_400_000;

type SummaryOptions = {
  readonly needs: Needs;
  /** Instants that no row may span. */
  readonly boundariesMs: readonly number[] | undefined;
  readonly tables: StatementTables;
};

type SummaryPiece = Omit<SummaryOptions, "tables"> & {
  readonly name: SummaryName;
  readonly range: InstantRange;
};

/** The table of the periods to read, and SELECTs of their rows (at, clicks, value, visitor). */
export function selectSummaries(
  question: Question,
  run: SummaryRun,
  { tables, ...options }: SummaryOptions,
): { readonly usable: SQL; readonly rows: SQL } {
  const { workspaceId } = question;
  const scope = scopeOf(options.needs);
  const usable = tables.add("usable", selectUsable(workspaceId, run, scope));
  const pieces = run.pieces.map(({ source, ...range }) => ({ ...options, name: source.name, range }));
  const weeksMs = pieces.flatMap(weeksOf);
  const weeks =
    weeksMs.length === 0
      ? null
      : tables.add("usable_weeks", selectUsableWeeks(workspaceId, weeksMs, { usable, scope }));
  const rows = pieces.flatMap((piece) =>
    levelsOf(piece, { usable, weeks }).map((level) => selectRows(level, question, piece)),
  );
  return { usable, rows: sql.join(rows, sql` UNION ALL `) };
}

type UsableTables = {
  /** (period_start, period_end, clicks) */
  readonly usable: SQL;
  /** (week_start); `null` if no piece has a whole week. */
  readonly weeks: SQL | null;
};

function levelsOf(piece: SummaryPiece, { usable, weeks }: UsableTables): readonly Level[] {
  const { range } = piece;
  const days = sql`SELECT period_start FROM ${usable} WHERE ${touches(range)}`;
  if (weeks === null || weeksOf(piece).length === 0) {
    const isUsable = isByLink(piece) ? isOfUsableDay(usable, range) : sql`period_start = ANY(ARRAY(${days}))`;
    return [{ ...DAYS, isUsable }];
  }
  const read = sql`ARRAY(SELECT week_start FROM ${weeks})`;
  return [
    { ...WEEKS, isUsable: sql`week_start = ANY(${read})` },
    // Periods outside of these weeks.
    { ...DAYS, isUsable: sql`period_start = ANY(ARRAY(${days} AND ${WEEK_OF_PERIOD} <> ALL(${read})))` },
  ];
}

function weeksOf(piece: SummaryPiece): readonly number[] {
  return isCut(piece.name) || isByLink(piece) ? [] : wholeWeeks(piece.range, piece.boundariesMs);
}

/** The tables of one period length: days and hours, or weeks. */
type Level = {
  readonly links: SQL;
  readonly dimensions: SQL;
  readonly scopes: SQL;
  /** The column with the start of a row's period. */
  readonly start: SQL;
  /** Condition: the row's period is usable. */
  readonly isUsable: SQL;
};

const DAYS: Omit<Level, "isUsable"> = {
  links: sql`link_summaries`,
  dimensions: sql`dimension_summaries`,
  scopes: sql`scope_summaries`,
  start: sql`period_start`,
};
const WEEKS: Omit<Level, "isUsable"> = {
  links: sql`link_weeks`,
  dimensions: sql`dimension_weeks`,
  scopes: sql`scope_weeks`,
  start: sql`week_start`,
};

/** Condition: the period overlaps the range. */
function touches({ fromMs, toMs }: InstantRange): SQL {
  return sql`period_start < ${toTimestamp(toMs)} AND period_end > ${toTimestamp(fromMs)}`;
}

function selectRows(level: Level, { workspaceId, filters }: Question, piece: SummaryPiece): SQL {
  const isRow = [sql`workspace_id = ${workspaceId}::uuid`, level.isUsable];
  if (piece.name === "scopeDays") {
    return selectMembers(level, isRow, { workspaceId, filters, needs: piece.needs });
  }
  const { table, column, isOfDimension } = openSummary(piece.name, piece.needs, level);
  const conditions = sql.join(
    [...isRow, ...isOfDimension, ...toConditions(workspaceId, filters, column)],
    sql` AND `,
  );
  const value = valueOf(piece.needs, column);
  if (!isCut(piece.name)) {
    return sql`SELECT ${level.start} AS at, clicks, ${value} AS value, NULL::uuid AS visitor
      FROM ${table} WHERE ${conditions}`;
  }
  // Only quarters of the piece count; its periods may extend beyond it.
  const edges = { from: toTimestamp(piece.range.fromMs), to: toTimestamp(piece.range.toMs) };
  // date_part, because extract returns a numeric, which costs ten times as much.
  const quarterOf = (at: SQL) => sql`(date_part('epoch', ${at} - period_start) / 900)::int`;
  // OFFSET 0: otherwise, what is the same for all quarters of a row would be computed for each.
  const quarters = sql`SELECT period_start, first_quarter, end_quarter, value,
      unnest(quarters) AS quarter, unnest(quarter_clicks) AS part_clicks
    FROM (
      SELECT period_start, quarters, quarter_clicks, ${value} AS value,
        ${quarterOf(edges.from)} AS first_quarter, ${quarterOf(edges.to)} AS end_quarter
      FROM ${table} WHERE ${conditions} OFFSET 0
    ) AS row`;
  // Grouped by small numbers first: converting them to instants costs more than all the rest.
  const at = piece.needs.instants
    ? sql`period_start + quarter * interval '15 minutes'`
    : sql`NULL::timestamptz`;
  const by = piece.needs.instants ? sql`period_start, quarter, value` : sql`value`;
  return sql`SELECT ${at} AS at, sum(part_clicks) AS clicks, value, NULL::uuid AS visitor
    FROM (${quarters}) AS part WHERE quarter >= first_quarter AND quarter < end_quarter GROUP BY ${by}`;
}

function isCut(name: SummaryName): boolean {
  return name === "dimensionQuarters" || name === "linkQuarters";
}

/** Selected links are read one by one, from an index in which the days of a link are adjacent. */
function isByLink({ name, needs }: SummaryPiece): boolean {
  return (name === "linkDays" || name === "linkQuarters") && choosesLinks(needs);
}

/** Not a list of days: the planner would search the index again for each day and link. */
function isOfUsableDay(usable: SQL, range: InstantRange): SQL {
  return sql`period_start >= ${toTimestamp(range.fromMs - DAY_MS)} AND period_start < ${toTimestamp(range.toMs)}
    AND period_start <@ (SELECT range_agg(tstzrange(period_start, period_end)) FROM ${usable} WHERE ${touches(range)})`;
}

type Summary = {
  readonly table: SQL;
  readonly column: ColumnOf;
  /** Further conditions on the table's rows. */
  readonly isOfDimension: readonly SQL[];
};

function openSummary(name: Exclude<SummaryName, "scopeDays">, needs: Needs, level: Level): Summary {
  switch (name) {
    case "linkDays":
    case "linkQuarters":
      return { table: level.links, column: eventColumn, isOfDimension: [] };
    case "dimensionDays":
    case "dimensionQuarters":
      return {
        table: level.dimensions,
        column: (dimension) => (isOwnColumn(dimension) ? eventColumn(dimension) : sql`value`),
        isOfDimension: [sql`dimension = ${columnOf(rolledDimensionOf(needs))}`],
      };
  }
}

type MembersOf = Pick<Question, "workspaceId" | "filters"> & { readonly needs: Needs };

/** The members of the selected value. Arrays are unnested in the list of columns: as a joined function, that costs three times as much. */
function selectMembers(level: Level, isRow: readonly SQL[], { workspaceId, filters, needs }: MembersOf): SQL {
  const scope = scopeOf(needs);
  if (scope === undefined) {
    throw new Error("invariant: scope_summaries is read for one of its scopes");
  }
  const members = scope.member === "link" ? sql`member::uuid` : sql`member`;
  const chosen = scope.dimension === "link" ? sql`scope_value::uuid` : sql`scope_value`;
  const column: ColumnOf = (dimension) =>
    isOwnColumn(dimension) ? eventColumn(dimension) : dimension === scope.dimension ? chosen : members;
  const isOfScope = [
    ...isRow,
    sql`scope = ${columnOf(scope.dimension)} AND scope_value = ${scope.value} AND dimension = ${columnOf(scope.member)}`,
  ];
  const conditions = [sql`true`, ...toConditions(workspaceId, filters, column)];
  const value = memberValueOf(needs, column);
  return sql`SELECT at, clicks, ${value} AS value, NULL::uuid AS visitor FROM (
      SELECT ${level.start} AS at, class, domain_id, scope_value, unnest(member_values) AS member, unnest(member_clicks)::bigint AS clicks
      FROM ${level.scopes} WHERE ${sql.join(isOfScope, sql` AND `)}
    ) AS part WHERE ${sql.join(conditions, sql` AND `)}`;
}

function isOwnColumn(dimension: Dimension): boolean {
  return dimension === "domain" || dimension === "class";
}

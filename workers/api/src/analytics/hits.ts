/**
 * The clicks that a question is about, as a sub-SELECT: rows of (at, clicks, value, visitor), from rollups where they
 * are exact and from events where they are not. What is counted and how is left to the statement around it.
 */
import { type SQL, sql } from "drizzle-orm";
import { type ColumnOf, eventColumn, toConditions } from "./conditions.ts";
import { columnOf, type Dimension, type Filter } from "./dimension.ts";
import { type Piece, planPieces } from "./plan.ts";
import type { InstantRange } from "./range.ts";
import { chooseSources, rolledDimensionOf, type SourceName } from "./source.ts";

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
  const { filters } = question;
  const dimensions = new Set([
    ...filters.map(({ dimension }) => dimension),
    ...(wanted.dimension === undefined ? [] : [wanted.dimension]),
  ]);
  const sources = chooseSources({
    dimensions,
    isOfNamedLinks: filters.some(({ dimension, is }) => dimension === "link" && is.length > 0),
    visitors: wanted.visitors ?? false,
  });
  const pieces = planPieces(question.range, sources, wanted.boundariesMs);
  return sql.join(
    pieces.map((piece) => selectPiece(piece, question, { ...wanted, dimensions })),
    sql` UNION ALL `,
  );
}

type WantedOfPiece = Wanted & { readonly dimensions: ReadonlySet<Dimension> };

function selectPiece(piece: Piece, question: Question, wanted: WantedOfPiece): SQL {
  const { name } = piece.source;
  const { table, at, clicks } = TABLES[name];
  const column = columnsOf(name);
  const conditions = [
    sql`workspace_id = ${question.workspaceId}::uuid`,
    sql`${at} >= ${toTimestamp(piece.fromMs)} AND ${at} < ${toTimestamp(piece.toMs)}`,
    ...(name === "dimensionRollup" ? [isRowOf(rolledDimensionOf(wanted.dimensions))] : []),
    ...toConditions(question.workspaceId, question.filters, column),
  ];
  return sql`SELECT ${at} AS at, ${clicks} AS clicks, ${valueOf(wanted.dimension, column)} AS value,
      ${wanted.visitors === true ? sql`visitor` : sql`NULL::uuid`} AS visitor
    FROM ${table} WHERE ${sql.join(conditions, sql` AND `)}`;
}

const TABLES: Readonly<Record<SourceName, { readonly table: SQL; readonly at: SQL; readonly clicks: SQL }>> =
  {
    workspaceRollup: { table: sql`workspace_rollups`, at: sql`bucket_start`, clicks: sql`clicks` },
    dimensionRollup: { table: sql`dimension_rollups`, at: sql`day_start`, clicks: sql`clicks` },
    linkDayRollup: { table: sql`link_day_rollups`, at: sql`day_start`, clicks: sql`clicks` },
    linkRollup: { table: sql`click_rollups`, at: sql`bucket_start`, clicks: sql`clicks` },
    events: { table: sql`click_events`, at: sql`clicked_at`, clicks: sql`1::bigint` },
  };

/** dimension_rollups has its one dimension in `value`; all else is called the same everywhere. */
function columnsOf(source: SourceName): ColumnOf {
  return (dimension) =>
    source === "dimensionRollup" && dimension !== "domain" && dimension !== "class"
      ? sql`value`
      : eventColumn(dimension);
}

function isRowOf(dimension: Dimension | undefined): SQL {
  if (dimension === undefined || dimension === "tag") {
    throw new Error("invariant: dimension_rollups is asked for a dimension it holds");
  }
  return sql`dimension = ${columnOf(dimension)}`;
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

/** Milliseconds are kept. */
export function toTimestamp(atMs: number): SQL {
  return sql`${new Date(atMs).toISOString()}::timestamptz`;
}

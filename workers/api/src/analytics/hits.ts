/**
 * The clicks that a question is about, as a sub-SELECT: rows of (at, clicks, value, visitor), from rollups where they
 * are exact and from events where they are not. What is counted and how is left to the statement around it.
 */
import { type SQL, sql } from "drizzle-orm";
import { toConditions } from "./conditions.ts";
import { columnOf, type Dimension, type Filter } from "./dimension.ts";
import { type Piece, planPieces } from "./plan.ts";
import type { InstantRange } from "./range.ts";
import { chooseSources, type Source } from "./source.ts";

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
  const sources = chooseSources({
    dimensions: new Set([
      ...question.filters.map(({ dimension }) => dimension),
      ...(wanted.dimension === undefined ? [] : [wanted.dimension]),
    ]),
    visitors: wanted.visitors ?? false,
  });
  const pieces = planPieces(question.range, sources, wanted.boundariesMs);
  return sql.join(
    pieces.map((piece) => selectPiece(piece, question, wanted)),
    sql` UNION ALL `,
  );
}

function selectPiece(piece: Piece, question: Question, { dimension, visitors }: Wanted): SQL {
  const { table, at, clicks } = TABLES[piece.source.name];
  const conditions = [
    sql`workspace_id = ${question.workspaceId}::uuid`,
    sql`${at} >= ${toTimestamp(piece.fromMs)} AND ${at} < ${toTimestamp(piece.toMs)}`,
    ...toConditions(question.workspaceId, question.filters),
  ];
  return sql`SELECT ${at} AS at, ${clicks} AS clicks, ${valueOf(dimension)} AS value,
      ${visitors === true ? sql`visitor` : sql`NULL::uuid`} AS visitor
    FROM ${table} WHERE ${sql.join(conditions, sql` AND `)}`;
}

const TABLES: Readonly<Record<Source["name"], { table: SQL; at: SQL; clicks: SQL }>> = {
  workspaceRollup: { table: sql`workspace_rollups`, at: sql`bucket_start`, clicks: sql`clicks` },
  dayRollup: { table: sql`dimension_rollups`, at: sql`day_start`, clicks: sql`clicks` },
  linkRollup: { table: sql`click_rollups`, at: sql`bucket_start`, clicks: sql`clicks` },
  events: { table: sql`click_events`, at: sql`clicked_at`, clicks: sql`1::bigint` },
};

function valueOf(dimension: Dimension | undefined): SQL {
  if (dimension === undefined) {
    return sql`NULL::text`;
  }
  if (dimension === "tag") {
    return sql`link_id::text`;
  }
  return sql`NULLIF(${sql.raw(columnOf(dimension))}::text, '')`;
}

/** Milliseconds are kept. */
export function toTimestamp(atMs: number): SQL {
  return sql`${new Date(atMs).toISOString()}::timestamptz`;
}

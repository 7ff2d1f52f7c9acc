/**
 * Which cells of the cube count a question. A cell knows one value of its scope and the numbers of each value of every other
 * column, so two dimensions can meet: one as the scope, the other inside the cell. Pure.
 */
import type { Sql } from "@hopline/db/sql";
import { CUBE_SCOPES, QUARTER, TAG } from "../cube/cube-columns.ts";
import { BOUND, columnOf, type Dimension, type Filter } from "../dimension.ts";
import type { Question } from "../engine.ts";

/** What is counted. */
export type Wanted = Question & {
  /** Grouped by, in `value`. NULL in every row if left out. By tag, a click counts for each tag of its link. */
  readonly dimension?: Dimension | undefined;
  /** SELECT of the values of `dimension` that are wanted, as text, empty for unknown. All if left out. */
  readonly among?: Sql | undefined;
  /** Whether `visitor` is needed; NULL in every row otherwise. */
  readonly visitors?: boolean;
  /** Instants that no row may span. If left out, the time of a click within the range does not matter, and `at` is NULL. */
  readonly boundariesMs?: readonly number[] | undefined;
};

/** What chooses where clicks are read. */
export type Needs = Pick<Wanted, "filters" | "dimension">;

/** Columns of the cube. `member` is `null` if only the number of a cell's clicks matters. */
export type Pair = { readonly scope: string; readonly member: string | null };

/** A tag, and what is within bounds, are links. `null`: every cell is of one class and one domain. */
function cubeColumnOf(dimension: Filter["dimension"]): string | null {
  return dimension === "domain" || dimension === "class"
    ? null
    : columnOf(isOfLinks(dimension) ? "link" : dimension);
}

/** The columns that a question is about, besides time, class and domain. */
export function specialColumns({ filters, dimension }: Needs): readonly string[] {
  const named = filters.map((filter) => filter.dimension).concat(dimension ?? []);
  return [...new Set(named.map(cubeColumnOf).filter((column) => column !== null))];
}

export type Rollup = "workspace_rollups" | "click_rollups";

/** The one that has all columns of a question, for ever; `null` if none has. */
export function rollupOf(needs: Needs): Rollup | null {
  const columns = specialColumns(needs);
  return columns.length === 0
    ? "workspace_rollups"
    : columns.every((column) => column === "link_id")
      ? "click_rollups"
      : null;
}

/** Of all links, a running day has many rows. */
export function isQuickInRollups(needs: Needs): boolean {
  const rollup = rollupOf(needs);
  return rollup === "workspace_rollups" || (rollup === "click_rollups" && choosesLinks(needs));
}

/**
 * `null` if only single clicks can answer.
 *
 * @param isCut whether parts of days are counted.
 */
export function choosePair(wanted: Wanted, isCut: boolean): Pair | null {
  const columns = [...specialColumns(wanted), ...(isCut ? [QUARTER] : [])];
  const { filters, dimension, among } = wanted;
  const chosen = filters.filter(({ is }) => is.length > 0).map((filter) => filter.dimension);
  const chosenColumns = chosen.concat(among === undefined ? [] : (dimension ?? [])).map(cubeColumnOf);
  const scopes = CUBE_SCOPES.filter((scope) => columns.includes(scope));
  // The cells of a chosen value are the fewest.
  const [scope] = [
    ...scopes.filter((one) => chosenColumns.includes(one)),
    ...(columns.length <= 1 ? [""] : []),
    ...scopes,
  ];
  const [member = null, ...more] = columns.filter((column) => column !== scope);
  return scope === undefined || more.length > 0 ? null : { scope, member };
}

/**
 * The tag whose cells count a question. Empty: all tags, which it is grouped by. `null` if several tags, or links without a tag,
 * are asked for.
 */
export function tagOf({ filters, dimension }: Needs): string | null {
  const [only, ...more] = filters.filter((filter) => filter.dimension === "tag");
  if (only === undefined) {
    return dimension === "tag" ? ALL_TAGS : null;
  }
  const isOne = only.is.length === 1 && only.isNot.length === 0 && more.length === 0;
  return isOne ? (only.is[0] ?? null) : null;
}

export const ALL_TAGS = "";

/** Like `choosePair`, with the cells of tags. `null` if there are none for this question. */
export function chooseTagPair(needs: Needs, isCut: boolean): Pair | null {
  const tag = tagOf(needs);
  const filters = needs.filters.filter(({ dimension }) => dimension !== "tag");
  const dimension = tag === ALL_TAGS ? undefined : needs.dimension;
  const columns = [...specialColumns({ filters, dimension }), ...(isCut ? [QUARTER] : [])];
  const [member = null, ...more] = columns;
  // Of links without a tag, cells have only the quarters of an hour.
  const isKnown = tag !== ALL_TAGS || member === null || member === QUARTER;
  return tag === null || more.length > 0 || !isKnown ? null : { scope: TAG, member };
}

/** Links are selected by id or tag: few enough to be read link by link. */
export function choosesLinks({ filters }: Needs): boolean {
  return filters.some(({ dimension, is }) => isOfLinks(dimension) && is.length > 0);
}

export function isOfLinks(dimension: Filter["dimension"]): dimension is "link" | "tag" | typeof BOUND {
  return dimension === "link" || dimension === "tag" || dimension === BOUND;
}

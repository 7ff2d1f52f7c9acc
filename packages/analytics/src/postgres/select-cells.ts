/** Hits from the cube, for the days that may be used. */
import { type Sql, sql } from "@hopline/db/sql";
import { QUARTER, TAG } from "../cube/cube-columns.ts";
import { type ClickDimension, columnOf, type Filter } from "../dimension.ts";
import type { Question } from "../engine.ts";
import type { InstantRange } from "../range.ts";
import { type ColumnOf, toConditions } from "./conditions.ts";
import { toMultirange, toTimestamp } from "./instant.ts";
import { ALL_TAGS, choosesLinks, isOfLinks, type Pair, tagOf } from "./pair.ts";
import { isListed, type RowNeeds, toHits, valueDimensionOf } from "./select-rows.ts";

export type CellOptions = {
  readonly needs: RowNeeds;
  /** Whole days, or whole quarters of an hour if one of the pair is the quarter. */
  readonly spans: readonly InstantRange[];
  /** SELECT of the days to read, which may be used. */
  readonly days: Sql;
};

export function selectCells(
  { scope, member }: Pair,
  { workspaceId, filters: all }: Question,
  { needs, spans, days }: CellOptions,
): Sql {
  const isOfTags = scope === TAG;
  const tag = isOfTags ? tagOf(needs) : null;
  const filters = isOfTags ? all.filter(({ dimension }) => dimension !== "tag") : all;
  const isInside = (dimension: ClickDimension) => columnOf(dimension) === member;
  const isFilterInside = ({ dimension }: Filter) => isInside(valueDimensionOf(dimension));
  const textOf: ColumnOf = (dimension) =>
    isInside(dimension)
      ? sql`member::text`
      : dimension === "domain"
        ? sql`domain_id::text`
        : dimension === "class"
          ? sql`class`
          : sql`scope_value`;
  const column: ColumnOf = (dimension) =>
    isInside(dimension)
      ? sql`member`
      : dimension === "domain"
        ? sql`domain_id`
        : dimension === "link"
          ? sql`scope_value::uuid`
          : textOf(dimension);
  const isOfLinkCells = scope === "link_id" && choosesLinks({ filters });
  const ofCell = filters.filter(
    (filter) => !isFilterInside(filter) && !(isOfLinkCells && isOfLinks(filter.dimension)),
  );
  const listed = isListed(needs, textOf);
  const isListedInside = needs.dimension !== undefined && isInside(valueDimensionOf(needs.dimension));
  const isCell = [
    sql`workspace_id = ${workspaceId}::uuid AND scope = ${scope}::text`,
    sql`day = ANY(ARRAY(${days}))`,
    ...(scope === "" ? [sql`scope_value = ''`] : []),
    ...(isOfTags ? [tag === ALL_TAGS ? sql`clicks > 0` : sql`scope_value = ${tag}`] : []),
    ...(isOfLinkCells ? [sql`scope_value = ANY(ARRAY(${selectChosen({ workspaceId, filters })}))`] : []),
    ...(scope === QUARTER ? [isWithin(CELL_AT, spans)] : []),
    ...toConditions(workspaceId, ofCell, column),
    ...(isListedInside ? [] : listed),
  ];
  const cells = sql`click_cube WHERE ${sql.join(isCell, sql` AND `)}`;
  const at = scope === QUARTER ? CELL_AT : member === QUARTER ? MEMBER_AT : sql`day`;
  const columns = { at, clicks: sql`clicks`, column, ...(tag === ALL_TAGS ? { tag: sql`scope_value` } : {}) };
  if (member === null) {
    return toHits(cells, needs, columns);
  }
  const inside = [
    sql`true`,
    ...(isListedInside ? listed : []),
    ...toConditions(workspaceId, filters.filter(isFilterInside), column),
    ...(member === QUARTER ? [isWithin(MEMBER_AT, spans)] : []),
  ];
  const values = sql.identifier(member);
  const members = member === QUARTER || member === "link_id" ? values : sql`COALESCE(${values}, '{""}')`;
  // Arrays are unnested in the list of columns: as a joined function, that costs three times as much.
  const parts = sql`(
      SELECT day, class, domain_id, scope_value, unnest(${members}) AS member,
        unnest(COALESCE(${sql.identifier(`${member}_clicks`)}, ARRAY[clicks::integer])) AS clicks
      FROM ${cells}
    ) AS part WHERE ${sql.join(inside, sql` AND `)}`;
  return toHits(parts, needs, columns);
}

const CELL_AT = sql`(day + scope_value::integer * interval '15 minutes')`;
const MEMBER_AT = sql`(day + member * interval '15 minutes')`;

function isWithin(at: Sql, spans: readonly InstantRange[]): Sql {
  const [only, ...more] = spans;
  return only === undefined || more.length > 0
    ? sql`${at} <@ ${toMultirange(spans)}`
    : sql`${at} >= ${toTimestamp(only.fromMs)} AND ${at} < ${toTimestamp(only.toMs)}`;
}

/** SELECT of the ids of the selected links, as the cube writes them. */
function selectChosen({ workspaceId, filters }: Pick<Question, "workspaceId" | "filters">): Sql {
  const named = filters.find(({ dimension, is }) => dimension === "link" && is.length > 0);
  const links = named === undefined ? sql`links` : sql`unnest(${named.is}::uuid[]) AS named (id)`;
  const ofLinks = filters.filter(({ dimension }) => isOfLinks(dimension));
  const isChosen = [
    ...(named === undefined ? [sql`workspace_id = ${workspaceId}::uuid`] : []),
    ...toConditions(workspaceId, ofLinks, () => sql`id`),
  ];
  return sql`SELECT id::text FROM ${links} WHERE ${sql.join(isChosen, sql` AND `)}`;
}

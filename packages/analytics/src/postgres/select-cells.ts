/** Hits from the cube, for the days that may be used. */
import { type Sql, sql } from "@hopline/db/sql";
import { QUARTER, TAG } from "../cube/cube-columns.ts";
import { columnOf, type Filter } from "../dimension.ts";
import type { InstantRange } from "../range.ts";
import { type ColumnOf, toConditions } from "./conditions.ts";
import { toMultirange, toTimestamp } from "../instant.ts";
import { ALL_TAGS, choosesLinks, isOfLinks, type Pair, tagOf, type Wanted } from "./choose-cells.ts";
import { isListed, toHits } from "./select-rows.ts";
import { IS_COUNTED, IS_USED } from "./usable-days.ts";

export type CellOptions = {
  /** Whole days, or whole quarters of an hour. */
  readonly spans: readonly InstantRange[];
  readonly isCut: boolean;
  /** SELECT of the days to read, which may be used. */
  readonly days: Sql;
  readonly isSubtracted?: boolean;
};

export function selectCells(
  { scope, member }: Pair,
  wanted: Wanted,
  { spans, isCut, days, isSubtracted = false }: CellOptions,
): Sql {
  const tag = scope === TAG ? tagOf(wanted) : null;
  const filters = wanted.filters.filter(({ dimension }) => tag === null || dimension !== "tag");
  const ofLinks =
    scope === "link_id" && choosesLinks({ filters })
      ? filters.filter(({ dimension }) => isOfLinks(dimension))
      : [];
  const others = filters.filter((filter) => !ofLinks.includes(filter));
  const valueOf = (name: string): Sql =>
    name === "class" || name === "domain_id"
      ? sql.identifier(name)
      : name === member
        ? sql`member`
        : sql`scope_value`;
  const column: ColumnOf = (dimension) =>
    sql`${valueOf(columnOf(dimension))}${dimension === "link" ? sql`::uuid` : sql``}`;
  const isCell = [
    sql`workspace_id = ${wanted.workspaceId}::uuid AND scope = ${scope}::text`,
    sql`day = ANY(ARRAY(${days}))`,
    scope === "" && !isCut ? IS_USED : IS_COUNTED,
    ...(scope === "" ? [sql`scope_value = ''`] : []),
    ...(tag === null || tag === ALL_TAGS ? [] : [sql`scope_value = ${tag}`]),
    ...(ofLinks.length === 0
      ? []
      : [sql`scope_value = ANY(ARRAY(${selectChosen(wanted.workspaceId, ofLinks)}))`]),
  ];
  const quarter =
    scope === QUARTER ? sql`scope_value::integer` : member === QUARTER ? sql`member` : sql`slice % 96`;
  const at = isCut ? sql`(day + ${quarter} * interval '15 minutes')` : sql`day`;
  const isHit = [
    sql`true`,
    ...toConditions(wanted.workspaceId, others, column),
    ...isListed(wanted, (dimension) => sql`${valueOf(columnOf(dimension))}::text`),
    ...(isCut ? [isWithin(at, spans)] : []),
  ];
  const cells = sql`(
      SELECT day, slice, class, domain_id, scope_value, ${membersOf(member)} FROM click_cube WHERE ${sql.join(isCell, sql` AND `)}
    ) AS cell WHERE ${sql.join(isHit, sql` AND `)}`;
  return toHits(cells, wanted, {
    at,
    clicks: isSubtracted ? sql`-clicks` : sql`clicks`,
    column,
    ...(tag === ALL_TAGS ? { tag: sql`scope_value` } : {}),
  });
}

/** The numbers of a cell, or of each value inside. Arrays are unnested in the list of columns: as a joined function, that costs three times as much. */
function membersOf(member: string | null): Sql {
  if (member === null) {
    return sql`clicks`;
  }
  const members = sql.identifier(member);
  const values = member === QUARTER || member === "link_id" ? members : sql`COALESCE(${members}, '{""}')`;
  return sql`unnest(${values}) AS member,
    unnest(COALESCE(${sql.identifier(`${member}_clicks`)}, ARRAY[clicks::integer])) AS clicks`;
}

function isWithin(at: Sql, spans: readonly InstantRange[]): Sql {
  const [only, ...more] = spans;
  return only === undefined || more.length > 0
    ? sql`${at} <@ ${toMultirange(spans)}`
    : sql`${at} >= ${toTimestamp(only.fromMs)} AND ${at} < ${toTimestamp(only.toMs)}`;
}

/** SELECT of the ids of the links that these filters select, as the cube writes them. */
function selectChosen(workspaceId: string, filters: readonly Filter[]): Sql {
  const named = filters.find(({ dimension, is }) => dimension === "link" && is.length > 0);
  const links = named === undefined ? sql`links` : sql`unnest(${named.is}::uuid[]) AS named (id)`;
  const isChosen = [
    ...(named === undefined ? [sql`workspace_id = ${workspaceId}::uuid`] : []),
    ...toConditions(workspaceId, filters, () => sql`id`),
  ];
  return sql`SELECT id::text FROM ${links} WHERE ${sql.join(isChosen, sql` AND `)}`;
}

/** Hits from the cube, for the days that may be used. */
import { type SQL, sql } from "drizzle-orm";
import { QUARTER, TAG } from "../cube/cube-columns.ts";
import type { Question } from "../engine.ts";
import type { InstantRange } from "../range.ts";
import { type ColumnOf, toConditions } from "./conditions.ts";
import { columnOf, type Dimension, type Filter } from "../dimension.ts";
import { toMultirange, toTimestamp } from "./instant.ts";
import { choosesLinks, isOfLinks, onlyTagOf, type Pair } from "./pair.ts";
import { isListed, type RowNeeds, toHits } from "./select-rows.ts";

export type CellOptions = {
  readonly needs: RowNeeds;
  /** Whole days, or whole quarters of an hour if one of the pair is the quarter. */
  readonly spans: readonly InstantRange[];
  /** SELECT of the days to read, which may be used. */
  readonly days: SQL;
};

export function selectCells(
  { scope, member }: Pair,
  { workspaceId, filters: all }: Question,
  { needs, spans, days }: CellOptions,
): SQL {
  const filters = scope === TAG ? all.filter(({ dimension }) => dimension !== "tag") : all;
  const column: ColumnOf = (dimension) => {
    const own = columnOf(dimension);
    return dimension === "domain" || dimension === "class"
      ? sql.raw(own)
      : own === member
        ? sql`member`
        : own === "link_id"
          ? sql`scope_value::uuid`
          : sql`scope_value`;
  };
  const isInside = ({ dimension }: Pick<Filter, "dimension">) =>
    member !== null && isAbout(dimension, member);
  const isOfLinkCells = scope === "link_id" && choosesLinks({ filters });
  const ofCell = filters.filter(
    (filter) => !isInside(filter) && !(isOfLinkCells && isOfLinks(filter.dimension)),
  );
  const listed = isListed(needs, (dimension) =>
    isInside({ dimension })
      ? sql`member::text`
      : dimension === "domain" || dimension === "class"
        ? column(dimension)
        : sql`scope_value`,
  );
  const isListedInside = needs.dimension !== undefined && isInside({ dimension: needs.dimension });
  const isCell = [
    sql`workspace_id = ${workspaceId}::uuid AND scope = ${scope}`,
    sql`day = ANY(ARRAY(${days}))`,
    ...(scope === "" ? [sql`scope_value = ''`] : []),
    ...(scope === TAG ? [sql`scope_value = ${onlyTagOf({ filters: all })}`] : []),
    ...(isOfLinkCells ? [sql`scope_value = ANY(ARRAY(${selectChosen({ workspaceId, filters })}))`] : []),
    ...(scope === QUARTER ? [isWithin(CELL_AT, spans)] : []),
    ...toConditions(workspaceId, ofCell, column),
    ...(isListedInside ? [] : listed),
  ];
  const cells = sql`click_cube WHERE ${sql.join(isCell, sql` AND `)}`;
  const at = scope === QUARTER ? CELL_AT : member === QUARTER ? MEMBER_AT : sql`day`;
  const columns = { at, clicks: sql`clicks`, column };
  if (member === null) {
    return toHits(cells, needs, columns);
  }
  const inside = [
    ...(isListedInside ? listed : []),
    ...toConditions(workspaceId, filters.filter(isInside), column),
    ...(member === QUARTER ? [isWithin(MEMBER_AT, spans)] : []),
  ];
  const values = sql.raw(member);
  const numbers = sql.raw(`${member}_clicks`);
  const members = member === QUARTER || member === "link_id" ? values : sql`COALESCE(${values}, '{""}')`;
  // Arrays are unnested in the list of columns: as a joined function, that costs three times as much.
  const parts = sql`(
      SELECT day, class, domain_id, scope_value, unnest(${members}) AS member,
        unnest(COALESCE(${numbers}, ARRAY[clicks::integer])) AS clicks
      FROM ${cells}
    ) AS part WHERE ${sql.join([sql`true`, ...inside], sql` AND `)}`;
  return toHits(parts, needs, columns);
}

const CELL_AT = sql`(day + scope_value::integer * interval '15 minutes')`;
const MEMBER_AT = sql`(day + member * interval '15 minutes')`;

function isWithin(at: SQL, spans: readonly InstantRange[]): SQL {
  const [only, ...more] = spans;
  return only === undefined || more.length > 0
    ? sql`${at} <@ ${toMultirange(spans)}`
    : sql`${at} >= ${toTimestamp(only.fromMs)} AND ${at} < ${toTimestamp(only.toMs)}`;
}

function isAbout(dimension: Dimension, column: string): boolean {
  return isOfLinks(dimension) ? column === "link_id" : columnOf(dimension) === column;
}

/** SELECT of the ids of the selected links, as the cube writes them. */
function selectChosen({ workspaceId, filters }: Pick<Question, "workspaceId" | "filters">): SQL {
  const named = filters.find(({ dimension, is }) => dimension === "link" && is.length > 0);
  const links = named === undefined ? sql`links` : sql`unnest(${sql.param(named.is)}::uuid[]) AS named (id)`;
  const isChosen = [
    ...(named === undefined ? [sql`workspace_id = ${workspaceId}::uuid`] : []),
    ...toConditions(
      workspaceId,
      filters.filter(({ dimension }) => isOfLinks(dimension)),
      () => sql`id`,
    ),
  ];
  return sql`SELECT id::text FROM ${links} WHERE ${sql.join(isChosen, sql` AND `)}`;
}

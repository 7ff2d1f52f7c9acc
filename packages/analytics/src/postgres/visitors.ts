/**
 * Unique visitors of a workspace, a link or a country, from those that are counted by day (migrations/0003) and from single
 * clicks of the rest. Days can be added up, because the key of a visitor's hash changes every UTC day: no visitor is in two days.
 */
import { type Sql, sql } from "@hopline/db/sql";
import { floorToDay, QUARTER_MS } from "../calendar.ts";
import type { Filter } from "../dimension.ts";
import { toMultirange, toTimestamp } from "../instant.ts";
import type { InstantRange } from "../range.ts";
import type { Needs, Wanted } from "./choose-cells.ts";
import { selectRows } from "./select-rows.ts";
import type { PartTables } from "./statement-tables.ts";
import { QUARTER_OF_CLICK, textOfEvent } from "../cube/insert-cells.ts";

/** The rows of cube_visitors that answer a question. */
export type VisitorScope = {
  readonly name: "" | "link_id" | "country";
  /** `null`: each value. */
  readonly value: string | null;
  readonly ofHumans: boolean;
};

const SCOPES: { readonly [Name in Filter["dimension"]]?: VisitorScope["name"] } = {
  link: "link_id",
  country: "country",
};

/** `null` if only single clicks can answer: a visitor of two links or countries is one visitor. */
export function visitorScopeOf({ filters, dimension }: Needs): VisitorScope | null {
  const classes = filters.filter((filter) => filter.dimension === "class");
  const [place, ...more] = [
    ...filters
      .filter((filter) => filter.dimension !== "class")
      .map((filter) => ({ of: filter.dimension, value: onlyValueOf(filter) })),
    ...(dimension === undefined ? [] : [{ of: dimension, value: null }]),
  ];
  const name = place === undefined ? "" : SCOPES[place.of];
  const value = place === undefined ? "" : place.value;
  const isCounted = more.length === 0 && classes.every((filter) => onlyValueOf(filter) === "human");
  return name === undefined || value === undefined || !isCounted
    ? null
    : { name, value, ofHumans: classes.length > 0 };
}

/** Empty for unknown; `undefined` if other values match too. */
function onlyValueOf({ is, isNot }: Filter): string | undefined {
  return is.length === 1 && isNot.length === 0 ? (is[0] ?? "") : undefined;
}

/**
 * The days that boundaries cut, by their midnight: the quarter of an hour that begins there. `null`: it is cut more than once, or
 * elsewhere, so what is kept of its visitors does not tell its parts.
 *
 * @param boundariesMs as of `Wanted`.
 */
function cutDays(
  { fromMs, toMs }: InstantRange,
  boundariesMs: readonly number[] = [],
): ReadonlyMap<number, number | null> {
  const inside = boundariesMs.filter((atMs) => atMs > fromMs && atMs < toMs);
  const cuts = new Map<number, number | null>();
  for (const atMs of new Set([fromMs, ...inside, toMs])) {
    const dayMs = floorToDay(atMs);
    const quarter = (atMs - dayMs) / QUARTER_MS;
    if (quarter > 0) {
      cuts.set(dayMs, Number.isInteger(quarter) && !cuts.has(dayMs) ? quarter : null);
    }
  }
  return cuts;
}

/**
 * Hits without clicks: of days whose visitors are counted, a row for each of two parts; of the rest of the range, counted from
 * single clicks, a row for each `key`.
 */
export function selectVisitors(wanted: Wanted, scope: VisitorScope, key: Sql, tables: PartTables): Sql {
  const { name, value, ofHumans } = scope;
  const { workspaceId, range, dimension, boundariesMs } = wanted;
  const cuts = [...cutDays(range, boundariesMs)];
  const [from, to] = [toTimestamp(range.fromMs), toTimestamp(range.toMs)];
  // Of a day both parts, of an uncut one the first. OFFSET 0: worked out once for a day, and not for each value that it has.
  const parts = sql`
    SELECT day, visitors, begins, ends, day + begins * interval '15 minutes' AS at
    FROM (SELECT day, visitors FROM cube_state WHERE visitors IS NOT NULL) AS one LEFT JOIN unnest(
      ${cuts.map(([dayMs]) => new Date(dayMs).toISOString())}::timestamptz[], ${cuts.map(([, quarter]) => quarter)}::integer[]
    ) AS cut (day, quarter) USING (day) CROSS JOIN LATERAL (VALUES (0, COALESCE(quarter, 96)), (quarter, 96)) AS part (begins, ends)
    WHERE (cut.day IS NULL OR quarter IS NOT NULL) AND begins < ends
      AND day + begins * interval '15 minutes' >= ${from} AND day + begins * interval '15 minutes' < ${to} OFFSET 0`;
  const isKept = [
    sql`workspace_id = ${workspaceId}::uuid AND scope = ${name}::text AND of_humans = ${ofHumans} AND kept.day = part.day`,
    ...(value === null ? [] : [sql`scope_value = ${value}`]),
  ];
  const spans = sql`SELECT range_agg(tstzrange(at, day + ends * interval '15 minutes')) FROM (${parts}) AS part`;
  const rest = sql`(${toMultirange([range])} - COALESCE((${spans}), '{}'))`;
  const place = dimension === "link" ? sql`scope_value::uuid` : sql`NULLIF(scope_value, '')`;
  const [ofDay, ofVisit] = dimension === undefined ? [sql`NULL::text`, sql`NULL::text`] : [place, sql`value`];
  tables.visitorSpans.push(toMultirange([range]));
  return sql`SELECT at, 0, ${ofDay}, NULL::uuid, (CASE WHEN begins = 0
      THEN (SELECT sum(n) FROM unnest(first_quarters, first_visitors) AS first (quarter, n) WHERE quarter < ends)
      ELSE (SELECT sum(n) FROM unnest(last_quarters, last_visitors) AS last (quarter, n) WHERE quarter >= begins)
      END)
    FROM (${parts}) AS part JOIN cube_visitors AS kept ON ${sql.join(isKept, sql` AND `)}
    UNION ALL SELECT at, 0, ${dimension === "link" ? sql`place::uuid` : dimension === undefined ? sql`NULL::text` : sql`NULLIF(place, '')`}, NULL, CASE WHEN begins = 0
      THEN sum((LEAST(newly.first, known.first) < ends)::int - COALESCE((known.first < ends)::int, 0))
      ELSE sum((GREATEST(newly.last, known.last) >= begins)::int - COALESCE((known.last >= begins)::int, 0)) END
    FROM (${parts}) AS part JOIN (${selectNewly(scope, toMultirange([range]))}) AS newly USING (day)
    LEFT JOIN LATERAL (${selectKnown(workspaceId, scope)}) AS known ON true
    WHERE CASE WHEN begins = 0 THEN newly.first < ends ELSE newly.last >= begins END
    GROUP BY at, begins, ends, place
    UNION ALL SELECT min(at), 0, ${ofVisit}, NULL, count(DISTINCT visitor) FROM (
      ${selectRows("click_events", rest, { ...wanted, visitors: true }, tables)}
    ) AS visit GROUP BY ${key}`;
}

/**
 * SELECT of who came since the slices of their day were made: (day, place, visitor, first, last), quarters of an hour. In the order of
 * visitors, in which they are looked up faster.
 */
function selectNewly({ name, value, ofHumans }: VisitorScope, range: Sql): Sql {
  const conditions = [
    sql`day = ANY(ARRAY(SELECT day FROM cube_state WHERE visitors = 'since' AND tstzrange(day, day + interval '24 hours') && ${range}))`,
    sql`visitor IS NOT NULL`,
    ...(ofHumans ? [sql`class = 'human'`] : []),
    ...(value === null ? [] : [sql`${textOfEvent(name)} = ${value}`]),
  ];
  return sql`SELECT day, place, visitor, min(quarter) AS first, max(quarter) AS last FROM (
      SELECT day, ${textOfEvent(name)} AS place, visitor, ${QUARTER_OF_CLICK} AS quarter
      FROM cube_since WHERE ${sql.join(conditions, sql` AND `)}
    ) AS visit GROUP BY 1, 2, 3 ORDER BY visitor OFFSET 0`;
}

/** SELECT of when `newly` came before that. */
function selectKnown(workspaceId: string, { name, ofHumans }: VisitorScope): Sql {
  const [first, last] = ofHumans ? [sql`first_human`, sql`last_human`] : [sql`first`, sql`last`];
  const column = name === "country" ? sql`country` : sql`link_id::text`;
  const isInPlace = name === "" ? sql`` : sql` AND ${column} = place`;
  return sql`SELECT min(${first}) AS first, max(${last}) AS last FROM cube_visits
    WHERE workspace_id = ${workspaceId}::uuid AND cube_visits.day = newly.day AND visitor = newly.visitor${isInPlace}`;
}

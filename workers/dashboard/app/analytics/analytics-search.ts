/** The question of the analytics page, as the address holds it. Pure. */
import type { ClickBreakdown, operations } from "@hopline/client/openapi";
import { choiceIn, compact, type RawSearch, textIn, textsIn } from "../search-params.ts";
import { VIEWS, DIMENSIONS, PERIODS } from "./words.ts";

export type Dimension = ClickBreakdown["dimension"];
export type Period = NonNullable<NonNullable<operations["readOverview"]["parameters"]["query"]>["period"]>;
const DIMENSION_NAMES = Object.keys(DIMENSIONS) as Dimension[];

/** By dimension: any of these; with `.not` behind its name, none of these. An empty value means unknown. */
export type Filters = { readonly [name in Dimension | `${Dimension}.not`]?: string[] };
type View = keyof typeof VIEWS;

export type AnalyticsSearch = Filters & {
  readonly view?: View;
  /** Whether the period before is drawn, too. */
  readonly compare?: "previous";
  readonly period?: Period;
  /** First and last day, both or neither. */
  readonly from?: string;
  readonly to?: string;
};

const DAY = /^\d{4}-\d\d-\d\d$/;

export function toAnalyticsSearch(search: RawSearch): AnalyticsSearch {
  const filters = DIMENSION_NAMES.flatMap((name) => [name, `${name}.not` as const]).map((name) => [
    name,
    textsIn(search, name),
  ]);
  const [from, to] = [textIn(search, "from"), textIn(search, "to")];
  const days = from !== undefined && to !== undefined && DAY.test(from) && DAY.test(to) ? { from, to } : {};
  return compact({
    ...(Object.fromEntries(filters) as Filters),
    period: choiceIn(search, "period", Object.keys(PERIODS) as Period[]),
    view: choiceIn(search, "view", Object.keys(VIEWS) as View[]),
    compare: choiceIn(search, "compare", ["previous"]),
    ...days,
  });
}

export function filtersOf(search: AnalyticsSearch): Filters {
  const { period: _period, from: _from, to: _to, view: _view, compare: _compare, ...filters } = search;
  return filters;
}

/** As every operation of analytics takes it. Days and hours are those of the zone. */
export function toQuestion(search: AnalyticsSearch, timeZone: string) {
  const { period, from, to } = search;
  const range =
    from !== undefined && to !== undefined ? { from, to } : { period: period ?? ("last30Days" as const) };
  return { ...filtersOf(search), ...range, timeZone };
}

/** One value of a filter, as a chip shows it. */
export type Chip = { readonly dimension: Dimension; readonly isNot: boolean; readonly value: string };

function filterOf({ dimension, isNot }: Omit<Chip, "value">) {
  return isNot ? (`${dimension}.not` as const) : dimension;
}

export function chipsOf(search: AnalyticsSearch): readonly Chip[] {
  return DIMENSION_NAMES.flatMap((dimension) =>
    [false, true].flatMap((isNot) =>
      (search[filterOf({ dimension, isNot })] ?? []).map((value) => ({ dimension, isNot, value })),
    ),
  );
}

export function withChip(search: AnalyticsSearch, chip: Chip): AnalyticsSearch {
  const name = filterOf(chip);
  return { ...search, [name]: [...new Set([...(search[name] ?? []), chip.value])] };
}

export function withoutChip(search: AnalyticsSearch, chip: Chip): AnalyticsSearch {
  const { [filterOf(chip)]: values = [], ...rest } = search;
  const left = values.filter((one) => one !== chip.value);
  return (left.length === 0 ? rest : { ...rest, [filterOf(chip)]: left }) as AnalyticsSearch;
}

/**
 * Whether unique visitors are pre-aggregated for these filters: of a whole workspace, one link or one country. Everything else
 * is counted from single clicks, which a first screen should not wait for.
 */
export function hasCheapVisitors(search: AnalyticsSearch): boolean {
  const chips = chipsOf(search);
  const [only] = chips;
  return (
    only === undefined ||
    (chips.length === 1 && !only.isNot && (only.dimension === "link" || only.dimension === "country"))
  );
}

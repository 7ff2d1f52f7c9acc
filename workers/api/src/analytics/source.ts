/**
 * The tables that clicks can be counted from, and what each can tell apart. Every count made from any of them is
 * exact: rollups are written by the statement that writes the events.
 */
import { ROLLED_DIMENSIONS } from "@hopline/db/rolled-dimensions";
import { columnOf, type Dimension } from "./dimension.ts";

const QUARTER_HOUR_MS = 900_000;
const DAY_MS = 86_400_000;

export type SourceName = "workspaceRollup" | "dimensionRollup" | "linkDayRollup" | "linkRollup" | "events";

export type Source = {
  readonly name: SourceName;
  /** Ranges that begin and end on multiples of this (since the epoch, UTC) are whole rows. */
  readonly grainMs: number;
};

/** What a statement must be able to tell apart. */
export type Needs = {
  /** Grouped by or filtered on. */
  readonly dimensions: ReadonlySet<Dimension>;
  /** Links are named by a filter: few enough to be read by their own index. */
  readonly isOfNamedLinks: boolean;
  readonly visitors: boolean;
};

const EVENTS: Source = { name: "events", grainMs: 1 };
const WORKSPACE_ROLLUP: Source = { name: "workspaceRollup", grainMs: QUARTER_HOUR_MS };
const LINK_ROLLUP: Source = { name: "linkRollup", grainMs: QUARTER_HOUR_MS };
const LINK_DAY_ROLLUP: Source = { name: "linkDayRollup", grainMs: DAY_MS };
const DIMENSION_ROLLUP: Source = { name: "dimensionRollup", grainMs: DAY_MS };

const ALWAYS_KEPT: readonly Dimension[] = ["domain", "class"];

/** The sources that can answer, the cheapest first; the events, which can answer anything, last. */
export function chooseSources({ dimensions, isOfNamedLinks, visitors }: Needs): readonly Source[] {
  const special = [...dimensions].filter((dimension) => !ALWAYS_KEPT.includes(dimension));
  if (visitors) {
    return [EVENTS];
  }
  if (special.length === 0) {
    return [WORKSPACE_ROLLUP, EVENTS];
  }
  if (special.every((dimension) => dimension === "link" || dimension === "tag")) {
    return isOfNamedLinks ? [LINK_ROLLUP, EVENTS] : [LINK_DAY_ROLLUP, LINK_ROLLUP, EVENTS];
  }
  return special.length === 1 && special.every(isRolled) ? [DIMENSION_ROLLUP, EVENTS] : [EVENTS];
}

/** The one dimension whose rows of dimension_rollups are meant. */
export function rolledDimensionOf(dimensions: ReadonlySet<Dimension>): Dimension | undefined {
  return [...dimensions].find(isRolled);
}

function isRolled(dimension: Dimension): boolean {
  return dimension !== "tag" && ROLLED_DIMENSIONS.some((column) => column === columnOf(dimension));
}

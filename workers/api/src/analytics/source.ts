/**
 * The tables that clicks can be counted from, and what each can tell apart. Every count made from any of them is
 * exact: rollups are written by the statement that writes the events.
 */
import type { Dimension } from "./dimension.ts";

const QUARTER_HOUR_MS = 900_000;

export type Source = {
  readonly name: "workspaceRollup" | "dayRollup" | "linkRollup" | "events";
  /** Ranges that begin and end on multiples of this (since the epoch, UTC) are whole rows. */
  readonly grainMs: number;
};

/** What a statement must be able to tell apart. */
export type Needs = {
  /** Grouped by or filtered on. */
  readonly dimensions: ReadonlySet<Dimension>;
  readonly visitors: boolean;
};

export const EVENTS: Source = { name: "events", grainMs: 1 };
const LINK_ROLLUP: Source = { name: "linkRollup", grainMs: QUARTER_HOUR_MS };

const KEPT_BY_LINK: readonly Dimension[] = ["link", "domain", "tag", "class"];

/** The sources that can answer, the cheapest first; the events, which can answer anything, last. */
export function chooseSources({ dimensions, visitors }: Needs): readonly Source[] {
  if (visitors || !Array.from(dimensions).every((dimension) => KEPT_BY_LINK.includes(dimension))) {
    return [EVENTS];
  }
  return [LINK_ROLLUP, EVENTS];
}

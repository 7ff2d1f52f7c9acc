/** What the cube counts (migrations/0003): the columns of its cells, and the scopes that cells are made for. */
import { columnOf, TEXT_DIMENSIONS } from "../dimension.ts";

/** Quarters of an hour from the day's beginning: a column of the cube, not of `click_events`. */
export const QUARTER = "quarter";

/** For each column of a cell, the number of clicks of each of its values is in the column with the suffix `_clicks`. */
export const CUBE_COLUMNS: readonly string[] = [QUARTER, "link_id", ...TEXT_DIMENSIONS.map(columnOf)];

/** Made from the cells of its links. */
export const TAG = "tag";

/**
 * What is filtered by most. Each costs as much to make as all the clicks of a day. Those in one list are made by one statement, which
 * takes some 270 MB for a slice.
 */
export const MADE_AT_ONCE: readonly (readonly string[])[] = [
  [QUARTER, "referrer_host"],
  ["link_id"],
  ["country", "browser", "os", "device"],
];

/** Empty: the workspace. */
export const CUBE_SCOPES: readonly string[] = ["", ...MADE_AT_ONCE.flat()];

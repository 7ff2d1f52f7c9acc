/**
 * A link's tags as one cell of a CSV file, readable for people: `spring|mail`. If a tag contains a separator, the cell is the
 * list as JSON instead. Pure.
 */
import { parseJson } from "@hopline/core/decode/parse-json";

/** Of our exports, and of other products'. */
const SEPARATORS = /[|,;]/;

export function toTagCell(tags: readonly string[]): string {
  const isPlain = tags.every((tag) => !SEPARATORS.test(tag)) && tags[0]?.startsWith("[") !== true;
  return isPlain ? tags.join("|") : JSON.stringify(tags);
}

/** The inverse of `toTagCell`; also splits any other text. */
export function fromTagCell(cell: string): readonly unknown[] {
  const list = cell.startsWith("[") ? parseJson(cell) : null;
  return Array.isArray(list) ? list : cell.split(SEPARATORS);
}

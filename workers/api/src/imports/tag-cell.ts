/**
 * A link's tags as one cell of a CSV file, written as people read them: `spring|mail`. Where a tag has a separator in it,
 * the whole list is JSON instead. Pure.
 */
import { parseJson } from "@hopline/core/decode/parse-json";

/** Ours, and those of other products' exports. */
const SEPARATORS = /[|,;]/;

export function toTagCell(tags: readonly string[]): string {
  const isPlain = tags.every((tag) => !SEPARATORS.test(tag)) && tags[0]?.startsWith("[") !== true;
  return isPlain ? tags.join("|") : JSON.stringify(tags);
}

/** What `toTagCell` was given, or the parts of any other text. */
export function fromTagCell(cell: string): readonly unknown[] {
  const list = cell.startsWith("[") ? parseJson(cell) : null;
  return Array.isArray(list) ? list : cell.split(SEPARATORS);
}

/** Which product a file was exported from, by the names in its first line. Pure. */

/** A column that no other product's export has, before those that several have. */
const TELLING = [
  ["shlink", "shortcode"],
  ["bitly", "custombitlinks"],
  ["bitly", "longurl"],
  ["kutt", "target"],
  ["yourls", "keyword"],
  ["doubly", "originalurl"],
  ["dub", "key"],
  ["hopline", "slug"],
] as const;

export type Format = (typeof TELLING)[number][0];

/** `start`: the beginning of the file. `null`: it looks like none of them. */
export function guessFormat(start: string): Format | null {
  const [first = ""] = start.split("\n");
  // Of JSON the names of the first object.
  const names = new Set(
    first
      .toLowerCase()
      .match(/[a-z_ ]+/g)
      ?.map((name) => name.replaceAll(/[_ ]/g, "")),
  );
  return TELLING.find(([, column]) => names.has(column))?.[0] ?? null;
}

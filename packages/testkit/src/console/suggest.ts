/** What a mistyped name probably meant. Pure. */

/** `did you mean --port?`, or all the names where none is near. */
export function suggest(typed: string, names: readonly string[]): string {
  const [nearest] = names
    .map((name) => ({ name, edits: countEdits(typed, name) }))
    .toSorted((a, b) => a.edits - b.edits);
  return nearest !== undefined && nearest.edits <= Math.max(2, typed.length / 3)
    ? `did you mean ${nearest.name}?`
    : `choose from ${names.join(", ")}.`;
}

/** Levenshtein's distance: characters inserted, removed or replaced. */
function countEdits(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [row, character] of Array.from(from).entries()) {
    const current = [row + 1];
    for (const [column, other] of Array.from(to).entries()) {
      const replaced = (previous[column] ?? 0) + (character === other ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}

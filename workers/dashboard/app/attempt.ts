/** What an action gives, or `null` where it throws: where a browser keeps nothing, or a text is not what it seems. */
export function attempt<Result>(act: () => Result): Result | null {
  try {
    return act();
  } catch {
    return null;
  }
}

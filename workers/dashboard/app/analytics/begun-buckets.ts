/** Which buckets of a series have begun, and whether the last of those is over: until then its number is one so far. Pure. */

export type Begun = { readonly count: number; readonly isOpen: boolean };

/** `starts` are the buckets' in order, `end` is that of the last one; instants in RFC 3339. */
export function begunBuckets(starts: readonly string[], end: string, nowMs: number): Begun {
  const count = starts.filter((start) => Date.parse(start) <= nowMs).length;
  return { count, isOpen: count > 0 && Date.parse(starts[count] ?? end) > nowMs };
}

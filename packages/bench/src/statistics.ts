/** The few statistics the bench speaks of. Pure; every function wants at least one value. */

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** Linear interpolation between the closest ranks, `percent` in 0 to 100. */
export function percentile(values: readonly number[], percent: number): number {
  const ordered = values.toSorted((one, other) => one - other);
  const position = ((ordered.length - 1) * percent) / 100;
  const below = ordered[Math.floor(position)];
  const above = ordered[Math.ceil(position)];
  if (below === undefined || above === undefined) {
    throw new Error("invariant: statistics of no values");
  }
  return below + (above - below) * (position - Math.floor(position));
}

/** How far values lie from their mean. */
export function standardDeviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}

/** A new order of `items`; the same `random` gives the same order (Fisher-Yates). */
export function shuffle<T>(items: readonly T[], random: () => number): readonly T[] {
  const waiting = [...items];
  const shuffled: T[] = [];
  while (waiting.length > 0) {
    shuffled.push(...waiting.splice(Math.floor(random() * waiting.length), 1));
  }
  return shuffled;
}

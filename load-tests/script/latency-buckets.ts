/**
 * A histogram of answer times that survives k6's REST API, which gives totals since the start and no percentiles of
 * the last second: one counter a bucket, and the difference of two readings is the histogram between them. Pure: the
 * script counts, the harness reads.
 */

/** Upper bounds in milliseconds, about half an octave apart; the last bucket has none. */
export const LATENCY_BOUNDS_MS: readonly number[] = [
  0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048,
  4096,
];

/** Names of the counters, one more than there are bounds. */
export const LATENCY_COUNTERS: readonly string[] = [...LATENCY_BOUNDS_MS, Infinity].map(
  (_bound, index) => `latency_${String(index).padStart(2, "0")}`,
);

/** The bucket of an answer that took this long: the first whose bound is not below it. */
export function latencyBucketOf(durationMs: number): number {
  let low = 0;
  let high = LATENCY_BOUNDS_MS.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((LATENCY_BOUNDS_MS[middle] ?? Infinity) < durationMs) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/**
 * The answer time below which `share` of the requests were, in milliseconds, evenly spread inside a bucket; in the last
 * one its lower bound. `null` for an empty histogram.
 */
export function latencyAtShare(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total <= 0) {
    return null;
  }
  let rest = total * share;
  for (const [index, count] of counts.entries()) {
    if (count > 0 && rest <= count) {
      const lower = index === 0 ? 0 : (LATENCY_BOUNDS_MS[index - 1] ?? 0);
      const upper = LATENCY_BOUNDS_MS[index] ?? lower;
      return lower + (upper - lower) * (rest / count);
    }
    rest -= count;
  }
  return LATENCY_BOUNDS_MS.at(-1) ?? null;
}

/**
 * When to read the change feed. Pure: what is known and the time go in, a decision comes out.
 *
 * Busy isolates read once an interval, behind a response. One that knows nothing of the last two intervals reads before
 * it trusts its cache. A feed that fails or is slow is read less and less often, and no visitor waits for it.
 */

/** One second where the data centre's cache answers for the feed; see `paceOf`. */
export const READ_INTERVAL_MS = 1_000;

/** Each isolate of a workers.dev host asks the feed itself: the Cache API does nothing there. */
const UNCACHED_READ_INTERVAL_MS = 5_000;

export const FEED_BUDGET_MS = 50;

const SLOW_READ_MS = 500;
const MAX_INTERVAL_MS = 30_000;

export type FeedCursor = { readonly feedId: string; readonly sequence: number };

export type FeedState = {
  /** The last number read and whose it is; `null` before the first read. */
  readonly cursor: FeedCursor | null;
  /** The cache holds what was true then, epoch milliseconds. */
  readonly knownAtMs: number;
  readonly attemptedAtMs: number;
  /** Failed or slow reads in a row. */
  readonly failures: number;
  readonly slowReads: number;
};

export const UNREAD: FeedState = {
  cursor: null,
  knownAtMs: -Infinity,
  attemptedAtMs: -Infinity,
  failures: 0,
  slowReads: 0,
};

export type ReadPlan = "trust" | "read_behind" | "read_first";

/** `intervalMs` is the pace when all is well. */
export function planRead(state: FeedState, nowMs: number, intervalMs: number): ReadPlan {
  const backOff = 2 ** Math.min(state.failures + state.slowReads, 10);
  if (nowMs - state.attemptedAtMs < Math.min(intervalMs * backOff, Math.max(MAX_INTERVAL_MS, intervalMs))) {
    return "trust";
  }
  return nowMs - state.knownAtMs > 2 * intervalMs && state.failures === 0 ? "read_first" : "read_behind";
}

/** The pace for the host that is visited. */
export function paceOf(host: string): number {
  return host.endsWith(".workers.dev") ? UNCACHED_READ_INTERVAL_MS : READ_INTERVAL_MS;
}

export function afterSuccess(
  state: FeedState,
  read: {
    readonly cursor: FeedCursor;
    readonly knownAtMs: number;
    readonly tookMs: number;
    readonly hasNews: boolean;
  },
): FeedState {
  // A slow read that brought news was worth its time: to read less often would only make the next one slower.
  const isInVain = read.tookMs > SLOW_READ_MS && !read.hasNews;
  const slowReads = isInVain ? Math.min(state.slowReads + 1, 3) : 0;
  // Reads may overlap: one that ends later with an older page takes nothing back.
  const newer = read.knownAtMs >= state.knownAtMs ? read : state;
  return { ...state, cursor: newer.cursor, knownAtMs: newer.knownAtMs, failures: 0, slowReads };
}

export function afterFailure(state: FeedState): FeedState {
  return { ...state, failures: state.failures + 1 };
}

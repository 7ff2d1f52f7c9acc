/**
 * When to read the change feed. Pure: what is known and the time go in, a decision comes out.
 *
 * Busy isolates read when what they know is a second old, behind a response. One that knows nothing of the last two seconds reads
 * before it trusts its cache. A feed that fails or is slow is read less and less often, and no visitor waits for it.
 */

/** The data centre's copy of the head is as old at most, so that the object is read once a second from there. */
export const READ_INTERVAL_MS = 1_000;

/** Isolates of a data centre read at times that differ by up to this, so that one of them renews the copy for all. */
export const READ_SPREAD_MS = 200;

/** After a copy that was already old: another isolate is renewing it. */
const READ_AGAIN_MS = 250;

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
  /** The last attempt has not come back. */
  readonly isReading: boolean;
  /** Failed or slow reads in a row. */
  readonly failures: number;
  readonly slowReads: number;
};

export const UNREAD: FeedState = {
  cursor: null,
  knownAtMs: -Infinity,
  attemptedAtMs: -Infinity,
  isReading: false,
  failures: 0,
  slowReads: 0,
};

export type ReadPlan = "trust" | "read_behind" | "read_first";

/** `intervalMs` is the pace when all is well. */
export function planRead(state: FeedState, nowMs: number, intervalMs: number): ReadPlan {
  const troubles = state.failures + state.slowReads;
  const backOffMs = Math.min(intervalMs * 2 ** Math.min(troubles, 10), MAX_INTERVAL_MS);
  const pauseMs = troubles > 0 ? backOffMs : state.isReading ? intervalMs : READ_AGAIN_MS;
  if (nowMs - state.attemptedAtMs < pauseMs || nowMs - state.knownAtMs < intervalMs) {
    return "trust";
  }
  return nowMs - state.knownAtMs > 2 * intervalMs && state.failures === 0 ? "read_first" : "read_behind";
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
  return {
    ...state,
    cursor: newer.cursor,
    knownAtMs: newer.knownAtMs,
    isReading: false,
    failures: 0,
    slowReads,
  };
}

export function afterFailure(state: FeedState): FeedState {
  return { ...state, isReading: false, failures: state.failures + 1 };
}

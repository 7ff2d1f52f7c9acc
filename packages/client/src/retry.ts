/** When a request is sent again, and how long to wait before. Pure. */

/** What became of an attempt: an answer, or none. */
export type Attempt = {
  /** `null`: there was no answer. */
  readonly status: number | null;
  /** The value of `Retry-After`. */
  readonly retryAfter: string | null;
  /** The first attempt is 0. */
  readonly number: number;
  /** Repeating the request does no harm: it is a GET, or has an Idempotency-Key. */
  readonly isRepeatable: boolean;
};

/** The longest wait: the API's own limits count by the minute. */
const MAX_WAIT_MS = 60_000;
/** Before the first retry, doubled before each further one. */
const FIRST_WAIT_MS = 500;

/** Milliseconds until the next attempt; `null` when there is none. `random` is in [0, 1). */
export function planRetry(
  attempt: Attempt,
  { nowMs, random }: { readonly nowMs: number; readonly random: number },
): number | null {
  const asksForMs = readRetryAfter(attempt.retryAfter, nowMs);
  if (!isWorthRepeating(attempt, asksForMs) || (asksForMs ?? 0) > MAX_WAIT_MS) {
    return null;
  }
  const backoffMs = FIRST_WAIT_MS * 2 ** attempt.number;
  // Up to a quarter more, so that clients that failed together do not come back together.
  return Math.round((asksForMs ?? backoffMs) + (backoffMs * random) / 4);
}

function isWorthRepeating({ status, isRepeatable }: Attempt, asksForMs: number | null): boolean {
  if (status === 429) {
    // Refused before anything was done.
    return true;
  }
  // 409 with Retry-After: the first attempt is still being carried out.
  // 501: the deployment has no such thing, such as email.
  const isPassing =
    status === null || (status >= 500 && status !== 501) || (status === 409 && asksForMs !== null);
  return isRepeatable && isPassing;
}

/** Seconds, or an HTTP date (RFC 9110, 10.2.3), in milliseconds from now. */
function readRetryAfter(value: string | null, nowMs: number): number | null {
  if (value === null) {
    return null;
  }
  if (/^\d+$/.test(value)) {
    return Number(value) * 1_000;
  }
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

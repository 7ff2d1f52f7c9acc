/** How many keys an isolate may look up in the database for nothing: a token bucket, refilled by the clock alone. */

export type AbsenceBudgetLimits = {
  /** Tokens at the start, and the most that are ever held. */
  readonly burst: number;
  readonly perSecond: number;
};

export interface AbsenceBudget {
  /** Whether one more key may be looked up, while `inFlight` others are. */
  allows(nowMs: number, inFlight: number): boolean;
  charge(): void;
  /** A look-up has found something: a crowd with a few mistyped addresses is no scan. */
  credit(): void;
}

/** One absence in twenty look-ups costs nothing. */
const CREDIT_SHARE = 0.05;

/**
 * It is not known beforehand which look-ups find nothing, and refusing real links in a cold burst would be worse than a few
 * look-ups too many: of those in flight one in ten is presumed to. What was presumed wrongly is paid off first.
 */
const PRESUMED_SHARE = 0.1;

/**
 * Between two instants at most `burst / PRESUMED_SHARE + perSecond * seconds` keys are looked up for nothing; one after the
 * other, at most `burst + perSecond * seconds`. On top of either: a twentieth of those that were found.
 */
export function createAbsenceBudget({ burst, perSecond }: AbsenceBudgetLimits): AbsenceBudget {
  let tokens = burst;
  let filledAtMs = -Infinity;
  return {
    allows(nowMs, inFlight) {
      // A clock that is set back refills nothing and starts again from there.
      const elapsedMs = Math.max(0, nowMs - filledAtMs);
      tokens = Math.min(burst, tokens + (elapsedMs * perSecond) / 1_000);
      filledAtMs = nowMs;
      return tokens >= 1 + inFlight * PRESUMED_SHARE;
    },
    charge() {
      // The debt has a bound: an isolate must not refuse for minutes because of one burst.
      tokens = Math.max(-burst, tokens - 1);
    },
    credit() {
      tokens = Math.min(burst, tokens + CREDIT_SHARE);
    },
  };
}

/** A token bucket: a burst, refilled at a steady rate by the clock alone (no timers). */

export type TokenBudgetLimits = {
  /** Tokens at the start, and the most that are ever held. */
  readonly burst: number;
  readonly perSecond: number;
};

export interface TokenBudget {
  /** Takes one token. False when none is left. */
  take(nowMs: number): boolean;
  /** Returns a token that was taken and not needed. */
  giveBack(): void;
}

/** Between two instants at most `burst + perSecond * seconds` tokens are taken and kept. */
export function createTokenBudget({ burst, perSecond }: TokenBudgetLimits): TokenBudget {
  let tokens = burst;
  let filledAtMs = Number.NEGATIVE_INFINITY;
  return {
    take(nowMs) {
      // A clock that is set back refills nothing and starts again from there.
      const elapsedMs = Math.max(0, nowMs - filledAtMs);
      tokens = Math.min(burst, tokens + (elapsedMs * perSecond) / 1_000);
      filledAtMs = nowMs;
      if (tokens < 1) {
        return false;
      }
      tokens -= 1;
      return true;
    },
    giveBack() {
      tokens = Math.min(burst, tokens + 1);
    },
  };
}

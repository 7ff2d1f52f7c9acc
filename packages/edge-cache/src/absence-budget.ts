export type AbsenceBudgetLimits = {
  /** Tokens at the start, and the most that are ever held. */
  readonly burst: number;
  readonly perSecond: number;
};

/** One absence in twenty look-ups costs nothing. */
const CREDIT_SHARE = 0.05;

/**
 * It is not known beforehand which look-ups find nothing, and refusing real links in a cold burst would be worse than a few
 * look-ups too many: of those in flight one in ten is presumed to. What was presumed wrongly is paid off first.
 */
const PRESUMED_SHARE = 0.1;

/**
 * How many keys an isolate may look up in the database for nothing: a token bucket, refilled by the clock alone. Between two
 * instants at most `burst / PRESUMED_SHARE + perSecond * seconds` keys are; one after the other, at most
 * `burst + perSecond * seconds`. On top of either: a twentieth of those that were found.
 */
export class AbsenceBudget {
  readonly #limits: AbsenceBudgetLimits;
  #tokens: number;
  #filledAtMs = -Infinity;

  constructor(limits: AbsenceBudgetLimits) {
    this.#limits = limits;
    this.#tokens = limits.burst;
  }

  /** Whether one more key may be looked up, while `inFlight` others are. */
  allows(nowMs: number, inFlight: number): boolean {
    // A clock that is set back refills nothing and starts again from there.
    const elapsedMs = Math.max(0, nowMs - this.#filledAtMs);
    this.#add((elapsedMs * this.#limits.perSecond) / 1_000);
    this.#filledAtMs = nowMs;
    return this.#tokens >= 1 + inFlight * PRESUMED_SHARE;
  }

  charge(): void {
    // The debt has a bound: an isolate must not refuse for minutes because of one burst.
    this.#tokens = Math.max(-this.#limits.burst, this.#tokens - 1);
  }

  /** A look-up has found something: a crowd with a few mistyped addresses is no scan. */
  credit(): void {
    this.#add(CREDIT_SHARE);
  }

  #add(tokens: number): void {
    this.#tokens = Math.min(this.#limits.burst, this.#tokens + tokens);
  }
}

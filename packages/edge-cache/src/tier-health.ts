const FAILURE_MEMORY_MS = 10_000;

/** Between failures that are further apart than this it may have worked. */
const OUTAGE_GAP_MS = 60_000;

/** How often a failing tier is tried in the background, on behalf of keys that are held. */
const PROBE_EVERY_MS = 1_000;

/**
 * Remembers that a tier has failed, so that a visitor for whom an older answer is held does not wait for it again and
 * again. After a while it forgets: without news the tier is assumed to work.
 */
export class TierHealth {
  #failedAtMs = -Infinity;
  #failsSinceMs = -Infinity;
  #probedAtMs = -Infinity;

  failed(nowMs: number): void {
    this.#failsSinceMs = this.workedUntilMs(nowMs);
    this.#failedAtMs = nowMs;
  }

  worked(): void {
    this.#failedAtMs = -Infinity;
  }

  isFailing(nowMs: number): boolean {
    return nowMs - this.#failedAtMs < FAILURE_MEMORY_MS;
  }

  /** The last moment at which it may have worked. */
  workedUntilMs(nowMs: number): number {
    return nowMs - this.#failedAtMs <= OUTAGE_GAP_MS ? this.#failsSinceMs : nowMs;
  }

  /** True at most once a second: the caller tries the tier. */
  takeProbe(nowMs: number): boolean {
    const isTime = nowMs - this.#probedAtMs >= PROBE_EVERY_MS;
    this.#probedAtMs = isTime ? nowMs : this.#probedAtMs;
    return isTime;
  }
}

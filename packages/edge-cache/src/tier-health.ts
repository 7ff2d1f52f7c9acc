const FAILURE_MEMORY_MS = 10_000;

/** How often a failing tier is tried in the background, on behalf of keys that are held. */
const PROBE_EVERY_MS = 1_000;

/**
 * Remembers that a tier has failed, so that a visitor for whom an older answer is held does not wait for it again and
 * again. After a while it forgets: without news the tier is assumed to work.
 */
export class TierHealth {
  #failedAtMs = -Infinity;
  #probedAtMs = -Infinity;

  failed(nowMs: number): void {
    this.#failedAtMs = nowMs;
  }

  worked(): void {
    this.#failedAtMs = -Infinity;
  }

  isFailing(nowMs: number): boolean {
    return nowMs - this.#failedAtMs < FAILURE_MEMORY_MS;
  }

  /** True at most once a second: the caller tries the tier. */
  takeProbe(nowMs: number): boolean {
    const isTime = nowMs - this.#probedAtMs >= PROBE_EVERY_MS;
    this.#probedAtMs = isTime ? nowMs : this.#probedAtMs;
    return isTime;
  }
}

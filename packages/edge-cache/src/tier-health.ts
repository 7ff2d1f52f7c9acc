/**
 * Remembers that a tier has failed, so that a visitor for whom an older answer is held does not wait for it again and
 * again. After a while it forgets: without news the tier is assumed to work.
 */

const FAILURE_MEMORY_MS = 10_000;

/** How often a failing tier is tried in the background, on behalf of keys that are held. */
const PROBE_EVERY_MS = 1_000;

export interface TierHealth {
  failed(nowMs: number): void;
  worked(): void;
  isFailing(nowMs: number): boolean;
  /** True at most once a second: the caller tries the tier. */
  takeProbe(nowMs: number): boolean;
}

export function createTierHealth(): TierHealth {
  let failedAtMs = -Infinity;
  let probedAtMs = -Infinity;
  return {
    failed(nowMs) {
      failedAtMs = nowMs;
    },
    worked() {
      failedAtMs = -Infinity;
    },
    isFailing: (nowMs) => nowMs - failedAtMs < FAILURE_MEMORY_MS,
    takeProbe(nowMs) {
      if (nowMs - probedAtMs < PROBE_EVERY_MS) {
        return false;
      }
      probedAtMs = nowMs;
      return true;
    },
  };
}

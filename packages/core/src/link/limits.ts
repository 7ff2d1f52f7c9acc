/**
 * Start and expiry of a link, compared with the clock on every redirect: a cached record ends in the same second as the
 * one in the database. Pure; what an ended link answers (410, a fallback URL) is not decided here.
 */

/** Epoch milliseconds; absent means no bound. */
export type ScheduleLimits = {
  /** First instant at which the link answers. */
  readonly startsAtMs?: number | undefined;
  /** First instant at which it no longer does. */
  readonly expiresAtMs?: number | undefined;
};

export type Standing = "open" | "not-started" | "expired";

/** Where `nowMs` lies. An expiry before the start cannot be written; were it read, "expired" is the final word. */
export function standing(limits: ScheduleLimits, nowMs: number): Standing {
  if (limits.expiresAtMs !== undefined && nowMs >= limits.expiresAtMs) {
    return "expired";
  }
  return limits.startsAtMs !== undefined && nowMs < limits.startsAtMs ? "not-started" : "open";
}

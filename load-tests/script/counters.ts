/** What the scripts count on top of k6's own metrics. Pure: the script counts, the runner reads. */

/** The tiers that `Server-Timing` can name. */
export const TIERS = ["isolate", "kv", "db", "stale", "negative"] as const;
export type Tier = (typeof TIERS)[number];

/** Every answer is one of these. */
export const ANSWERS = ["redirects", "answers_429", "answers_5xx", "answers_other"] as const;

/** Redirects to another address than the link's. */
export const WRONG_LOCATION = "wrong_location";

/** The tier in a `Server-Timing` header, `isolate` or `isolate;dur=0.1`; `null` when it names none that we know. */
export function tierOf(serverTiming: string): Tier | null {
  const name = /^[a-z]+/.exec(serverTiming.trim())?.[0];
  return TIERS.find((tier) => tier === name) ?? null;
}

/** The name of a tier's counter. */
export function tierCounter(tier: Tier): string {
  return `tier_${tier}`;
}

export function answerOf(status: number): (typeof ANSWERS)[number] {
  if (status === 302) {
    return "redirects";
  }
  if (status === 429) {
    return "answers_429";
  }
  return status >= 500 ? "answers_5xx" : "answers_other";
}

/** What the scripts count on top of k6's own metrics. Pure: the script counts, the runner reads. */

/** The tiers that `Server-Timing` can name. */
export const TIERS = ["isolate", "kv", "db", "stale", "negative"] as const;
export type Tier = (typeof TIERS)[number];

/** Every visit ends as one of these. */
export const ANSWERS = ["redirects", "answers_429", "answers_5xx", "answers_other", "unanswered"] as const;

/** Redirects to another address than the link's. */
export const WRONG_LOCATION = "wrong_location";

/** The tier in a `Server-Timing` header, `isolate` or `isolate;dur=0.1`; `null` when it names none that we know. */
export function tierOf(serverTiming: string): Tier | null {
  const name = /^[a-z]+/.exec(serverTiming.trim())?.[0];
  return TIERS.find((tier) => tier === name) ?? null;
}

/** The Worker that answers everything with the same 302. */
export const CONSTANT = "constant";

/** Whose answer times are noted apart. */
export const TIMED = [...TIERS, CONSTANT] as const;
export type Timed = (typeof TIMED)[number];

/** The name of its answer times, in milliseconds. */
export function tookOf(tier: Timed): string {
  return `took_${tier}`;
}

/** The name of the sum of their squares, of which k6 makes no spread itself. */
export function squaresOf(tier: Timed): string {
  return `took_${tier}_squares`;
}

/** What k6 says of a visitor who gave up, or whose connection broke. */
const NO_ANSWER = 0;

export function answerOf(status: number): (typeof ANSWERS)[number] {
  if (status === 302) {
    return "redirects";
  }
  if (status === 429) {
    return "answers_429";
  }
  if (status === NO_ANSWER) {
    return "unanswered";
  }
  return status >= 500 ? "answers_5xx" : "answers_other";
}

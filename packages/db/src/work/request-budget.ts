/**
 * How many requests an invocation may still make: statements, KV, queues, other Workers and receivers alike. Cloudflare ends one that
 * makes too many in the middle of whatever it does: 50 on Workers Free. Jobs stop before, and the next invocation continues.
 */
export interface RequestBudget {
  spend(requests: number): void;
  left(): number;
}

/** What an item of work takes at most, with what ends a run after it. */
export const ENOUGH_FOR_AN_ITEM = 30;

/** With so many, as Workers Paid allows, jobs run in parallel; with fewer, one after the other. */
const MANY = 1_000;

export function createRequestBudget(limit: number): RequestBudget {
  let spent = 0;
  return {
    spend(requests) {
      spent += requests;
    },
    left: () => limit - spent,
  };
}

export function isForOneAtATime(limit: number): boolean {
  return limit < MANY;
}

/** The variable SUBREQUESTS; anything that is no number counts as Workers Paid's. */
export function parseSubrequests(text: string | undefined): number {
  const requests = Number(text ?? "");
  return Number.isSafeInteger(requests) && requests > 0 ? requests : 10_000;
}

import { expect, it } from "vitest";
import { type Attempt, planRetry } from "../src/retry.ts";

const NOW_MS = Date.parse("2026-11-22T12:00:00Z");

function plan(change: Partial<Attempt>, random = 0): number | null {
  const attempt = { status: 503, retryAfter: null, number: 0, isRepeatable: true, ...change };
  return planRetry(attempt, { nowMs: NOW_MS, random });
}

it.each<[string, Partial<Attempt>, number | null]>([
  ["a 503", { status: 503 }, 500],
  ["a 500", { status: 500 }, 500],
  ["no answer", { status: null }, 500],
  ["the second failure", { number: 1 }, 1_000],
  ["the third failure", { number: 2 }, 2_000],
  ["a 503 that says when", { retryAfter: "5" }, 5_000],
  ["a date", { retryAfter: "Sun, 22 Nov 2026 12:00:07 GMT" }, 7_000],
  ["a date that is over", { retryAfter: "Sun, 22 Nov 2026 11:00:00 GMT" }, 0],
  ["nonsense in Retry-After", { retryAfter: "soon" }, 500],
  ["a wait of a minute", { retryAfter: "60" }, 60_000],
  ["a wait of more than a minute", { retryAfter: "61" }, null],
  ["429", { status: 429, retryAfter: "2" }, 2_000],
  ["409 while the first attempt is carried out", { status: 409, retryAfter: "5" }, 5_000],
  ["409 for another reason", { status: 409 }, null],
  ["404", { status: 404 }, null],
  ["501: the deployment has no such thing", { status: 501 }, null],
  ["422", { status: 422, retryAfter: "1" }, null],
])("after %s a GET waits as it should", (_what, change, waitMs) => {
  expect(plan(change)).toBe(waitMs);
});

it.each([
  ["a 503", { status: 503, retryAfter: "1" }, null],
  ["no answer", { status: null }, null],
  ["409 with Retry-After", { status: 409, retryAfter: "1" }, null],
  // It was refused before anything was done.
  ["429", { status: 429, retryAfter: "1" }, 1_000],
])("after %s what could be done twice is not repeated, but what was refused is", (_what, change, waitMs) => {
  expect(plan({ ...change, isRepeatable: false })).toBe(waitMs);
});

it("spreads retries, and never comes back before it was told to", () => {
  expect(plan({}, 0.999)).toBe(625);
  expect(plan({ retryAfter: "5" }, 0.999)).toBe(5_125);
});

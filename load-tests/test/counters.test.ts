import { expect, it } from "vitest";
import { answerOf, tierOf } from "../script/counters.ts";

it.each([
  ["isolate", "isolate"],
  ["kv;dur=1.2", "kv"],
  [" stale", "stale"],
  ["moon", null],
  ["", null],
])("reads the tier of Server-Timing %j as %s", (header, tier) => {
  expect(tierOf(header)).toBe(tier);
});

it.each([
  [302, "redirects"],
  [429, "answers_429"],
  [500, "answers_5xx"],
  [503, "answers_5xx"],
  [404, "answers_other"],
  // k6's status of a request without an answer.
  [0, "unanswered"],
])("counts status %i among %s", (status, name) => {
  expect(answerOf(status)).toBe(name);
});

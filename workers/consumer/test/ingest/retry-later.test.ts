import { expect, it } from "vitest";
import { retryDelaySeconds } from "../../src/ingest/retry-later.ts";

it.each([
  [1, 0, 1],
  [1, 0.999, 4],
  [2, 0.999, 8],
  [5, 0.999, 64],
  [8, 0.999, 512],
  [9, 0.999, 900],
  [100, 0.999, 900],
  [100, 0, 1],
])("waits, after delivery %i with luck %d, %i seconds", (attempts, random, seconds) => {
  expect(retryDelaySeconds(attempts, random)).toBe(seconds);
});

it("outlasts a database outage of ten hours with the hundred attempts of the configuration", () => {
  let waited = 0;
  for (let attempts = 1; attempts <= 100; attempts += 1) {
    waited += retryDelaySeconds(attempts, 0.5);
  }
  expect(waited).toBeGreaterThan(10 * 3600);
});

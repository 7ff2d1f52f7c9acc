import { expect, it } from "vitest";
import { retryDelaySeconds, retryLater } from "../../src/ingest/retry-later.ts";
import { segmentMessage } from "../consumer-stage.ts";

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

it("delivers every dead letter within eight minutes of the database's return, and outlasts another six hours", () => {
  let waited = 0;
  for (let attempts = 1; attempts <= 100; attempts += 1) {
    const letter = () => [segmentMessage(1, 10, attempts)];
    expect(retryLater("hopline-clicks-dead-staging", letter(), () => 0.999)).toBeLessThanOrEqual(480);
    waited += retryLater("hopline-clicks-dead", letter(), () => 0.5);
  }
  expect(waited).toBeGreaterThan(6 * 3600);
});

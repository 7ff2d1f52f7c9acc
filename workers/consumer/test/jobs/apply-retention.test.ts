import { expect, it } from "vitest";
import { applyRetention, parseRetentionDays } from "../../src/jobs/apply-retention.ts";

it.each([
  ["30", 30],
  ["0", null],
  ["", null],
  [undefined, null],
  ["-1", null],
  ["1.5", null],
  ["thirty", null],
])("RETENTION_DAYS %j means %j days", (text, days) => {
  expect(parseRetentionDays(text)).toBe(days);
});

function aStage(isInClickHouse: boolean) {
  const asked: number[] = [];
  const deleted: number[] = [];
  const misses: number[] = [];
  const deps = {
    dropOldMisses: async (beforeMs: number) => void misses.push(beforeMs),
    dropSpooledClicks: () => Promise.resolve(isInClickHouse),
    deleteOldClicks: async (beforeMs: number) => void deleted.push(beforeMs),
    dropOldClicks: (beforeMs: number) => {
      asked.push(beforeMs);
      return Promise.resolve({ events: 0, chunks: 0, ledgerRows: 0, edgeReports: 0, deadLetters: 0 });
    },
    nowMs: () => Date.UTC(2026, 10, 21, 23, 59),
    log: () => undefined,
  };
  return { asked, deleted, misses, deps };
}

it("removes whole UTC days, and nothing without a number of days", async () => {
  const { asked, deleted, deps } = aStage(false);
  await applyRetention(null, deps);
  await applyRetention(30, deps);
  expect(asked).toEqual([Date.UTC(2026, 9, 22)]);
  expect(deleted).toEqual([]);
});

it("removes visits without a link after as many days, or 90", async () => {
  const { misses, deps } = aStage(false);
  await applyRetention(null, deps);
  await applyRetention(30, deps);
  expect(misses).toEqual([Date.UTC(2026, 7, 23), Date.UTC(2026, 9, 22)]);
});

it("deletes as many days from ClickHouse, where clicks are counted there", async () => {
  const { asked, deleted, deps } = aStage(true);
  await applyRetention(30, deps);
  expect([asked, deleted]).toEqual([[Date.UTC(2026, 9, 22)], [Date.UTC(2026, 9, 22)]]);
});

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

function aStage(heldFromMs: number | null) {
  const asked: number[] = [];
  const deps = {
    findHeldFrom: () => Promise.resolve(heldFromMs),
    dropOldClicks: (beforeMs: number) => {
      asked.push(beforeMs);
      return Promise.resolve({ events: 0, chunks: 0, ledgerRows: 0, edgeReports: 0, deadLetters: 0 });
    },
    nowMs: () => Date.UTC(2026, 10, 21, 23, 59),
    log: () => undefined,
  };
  return { asked, deps };
}

it("removes whole UTC days, and nothing without a number of days", async () => {
  const { asked, deps } = aStage(null);
  await applyRetention(null, deps);
  await applyRetention(30, deps);
  expect(asked).toEqual([Date.UTC(2026, 9, 22)]);
});

it("keeps a day until ClickHouse has it", async () => {
  const { asked, deps } = aStage(Date.UTC(2026, 9, 20));
  await applyRetention(30, deps);
  expect(asked).toEqual([Date.UTC(2026, 9, 20)]);
});

/** When the removal of clicks goes on, waits and ends. What it does to the database: packages/analytics/test/cube. */
import type { RunTransaction } from "@hopline/db/neon-client";
import { toStatement } from "@hopline/db/sql";
import { expect, it } from "vitest";
import { type RemoveClicksDeps, removeClicksHandler } from "../../src/jobs/remove-clicks.ts";

const PAYLOAD = {
  workspaceId: "0198f3c2-0000-7000-8000-000000000001",
  linkId: "0198f3c2-0000-7000-8000-00000000000a",
};

function run(payload: object, change: Partial<RemoveClicksDeps> = {}) {
  const handler = removeClicksHandler({
    runTransaction: async () => [],
    deleteClicks: null,
    mayGoOn: () => true,
    newLeaseId: () => "00000000-0000-4000-8000-000000000001",
    nowMs: () => 0,
    ...change,
  });
  const item = { kind: "remove-clicks", key: "a", payload: { ...payload }, revision: 1, attempts: 1 };
  return handler.run(item, new AbortController().signal);
}

/** A database with clicks on one day, which somebody else has leased or not. */
const withDay =
  (isLeased: boolean): RunTransaction =>
  async (statements) =>
    statements.map(toStatement).map(({ text }) => {
      if (text.includes("min(bucket_start)")) {
        return [{ day: "2026-01-20" }];
      }
      return text.includes("INSERT INTO work") && !isLeased ? [{}] : [];
    });

/** A database without those clicks, which are counted in ClickHouse. */
const inClickHouse: RunTransaction = async (statements) =>
  statements
    .map(toStatement)
    .map(({ text }) => (text.includes("FROM counting_mode") ? [{ mode: "clickhouse" }] : []));

it("deletes them from ClickHouse when no answer counts them any more, and is tried again if that fails", async () => {
  const removed: unknown[] = [];
  const runTransaction = inClickHouse;
  await run(PAYLOAD, { runTransaction, deleteClicks: async (target) => void removed.push(target) });
  expect(removed).toEqual([PAYLOAD]);
  const down = () => Promise.reject(new TypeError("down"));
  await expect(run(PAYLOAD, { runTransaction, deleteClicks: down })).rejects.toThrow("down");
  await expect(run(PAYLOAD, { runTransaction })).rejects.toThrow("CLICKHOUSE_URL is missing");
  expect(await run(PAYLOAD)).toBeUndefined();
});

it("deletes them once more, as a batch may have found the link before that it inserts clicks of after", async () => {
  const left = new Set(["counted"]);
  const deps = { runTransaction: inClickHouse, deleteClicks: async () => left.clear() };
  const again = await run(PAYLOAD, deps);
  left.add("inserted after");
  expect(again).toEqual({ againInSeconds: 300, change: { isDeleted: true } });
  expect(await run({ ...PAYLOAD, ...again?.change }, deps)).toBeUndefined();
  expect([...left]).toEqual([]);
});

it("waits for a day that is being pre-aggregated", async () => {
  expect(await run(PAYLOAD, { runTransaction: withDay(true) })).toEqual({
    againInSeconds: 10,
    change: { fromDay: "2026-01-20" },
  });
});

it("goes on after its time with the day that it was at", async () => {
  let now = 0;
  const nowMs = () => (now += 3_000);
  expect(await run({ ...PAYLOAD, fromDay: "2026-01-19" }, { runTransaction: withDay(false), nowMs })).toEqual(
    {
      againInSeconds: 0,
      change: { fromDay: "2026-01-20" },
    },
  );
});

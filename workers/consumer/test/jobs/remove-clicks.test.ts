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
    removeCopies: null,
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

it("removes the copies in ClickHouse when Postgres has no more of the clicks, and is tried again if that fails", async () => {
  const removed: unknown[] = [];
  await run(PAYLOAD, { removeCopies: async (target) => void removed.push(target) });
  expect(removed).toEqual([PAYLOAD]);
  await expect(run(PAYLOAD, { removeCopies: () => Promise.reject(new TypeError("down")) })).rejects.toThrow(
    "down",
  );
  expect(await run(PAYLOAD, { removeCopies: null })).toBeUndefined();
});

it("removes the copies once more, as a copier may have read clicks before that it inserts after", async () => {
  const inClickHouse = new Set(["copied"]);
  const removeCopies = async () => inClickHouse.clear();
  const again = await run(PAYLOAD, { removeCopies });
  inClickHouse.add("inserted after");
  expect(again).toEqual({ againInSeconds: 300, change: { isCopyGone: true } });
  expect(await run({ ...PAYLOAD, ...again?.change }, { removeCopies })).toBeUndefined();
  expect([...inClickHouse]).toEqual([]);
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

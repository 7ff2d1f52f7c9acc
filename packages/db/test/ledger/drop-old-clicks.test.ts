/** Retention on the Postgres that DATABASE_URL names: by chunks on a hypertable, else by slices of rows. */
import { expect, it } from "vitest";
import { dropOldClicks } from "../../src/ledger/drop-old-clicks.ts";
import { DAY_MS, TIMEOUT_MS, useDbStage } from "../db-stage.ts";

const TODAY = Date.UTC(2026, 10, 21);
const options = { beforeMs: TODAY - 2 * DAY_MS, timeoutMs: TIMEOUT_MS, sliceRows: 7 };

const { select, insert, runSql } = useDbStage();

it("removes clicks before the day and keeps the rest, the rollups, and the ledger of isolates that are still active", async () => {
  const oldDay = (index: number) => ({ clickedAtMs: TODAY - 5 * DAY_MS + index });
  const youngDay = (index: number) => ({ clickedAtMs: TODAY + index });
  await insert([
    { isolateId: "0000000000000001", count: 20, row: oldDay },
    { isolateId: "0000000000000002", count: 20, row: oldDay },
    { isolateId: "0000000000000002", first: 21, count: 5, row: youngDay },
    { isolateId: "0000000000000003", count: 5, row: () => ({ clickedAtMs: options.beforeMs }) },
  ]);
  await select(
    `INSERT INTO dead_letters (id, kind, reason, source, body, created_at)
     VALUES (gen_random_uuid(), 'message_undecodable', 'format', 'test', 'sealed', '2026-11-01'),
            (gen_random_uuid(), 'message_undecodable', 'format', 'test', 'sealed', '2026-11-21')`,
  );

  await select("DELETE FROM work");
  // The copier may have emptied the day, to fill it again from here.
  await select("INSERT INTO work (kind, key) VALUES ('clickhouse', '2026-11-16')");
  expect(await dropOldClicks(runSql, options)).toBeNull();
  await select("DELETE FROM work");
  const report = await dropOldClicks(runSql, options);
  expect(report).toMatchObject({ ledgerRows: 1, deadLetters: 1 });
  expect([report?.events, report?.chunks]).toEqual(report?.events === null ? [null, 1] : [40, 0]);
  expect(await count("click_events")).toBe(10);
  expect(await sum("SELECT sum(clicks)::int AS n FROM click_rollups")).toBe(50);
  expect(
    await sum("SELECT count(*)::int AS n FROM segment_ledger WHERE isolate_id = '0000000000000002'"),
  ).toBe(2);
  expect(await count("dead_letters")).toBe(1);

  expect(await dropOldClicks(runSql, options)).toMatchObject({ chunks: 0, ledgerRows: 0, deadLetters: 0 });
});

function count(table: string): Promise<number> {
  return sum(`SELECT count(*)::int AS n FROM ${table}`);
}

async function sum(statement: string): Promise<number> {
  return Number((await select(statement))[0]?.["n"]);
}

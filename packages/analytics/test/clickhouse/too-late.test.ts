import { ClickHouseFailure } from "@hopline/clickhouse/clickhouse-client";
import { toStatement } from "@hopline/db/sql";
import { expect, it } from "vitest";
import { createClickHouseEngine } from "../../src/clickhouse/clickhouse-engine.ts";
import { totalsOf } from "../../src/engine.ts";

const WORKSPACE_ID = "0198f3c2-0000-7000-8000-000000000000";

it.each([
  [10_000_000, "ClickHouse.TIMEOUT_EXCEEDED"],
  [10_000_001, "TooWideError"],
])("of %d clicks, an answer that comes too late ends in %s", async (clicks, name) => {
  const late = () => Promise.reject(new ClickHouseFailure("too late", "TIMEOUT_EXCEEDED"));
  const rowsOf = (text: string) =>
    text.includes("AS newest_s")
      ? [{ which: "old", clicks, hashes: "0", newest_s: 0, kept_s: 0 }]
      : text.includes("AS mode")
        ? [{ mode: "clickhouse" }]
        : [];
  const engine = createClickHouseEngine({
    clickHouse: { select: late, insert: late, execute: late },
    database: {
      runTransaction: async (statements) => statements.map((one) => rowsOf(toStatement(one).text)),
      timeoutMs: 1_000,
    },
  });
  const question = {
    workspaceId: WORKSPACE_ID,
    range: { fromMs: 0, toMs: 86_400_000 },
    filters: [{ dimension: "city", is: ["Zürich"], isNot: [] }],
  } as const;
  await expect(engine.answer([totalsOf(question, false)])).rejects.toMatchObject({ name });
});

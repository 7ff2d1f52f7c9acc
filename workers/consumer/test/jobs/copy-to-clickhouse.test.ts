import type { SqlStatement } from "@hopline/db/neon-client";
import { expect, it } from "vitest";
import { copyToClickHouse } from "../../src/jobs/copy-to-clickhouse.ts";
import type { LogEvent } from "../../src/log.ts";

const REPORT = { sealed: 2, wrong: 1, isBehind: false };

/** A table of work with one item, which can be claimed once. */
function aStage(copyClicks: () => Promise<typeof REPORT>) {
  const log: LogEvent[] = [];
  const settled: string[] = [];
  let isDue = true;
  const runTransaction = (statements: readonly SqlStatement[]) =>
    Promise.resolve(
      statements.map(({ text, parameters }) => {
        if (text.includes("settled AS")) {
          settled.push(String(parameters[2]));
        }
        const isClaimed = text.includes("SKIP LOCKED") && isDue;
        isDue &&= !isClaimed;
        return isClaimed ? [{ kind: "clickhouse", key: "copy", payload: {}, revision: 1, attempts: 1 }] : [];
      }),
    );
  const deps = { copyClicks, runTransaction, nowMs: () => 0, log: (event: LogEvent) => void log.push(event) };
  return { log, settled, run: () => copyToClickHouse(deps) };
}

it("logs what was sealed, and is due again", async () => {
  const { log, settled, run } = aStage(() => Promise.resolve(REPORT));
  await run();
  expect(log).toEqual([{ event: "clickhouse.copied", ...REPORT }]);
  expect(settled).toEqual([expect.stringContaining('"outcome":"again"')]);
});

it("logs by name, and without a message, that ClickHouse is away, and is tried again", async () => {
  const failure = Object.assign(new Error("https://user:password@host"), { name: "ClickHouse.unavailable" });
  const { log, settled, run } = aStage(() => Promise.reject(failure));
  await run();
  expect(log).toEqual([
    { event: "job.failed", job: "clickhouse", reason: "ClickHouse.unavailable", sqlState: null },
  ]);
  expect(settled).toEqual([expect.stringContaining('"outcome":"failed"')]);
});

it("never rejects when the database is away", async () => {
  const log: LogEvent[] = [];
  await copyToClickHouse({
    copyClicks: () => Promise.resolve(REPORT),
    runTransaction: () => Promise.reject(new TypeError("fetch failed")),
    nowMs: () => 0,
    log: (event) => void log.push(event),
  });
  expect(log).toEqual([{ event: "job.failed", job: "clickhouse", reason: "TypeError", sqlState: null }]);
});

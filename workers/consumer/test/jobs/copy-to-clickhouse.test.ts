import { expect, it } from "vitest";
import { copyHandler } from "../../src/jobs/copy-to-clickhouse.ts";
import type { LogEvent } from "../../src/log.ts";

const ITEM = { kind: "clickhouse", key: "copy", payload: {}, revision: 1, attempts: 1 };
const SIGNAL = new AbortController().signal;

it.each([
  ["logs what was sealed, and is due in the next minute", { sealed: 2, wrong: 1, isBehind: false }, 50],
  ["is due at once while there is more to copy", { sealed: 0, wrong: 0, isBehind: true }, 0],
])("%s", async (_what, report, againInSeconds) => {
  const log: LogEvent[] = [];
  const handler = copyHandler(
    () => Promise.resolve(report),
    (event) => void log.push(event),
  );
  expect(await handler.run(ITEM, SIGNAL)).toEqual({ againInSeconds });
  expect(log).toEqual([{ event: "clickhouse.copied", ...report }]);
});

it("logs nothing when there was nothing to do, and fails when ClickHouse is away", async () => {
  const log: LogEvent[] = [];
  const report = { sealed: 0, wrong: 0, isBehind: false };
  await copyHandler(
    () => Promise.resolve(report),
    (event) => void log.push(event),
  ).run(ITEM, SIGNAL);
  expect(log).toEqual([]);
  const failing = copyHandler(
    () => Promise.reject(new Error("away")),
    () => undefined,
  );
  await expect(failing.run(ITEM, SIGNAL)).rejects.toThrow("away");
});

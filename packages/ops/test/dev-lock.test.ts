import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { LOCK_NAME, lockStateDirectory } from "../src/dev/dev-lock.ts";
import { findProcess } from "@hopline/testkit/postgres/process-identity";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "hopline-lock-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it("refuses a second run while the first one lives", async () => {
  writeFileSync(join(directory, LOCK_NAME), `${process.ppid}\n${findProcess(process.ppid)?.startedAt}\n`);
  await expect(lockStateDirectory(directory)).rejects.toThrow(
    `already runs in this checkout (process ${process.ppid})`,
  );
});

it.each([
  ["gone", "999999999\n123\n"],
  ["another process by now, under the same number", `${process.ppid}\nlong ago\n`],
  ["unreadable", "nonsense"],
])("passes over a holder that is %s", async (_what, text) => {
  writeFileSync(join(directory, LOCK_NAME), text);
  const unlock = await lockStateDirectory(directory);
  expect(readFileSync(join(directory, LOCK_NAME), "utf8")).toMatch(new RegExp(`^${process.pid}\n`));
  await unlock();
  expect(readdirSync(directory)).toEqual([]);
});

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { LOCK_NAME, lockStateDirectory } from "../../src/dev/dev-lock.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "hopline-lock-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it("lets one of many in that race for it, and the next one in after that", async () => {
  const racers = await Promise.allSettled(Array.from({ length: 8 }, () => lockStateDirectory(directory)));
  const locked = racers.flatMap((racer) => (racer.status === "fulfilled" ? [racer.value] : []));
  const refused = racers.flatMap((racer) => (racer.status === "rejected" ? [String(racer.reason)] : []));
  expect([locked.length, refused.length]).toEqual([1, 7]);
  expect(new Set(refused.map((text) => text.replace(/ \(process \d+\)/, "")))).toEqual(
    new Set(["Failure: `pnpm dev` is already running in this checkout: stop it first."]),
  );
  await expect(lockStateDirectory(directory)).rejects.toThrow(`(process ${process.pid})`);
  await locked[0]?.();
  const unlock = await lockStateDirectory(directory);
  await unlock();
});

it("says when the lock is something else", async () => {
  writeFileSync(join(directory, LOCK_NAME), "not a lock at all, but a text of some length".repeat(100));
  await expect(lockStateDirectory(directory)).rejects.toThrow("file is not a database");
  expect(readdirSync(directory)).toEqual([LOCK_NAME]);
});

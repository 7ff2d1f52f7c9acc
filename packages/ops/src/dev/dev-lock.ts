/**
 * One `pnpm dev` a checkout: two would write one KV folder, and `--reset` would pull the data away under the other.
 *
 * The lock is a file with the holder's process id and start time; a holder that is gone, however it went, counts for
 * nothing, so there is never a stale lock to remove by hand.
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Failure } from "@hopline/testkit/console/failure";
import { findProcess } from "@hopline/testkit/postgres/process-identity";

export const LOCK_NAME = "dev.lock";

/** Takes the lock or fails with the number of the process that has it. Returns how to give it back. */
export async function lockStateDirectory(stateDirectory: string): Promise<() => Promise<void>> {
  const path = join(stateDirectory, LOCK_NAME);
  const [pid, startedAt] = (await readFile(path, "utf8").catch(() => "")).split("\n");
  const holder = pid === undefined || pid === "" ? null : findProcess(Number(pid));
  if (holder !== null && holder.pid !== process.pid && holder.startedAt === startedAt) {
    throw new Failure(`\`pnpm dev\` already runs in this checkout (process ${holder.pid}): stop it first.`);
  }
  await mkdir(stateDirectory, { recursive: true });
  await writeFile(path, `${process.pid}\n${findProcess(process.pid)?.startedAt ?? ""}\n`);
  return () => rm(path, { force: true });
}

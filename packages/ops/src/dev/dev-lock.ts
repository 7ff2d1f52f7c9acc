/**
 * One `pnpm dev` in a checkout: two would write one KV folder, and `--reset` would remove the data under the other.
 *
 * The lock is SQLite's exclusive lock on a file, which the kernel grants to one process and releases when that ends,
 * however it ends. So there is never a stale lock, and no race for one. Nothing else may open that file in this process:
 * closing it would release the lock (https://www.sqlite.org/howtocorrupt.html, 2.2).
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { Failure } from "@hopline/testkit/console/failure";

/** What the names of the lock's files begin with. */
export const LOCK_NAME = "dev-lock";

const SQLITE_BUSY = 5;

/** Takes the lock, or fails with the number of the process that has it. Returns how to give it back. */
export async function lockStateDirectory(stateDirectory: string): Promise<() => Promise<void>> {
  await mkdir(stateDirectory, { recursive: true });
  const holderPath = join(stateDirectory, `${LOCK_NAME}.pid`);
  const lock = new DatabaseSync(join(stateDirectory, LOCK_NAME), { timeout: 0 });
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    lock.close();
    if (!(cause instanceof Error && "errcode" in cause && cause.errcode === SQLITE_BUSY)) {
      throw cause;
    }
    const holder = await readFile(holderPath, "utf8").catch(() => "");
    const which = holder === "" ? "" : ` (process ${holder})`;
    throw new Failure(`\`pnpm dev\` is already running in this checkout${which}: stop it first.`, { cause });
  }
  await writeFile(holderPath, String(process.pid));
  return () => Promise.resolve(lock.close());
}

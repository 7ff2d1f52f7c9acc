/**
 * Decides which user Postgres runs as, and where that user can go.
 *
 * Postgres refuses uid 0. An ordinary user runs it as itself; root runs it as the system's Postgres user, which is made
 * where it is missing (no password, no shell, no home). That user cannot enter root's home or a fresh `mktemp -d`.
 */
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import { execaSync } from "execa";

import { Failure } from "../console/failure.ts";

/** `null`: our own user. */
export type Account = { readonly uid: number; readonly gid: number } | null;

/** Debian, Fedora and Alpine say `postgres`; macOS has `_postgres` from the start. */
const ACCOUNT_NAMES = ["postgres", "_postgres"];
const USERADD_FLAGS = ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin"];
/** Everyone may enter it and only root may write: programs run from it. It survives a reboot. */
const SHARED_FOLDER = "/var/lib/hopline";

export function choosePostgresAccount(onLog: (line: string) => void): Account {
  if (process.getuid?.() !== 0) {
    return null;
  }
  const existing = findAccount();
  if (existing !== null) {
    return existing;
  }
  execaSync("useradd", [...USERADD_FLAGS, "postgres"], { reject: false });
  const created = findAccount();
  if (created === null) {
    throw new Failure(
      "Postgres does not run as root and the user postgres could not be made with useradd; run Hopline as an " +
        "ordinary user, or set DATABASE_URL to a Postgres that runs already.",
    );
  }
  onLog("Made the system user postgres, because Postgres does not run as root");
  return created;
}

function findAccount(): Account {
  for (const name of ACCOUNT_NAMES) {
    const { failed, stdout } = execaSync("sh", ["-c", 'id -u "$0" && id -g "$0"', name], { reject: false });
    const [uid, gid] = stdout.split("\n").map(Number);
    if (!failed && uid !== undefined && gid !== undefined) {
      return { uid, gid };
    }
  }
  return null;
}

/** Options to start a Postgres program with. It would read PG* and locale variables: ours are decided in arguments. */
export function asAccount(account: Account) {
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
  return { ...account, cwd: "/", env, extendEnv: false };
}

/** `wanted`, or where the account cannot enter its parent, always the same path of the shared folder in its place. */
export function findEnterable(account: Account, wanted: string): string {
  const parent = dirname(resolve(wanted));
  mkdirSync(parent, { recursive: true });
  if (account === null || canEnter(account, parent)) {
    return resolve(wanted);
  }
  mkdirSync(SHARED_FOLDER, { recursive: true });
  chmodSync(SHARED_FOLDER, 0o755);
  const key = createHash("sha256").update(resolve(wanted)).digest("hex").slice(0, 16);
  return join(SHARED_FOLDER, `${basename(wanted)}-${key}`);
}

/** Asks the kernel, as the account. */
function canEnter(account: Account, folder: string): boolean {
  return !execaSync("test", ["-x", folder], { ...asAccount(account), reject: false }).failed;
}

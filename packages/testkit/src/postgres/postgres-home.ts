/**
 * Decides where the embedded Postgres lives: its programs, its data and its password.
 *
 * A home is one folder: `data` (the cluster), `password`, `owner.json` (who started it). Normally it is the folder the
 * caller names, and the programs run straight from node_modules. When root runs us from a place the Postgres user
 * cannot enter (root's home, a fresh `mktemp -d`), programs and home move to a folder of root's that everyone may
 * enter, the home keyed by a hash of the place it stands for.
 */
import { createHash, randomBytes } from "node:crypto";
import { chmodSync, chownSync, cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync } from "node:fs";
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

import { type Account, canReach } from "./enterable-folder.ts";
import { errorCode, Failure } from "../console/failure.ts";
import type { PostgresBinaries } from "./postgres-binaries.ts";

export type PostgresHome = {
  readonly directory: string;
  readonly dataDirectory: string;
  readonly ownerFile: string;
  readonly passwordFile: string;
};

/** First choice survives a reboot; the second is for machines where /var/lib is read-only. */
const SHARED_FOLDERS = ["/var/lib/hopline", join(tmpdir(), "hopline-shared")];

/** Where the home that `directory` names really is; makes nothing but the folders above it. */
export function locateHome(directory: string, account: Account | null): string {
  const wanted = resolve(directory);
  mkdirSync(dirname(wanted), { recursive: true });
  if (account === null || canReach(account, wanted)) {
    return wanted;
  }
  const key = createHash("sha256").update(wanted).digest("hex").slice(0, 16);
  return join(sharedFolder(account), key);
}

/** Makes a home that lasts, owned by the account that will run Postgres. */
export function openHome(directory: string, account: Account | null): PostgresHome {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    requireOwner(directory, account);
    return homeAt(directory, account);
  } catch (cause) {
    if (errorCode(cause) === "EACCES" || errorCode(cause) === "EPERM") {
      throw foreignHome(directory, cause);
    }
    throw cause;
  }
}

/** Makes a home for one run, in the system's temporary folder where the account can reach it. */
export function openThrowAwayHome(account: Account | null): PostgresHome {
  const parent =
    account === null || canReach(account, join(tmpdir(), "hopline-postgres-"))
      ? tmpdir()
      : sharedFolder(account);
  return homeAt(mkdtempSync(join(parent, "hopline-postgres-")), account);
}

/** The programs' folder, copied to a shared place first where the account cannot reach node_modules. */
export function placeBinaries(binaries: PostgresBinaries, account: Account | null): string {
  if (account === null || canReach(account, join(binaries.directory, "bin", "postgres"))) {
    return binaries.directory;
  }
  const copy = join(sharedFolder(account), `postgres-${binaries.label}`);
  if (!existsSync(copy)) {
    // Copied aside and renamed, so that a copy under its final name is complete, also with two runs at once.
    const unfinished = mkdtempSync(`${copy}.`);
    cpSync(binaries.directory, unfinished, { recursive: true, verbatimSymlinks: true });
    openToEveryone(unfinished);
    try {
      renameSync(unfinished, copy);
    } catch (cause) {
      rmSync(unfinished, { recursive: true, force: true });
      if (!existsSync(copy)) {
        throw cause;
      }
    }
  }
  return copy;
}

/** Reads the cluster's password, made from randomness when the home is new. */
export function readOrCreatePassword(home: PostgresHome, account: Account | null): string {
  if (existsSync(home.passwordFile)) {
    return readFileSync(home.passwordFile, "utf8").trim();
  }
  const password = randomBytes(24).toString("hex");
  writeFileSync(home.passwordFile, `${password}\n`, { mode: 0o600 });
  giveTo(home.passwordFile, account);
  return password;
}

function homeAt(directory: string, account: Account | null): PostgresHome {
  giveTo(directory, account);
  return {
    directory,
    dataDirectory: join(directory, "data"),
    ownerFile: join(directory, "owner.json"),
    passwordFile: join(directory, "password"),
  };
}

function giveTo(path: string, account: Account | null): void {
  if (account !== null) {
    chownSync(path, account.uid, account.gid);
  }
}

/** Postgres insists on owning its data; a home made by another user is said so here, not by a stack trace. */
function requireOwner(directory: string, account: Account | null): void {
  const data = join(directory, "data");
  const uid = account?.uid ?? process.getuid?.();
  if (existsSync(data) && uid !== undefined && statSync(data).uid !== uid) {
    throw foreignHome(directory);
  }
}

function foreignHome(directory: string, cause?: unknown): Failure {
  return new Failure(
    `The database folder ${directory} belongs to another user: run Hopline as that user, or remove the folder.`,
    { cause },
  );
}

/** A folder of ours that everyone may enter and only we may write to: programs run from it. */
function sharedFolder(account: Account): string {
  for (const folder of SHARED_FOLDERS) {
    try {
      if (!existsSync(folder)) {
        mkdirSync(folder, { mode: 0o755 });
        chmodSync(folder, 0o755);
      }
      const found = lstatSync(folder);
      const isSafe = found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
      if (isSafe && canReach(account, join(folder, "home"))) {
        return folder;
      }
    } catch {
      continue;
    }
  }
  throw new Failure(
    `Postgres does not run as root, and the user it runs as can enter neither this checkout nor ` +
      `${SHARED_FOLDERS.join(" or ")}: move the checkout out of root's home, or run Hopline as an ordinary user.`,
  );
}

/** A checkout installed under a strict umask has folders only root may enter; the copy must not inherit that. */
function openToEveryone(directory: string): void {
  chmodSync(directory, 0o755);
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) {
      chmodSync(path, 0o755);
    } else if (entry.isFile()) {
      chmodSync(path, (statSync(path).mode & 0o100) === 0 ? 0o644 : 0o755);
    }
  }
}

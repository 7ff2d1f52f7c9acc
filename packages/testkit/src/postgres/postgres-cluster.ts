/**
 * The folder a server lives in: `data`, the cluster that initdb makes, and `password`.
 *
 * A cluster is either complete or absent: initdb works in a folder aside that is renamed at the end. The locale is
 * the built-in C.UTF-8 provider, so that sorting and case are the same on Linux and macOS, and the same as on Neon.
 */
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { execa, execaSync } from "execa";

import { Failure } from "../console/failure.ts";
import { type Account, asAccount } from "./postgres-account.ts";

const INITDB_FLAGS = ["--username=postgres", "--auth=scram-sha-256", "--encoding=UTF8", "--no-instructions"];
const BUILTIN_LOCALE = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
/** Before this version there is no built-in locale, only the system's, which sorts alike. */
const FIRST_WITH_BUILTIN_LOCALE = 17;

export type PostgresHome = {
  readonly directory: string;
  readonly account: Account;
  /** The folder of the programs. */
  readonly programs: string;
  /** Otherwise its data may be lost with the machine. */
  readonly isDurable: boolean;
};

/** Resolves to the password. Makes the folder and what is missing in it; another user's folder is a Failure. */
export async function createCluster({
  directory,
  account,
  programs,
  isDurable,
}: PostgresHome): Promise<string> {
  const isNew = mkdirSync(directory, { recursive: true, mode: 0o700 }) !== undefined;
  if (isNew && account !== null) {
    chownSync(directory, account.uid, account.gid);
  }
  if (statSync(directory).uid !== (account?.uid ?? process.getuid?.())) {
    throw new Failure(
      `The database folder ${directory} belongs to another user: run Hopline as that user, or remove the folder.`,
    );
  }
  const [data, passwordFile] = [join(directory, "data"), join(directory, "password")];
  if (!existsSync(data)) {
    writeFileSync(passwordFile, `${randomBytes(24).toString("hex")}\n`, { mode: 0o600 });
    if (account !== null) {
      chownSync(passwordFile, account.uid, account.gid);
    }
    rmSync(`${data}.new`, { recursive: true, force: true });
    const { stdout } = await execa(join(programs, "postgres"), ["--version"], asAccount(account));
    const version = Number(/\b\d+/.exec(stdout)?.[0]);
    const locale = version < FIRST_WITH_BUILTIN_LOCALE ? ["--locale=C.UTF-8"] : BUILTIN_LOCALE;
    const flags = [...INITDB_FLAGS, ...locale, `--pgdata=${data}.new`, `--pwfile=${passwordFile}`];
    if (!isDurable) {
      // It would wait for the disk a thousand times, once for each file.
      flags.push("--no-sync");
    }
    const result = await execa(join(programs, "initdb"), flags, { ...asAccount(account), reject: false });
    if (result.failed) {
      const complaint = result.stderr.split("\n").findLast((line) => /error|fatal|could not/i.test(line));
      throw new Failure(`The embedded Postgres does not run here: ${complaint ?? result.shortMessage}`);
    }
    renameSync(`${data}.new`, data);
  }
  return readFileSync(passwordFile, "utf8").trim();
}

/**
 * Ends the server of an earlier run that was killed together with its guard, or whose guard is still at work. The
 * caller knows that no other run uses the folder: `pnpm dev` holds its lock.
 */
export async function endLeftover(
  { directory, account, programs }: PostgresHome,
  onLog: (line: string) => void,
): Promise<void> {
  const data = join(directory, "data");
  const lockFile = join(data, "postmaster.pid");
  const pid = existsSync(lockFile) ? Number.parseInt(readFileSync(lockFile, "utf8"), 10) : null;
  if (pid === null) {
    return;
  }
  const isRunning = () => readCommand(pid).includes(data);
  if (!isRunning()) {
    // Another process may have this number by now (containers start counting anew): Postgres would refuse to start.
    rmSync(lockFile, { force: true });
    return;
  }
  for (const mode of ["fast", "immediate"]) {
    const stop = ["stop", `--pgdata=${data}`, `--mode=${mode}`, "--timeout=15"];
    await execa(join(programs, "pg_ctl"), stop, { ...asAccount(account), reject: false });
    if (!existsSync(lockFile)) {
      onLog(`Stopped a Postgres that an earlier run had left behind (process ${pid})`);
      return;
    }
  }
  throw new Failure(
    `A Postgres from an earlier run (process ${pid}) still uses ${directory} and does not end; end it first.`,
  );
}

/** A live process's command line; empty where there is no such process. Slim Linux images have no `ps`, macOS no /proc. */
function readCommand(pid: number): string {
  const [command, ...args] =
    process.platform === "linux"
      ? ["cat", `/proc/${pid}/cmdline`]
      : ["ps", "-wwo", "command=", "-p", `${pid}`];
  return execaSync(command ?? "", args, { reject: false }).stdout.replaceAll("\0", " ");
}

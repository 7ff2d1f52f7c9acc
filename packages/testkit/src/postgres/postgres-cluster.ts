/**
 * Makes a Postgres cluster (initdb) and settles what an earlier run left behind.
 *
 * A cluster is either complete or absent: initdb works in a folder aside that is renamed at the end. The locale is
 * the built-in C.UTF-8 provider, so that sorting and case are the same on Linux and macOS, and the same as on Neon.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import type { Account } from "./enterable-folder.ts";
import { Failure } from "../console/failure.ts";
import { programIn } from "./postgres-binaries.ts";
import { type PostgresHome, readOrCreatePassword } from "./postgres-home.ts";
import { accountOptions, endForeignPostgres, serverEnvironment } from "./postgres-process.ts";
import { findProcess } from "./process-identity.ts";
import { inWorkspace } from "../workspace/workspace.ts";

const INITDB_FLAGS = [
  "--username=postgres",
  "--auth=scram-sha-256",
  "--encoding=UTF8",
  "--locale=C",
  "--locale-provider=builtin",
  "--builtin-locale=C.UTF-8",
  "--no-instructions",
];

type ClusterOptions = {
  readonly home: PostgresHome;
  readonly binariesDirectory: string;
  readonly account: Account | null;
  readonly isDurable: boolean;
};

/** Resolves to the password. Makes the cluster unless it is there; one made by another major version is a Failure that says what to do. */
export async function createCluster(options: ClusterOptions): Promise<string> {
  const { home, binariesDirectory, account } = options;
  const password = readOrCreatePassword(home, account);
  if (existsSync(home.dataDirectory)) {
    await requireSameMajor(home, binariesDirectory, account);
    return password;
  }
  const unfinished = `${home.dataDirectory}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  const flags = [...INITDB_FLAGS, `--pgdata=${unfinished}`, `--pwfile=${home.passwordFile}`];
  const program = programIn(binariesDirectory, "initdb");
  await run(program, options.isDurable ? flags : [...flags, "--no-sync"], { cwd: home.directory, account });
  renameSync(unfinished, home.dataDirectory);
  return password;
}

/**
 * Fills a throw-away home with a cluster and its password: initdb takes a second, and a copy of what it makes a tenth. The
 * first call in a checkout keeps what it made in node_modules, for the next ones.
 */
export async function copyCluster(options: ClusterOptions & { readonly label: string }): Promise<string> {
  const { home, account, label } = options;
  const user = account?.uid ?? process.getuid?.() ?? "";
  const kept = inWorkspace(`node_modules/.cache/hopline-cluster-${label}-${user}`);
  // With our own rights, which keeps the owner and the mode that Postgres insists on.
  const copy = (from: string, to: string) => run("cp", ["-a", from, to], { cwd: "/", account: null });
  if (existsSync(kept)) {
    await copy(`${kept}/.`, home.directory);
    return readOrCreatePassword(home, account);
  }
  const password = await createCluster(options);
  const unfinished = `${kept}.${basename(home.directory)}`;
  mkdirSync(dirname(kept), { recursive: true });
  await copy(home.directory, unfinished);
  try {
    renameSync(unfinished, kept);
  } catch {
    // Another run was faster.
    rmSync(unfinished, { recursive: true, force: true });
  }
  return password;
}

/** `18.4` */
export async function readServerVersion(binariesDirectory: string, account: Account | null): Promise<string> {
  const output = await run(programIn(binariesDirectory, "postgres"), ["--version"], { cwd: "/", account });
  return /(\d+(?:\.\d+)?)/.exec(output)?.[1] ?? "";
}

/** Ends a server whose starter died, and says so; one whose starter lives is a Failure: two runs want one folder. */
export async function settleLeftover(home: PostgresHome, onLog: (line: string) => void): Promise<void> {
  const lockFile = join(home.dataDirectory, "postmaster.pid");
  const pid = readNumber(lockFile);
  const found = pid === null ? null : findProcess(pid);
  if (found === null) {
    return;
  }
  if (!found.command.includes(home.dataDirectory)) {
    // Another process has that number now (containers start counting again from 1): Postgres would refuse to start.
    rmSync(lockFile, { force: true });
    return;
  }
  const owner = readOwner(home);
  if (owner !== null) {
    throw new Failure(
      `The database in ${home.directory} is in use by process ${owner} (another Hopline run?); stop that one first.`,
    );
  }
  if (!(await endForeignPostgres(found.pid))) {
    throw new Failure(
      `A Postgres from an earlier run (process ${found.pid}) still uses ${home.directory} and does not end; end it first.`,
    );
  }
  onLog(`Stopped a Postgres that an earlier run had left behind (process ${found.pid})`);
}

/** Notes this process as the one that runs the server in `home`. */
export function claimHome(home: PostgresHome): void {
  const self = findProcess(process.pid);
  writeFileSync(home.ownerFile, JSON.stringify({ pid: process.pid, startedAt: self?.startedAt ?? "" }));
}

export function releaseHome(home: PostgresHome): void {
  rmSync(home.ownerFile, { force: true });
}

/** The id of the live process that claimed the home, or null. */
function readOwner(home: PostgresHome): number | null {
  try {
    const claim: unknown = JSON.parse(readFileSync(home.ownerFile, "utf8"));
    if (typeof claim !== "object" || claim === null || !("pid" in claim) || !("startedAt" in claim)) {
      return null;
    }
    const pid = Number(claim.pid);
    return findProcess(pid)?.startedAt === claim.startedAt ? pid : null;
  } catch {
    return null;
  }
}

function readNumber(path: string): number | null {
  try {
    const number = Number.parseInt(readFileSync(path, "utf8"), 10);
    return number > 0 ? number : null;
  } catch {
    return null;
  }
}

async function requireSameMajor(
  home: PostgresHome,
  directory: string,
  account: Account | null,
): Promise<void> {
  const ours = (await readServerVersion(directory, account)).split(".")[0];
  const theirs = readNumber(join(home.dataDirectory, "PG_VERSION"));
  if (String(theirs) !== ours) {
    throw new Failure(
      `The data in ${home.directory} was made by Postgres ${theirs ?? "of an unknown version"} and this is ${ours}; ` +
        "`pnpm dev --reset` starts with a new database.",
    );
  }
}

function run(
  program: string,
  args: readonly string[],
  where: { readonly cwd: string; readonly account: Account | null },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { ...accountOptions(where.account), cwd: where.cwd, env: serverEnvironment() };
    const child = spawn(program, [...args], { ...options, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    let complaint = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
    const fail = (reason: string) =>
      reject(new Failure(`The embedded Postgres does not run here: ${reason}`));
    child.once("error", (error) => fail(error.message));
    child.once("close", (code) =>
      code === 0 ? resolve(output) : fail(lastLine(complaint) ?? `exit code ${code}`),
    );
  });
}

function lastLine(text: string): string | undefined {
  return text
    .trim()
    .split("\n")
    .findLast((line) => /error|fatal|could not/i.test(line));
}

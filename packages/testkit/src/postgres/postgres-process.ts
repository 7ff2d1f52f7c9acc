/**
 * Runs one Postgres server process and ends it for certain.
 *
 * The server gets its own session, so that Ctrl-C reaches us and not the server: we decide the order in which things
 * stop. A guard (a few lines of sh, holding nothing but one end of a pipe) takes it down when we die in any way,
 * SIGKILL included. Signals: https://www.postgresql.org/docs/current/server-shutdown.html
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

import type { Account } from "./enterable-folder.ts";
import { Failure } from "../console/failure.ts";
import { findProcess } from "./process-identity.ts";

export type PostgresProcess = {
  readonly pid: number;
  /** Resolves with the last lines of the server's log when the process has ended, for whatever reason. */
  readonly ended: Promise<readonly string[]>;
  /** "fast" disconnects clients and shuts down cleanly; "crash" leaves recovery to the next start. */
  end(how: "fast" | "crash"): Promise<void>;
};

export type LaunchOptions = {
  readonly program: string;
  readonly args: readonly string[];
  readonly dataDirectory: string;
  readonly account: Account | null;
  /** A folder the guard removes when this process dies without stopping the server. */
  readonly throwAwayDirectory: string | null;
};

const READY_LINE = "database system is ready to accept connections";
const KEPT_LOG_LINES = 40;
const START_TIMEOUT_MS = 120_000;
const FAST_SHUTDOWN_MS = 15_000;
const IMMEDIATE_SHUTDOWN_MS = 5_000;

/**
 * $1 the server's process, $2 its data, $3 what to remove afterwards. The lock file is watched too: an ended server
 * nobody has waited for (a container without an init) still answers `kill -0`.
 */
const GUARD_SCRIPT = `
read -r word
if [ "$word" = done ]; then exit 0; fi
kill -INT "$1" 2>/dev/null
tries=0
while [ -e "$2/postmaster.pid" ] && kill -0 "$1" 2>/dev/null && [ "$tries" -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
kill -QUIT "$1" 2>/dev/null
if [ -n "$3" ]; then rm -rf "$3"; fi
`;

/** Starts the server and waits until it accepts connections; a server that ends first is a Failure with its reason. */
export async function launchPostgres(options: LaunchOptions): Promise<PostgresProcess> {
  const child = spawn(options.program, [...options.args], {
    ...accountOptions(options.account),
    cwd: options.dataDirectory,
    env: serverEnvironment(),
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const log = followLog(child);
  const pid = await pidOf(child);
  const guard = startGuard(pid, options);
  const ended = new Promise<readonly string[]>((resolve) => {
    child.once("close", () => {
      guard.dismiss();
      resolve(log.lines());
    });
  });
  const running = { pid, ended, end: (how: "fast" | "crash") => endProcess(child, ended, how) };
  await waitUntilReady(running, log.ready);
  // A server that is merely running must not keep our process alive; `end` takes the hold again.
  child.unref();
  return running;
}

/** The uid and gid to spawn with; libuv drops the supplementary groups as it switches. */
export function accountOptions(account: Account | null): Partial<Account> {
  return account === null ? {} : account;
}

/** Postgres and initdb read PG* and locale variables; ours are decided in arguments, not by the caller's shell. */
export function serverEnvironment(): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
}

/** Ends a server that is not our child (left over from a killed run); true once it is gone. */
export async function endForeignPostgres(pid: number): Promise<boolean> {
  for (const [signal, patienceMs] of shutdownSteps("fast")) {
    try {
      process.kill(pid, signal);
    } catch {
      return findProcess(pid) === null;
    }
    const giveUpAtMs = Date.now() + patienceMs;
    while (Date.now() < giveUpAtMs) {
      if (findProcess(pid) === null) {
        return true;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return findProcess(pid) === null;
}

async function waitUntilReady(running: PostgresProcess, ready: Promise<void>): Promise<void> {
  const timeout = Promise.withResolvers<"late">();
  const timer = setTimeout(() => timeout.resolve("late"), START_TIMEOUT_MS);
  const first = await Promise.race([ready, running.ended, timeout.promise]);
  clearTimeout(timer);
  if (first === "late") {
    await running.end("crash");
    throw new Failure(`Postgres did not become ready within ${START_TIMEOUT_MS / 1000} s.`);
  }
  if (first !== undefined) {
    throw new Failure(explainStart(first));
  }
}

function explainStart(lines: readonly string[]): string {
  const fatal = lines.findLast((line) => /\b(FATAL|PANIC|error while loading)\b/.test(line)) ?? lines.at(-1);
  const reason = fatal?.replace(/^.*?(FATAL|PANIC):\s*/, "") ?? "it left no word";
  const hint = lines.findLast((line) => /could not bind/.test(line));
  return `Postgres did not start: ${hint?.replace(/^.*?LOG:\s*/, "") ?? reason}`;
}

function followLog(child: ChildProcess): { ready: Promise<void>; lines: () => readonly string[] } {
  const ready = Promise.withResolvers<void>();
  const kept: string[] = [];
  if (child.stderr !== null) {
    createInterface({ input: child.stderr }).on("line", (line) => {
      kept.push(line);
      if (kept.length > KEPT_LOG_LINES) {
        kept.shift();
      }
      if (line.includes(READY_LINE)) {
        ready.resolve();
      }
    });
  }
  return { ready: ready.promise, lines: () => kept };
}

function pidOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", (cause) =>
      reject(new Failure(`Postgres did not start: ${cause.message}`, { cause })),
    );
    child.once("spawn", () => resolve(child.pid ?? 0));
  });
}

function startGuard(pid: number, options: LaunchOptions): { dismiss(): void } {
  const parameters = [String(pid), options.dataDirectory, options.throwAwayDirectory ?? ""];
  const guard = spawn("/bin/sh", ["-c", GUARD_SCRIPT, "hopline-guard", ...parameters], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.on("error", () => undefined);
  guard.stdin.on("error", () => undefined);
  guard.unref();
  return { dismiss: () => guard.stdin.end("done\n") };
}

function shutdownSteps(how: "fast" | "crash"): readonly (readonly [NodeJS.Signals, number])[] {
  const immediate = [
    ["SIGQUIT", IMMEDIATE_SHUTDOWN_MS],
    ["SIGKILL", IMMEDIATE_SHUTDOWN_MS],
  ] as const;
  return how === "crash" ? immediate : [["SIGINT", FAST_SHUTDOWN_MS], ...immediate];
}

async function endProcess(
  child: ChildProcess,
  ended: Promise<unknown>,
  how: "fast" | "crash",
): Promise<void> {
  child.ref();
  for (const [signal, patienceMs] of shutdownSteps(how)) {
    if (child.exitCode !== null || child.signalCode !== null) {
      break;
    }
    child.kill(signal);
    const patience = Promise.withResolvers<void>();
    const timer = setTimeout(patience.resolve, patienceMs);
    await Promise.race([ended, patience.promise]);
    clearTimeout(timer);
  }
  await ended;
}

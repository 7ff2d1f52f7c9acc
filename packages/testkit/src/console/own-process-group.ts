/**
 * Runs a command's main work in a process group of its own: a terminal sends Ctrl-C to every process of its group, and
 * Postgres and the Workers' runtime would end before anything could be put in order. The first process stays with the
 * terminal and passes signals on; if it is killed, the second notices and ends as well. If the second is killed, a guard
 * ends what is left of its group: the Workers' runtime would keep its port.
 */
import { constants } from "node:os";

import { execa } from "execa";
import { findLaunchers } from "./find-launchers.ts";

const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
const INNER_MARK = "HOPLINE_INNER_PROCESS";
/** How soon the end of `npx` is noticed. */
const LOOK_EVERY_MS = 500;
/** Holds one end of a pipe: it hears the word, or that the process which had the other end, $1, is gone. */
const GUARD_SCRIPT = 'read -r word; [ "$word" = done ] || kill -KILL "-$1"';

/**
 * Calls `run` in the second process; resolves to its exit code in both. The signal is aborted by Ctrl-C, SIGTERM or the
 * end of the terminal. The second process gets the same arguments: check them before this call.
 */
export async function runInOwnGroup(run: (signal: AbortSignal) => Promise<number>): Promise<number> {
  if (process.env[INNER_MARK] !== "1") {
    return supervise();
  }
  // Only this process is the inner one: what it starts may be a command of this kind itself.
  delete process.env[INNER_MARK];
  const ending = new AbortController();
  for (const signal of SIGNALS) {
    process.on(signal, () => ending.abort());
  }
  process.once("disconnect", () => ending.abort());
  const guard = execa("/bin/sh", ["-c", GUARD_SCRIPT, "hopline-guard", `${process.pid}`], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    cleanup: false,
    reject: false,
  });
  try {
    return await run(ending.signal);
  } finally {
    guard.stdin.end("done\n");
    await guard;
    // An open channel would keep this process alive; a killed supervisor has closed it already.
    if (process.connected) {
      process.disconnect();
    }
  }
}

async function supervise(): Promise<number> {
  const child = execa(process.execPath, process.argv.slice(1), {
    detached: true,
    env: { [INNER_MARK]: "1" },
    stdio: ["ignore", "inherit", "inherit"],
    ipc: true,
    // How long the child takes to end is its own decision: signals are passed on below, and nothing else.
    cleanup: false,
    forceKillAfterDelay: false,
    reject: false,
  });
  for (const signal of SIGNALS) {
    process.on(signal, () => child.kill(signal));
  }
  const launchers = findLaunchers(process.ppid);
  const looking = setInterval(() => {
    if (!launchers.every(isAlive)) {
      clearInterval(looking);
      child.kill("SIGTERM");
    }
  }, LOOK_EVERY_MS);
  const { exitCode, signal = "SIGKILL" } = await child;
  clearInterval(looking);
  return exitCode ?? 128 + constants.signals[signal];
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

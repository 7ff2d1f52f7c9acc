/**
 * Runs a command as if it were us: same terminal, same signals, same exit code.
 *
 * Commands are looked up in the workspace's node_modules/.bin first, as package scripts do; the Node found there is the
 * pinned one, whatever the system has.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { delimiter, join } from "node:path";

import { errorCode, Failure } from "./failure.ts";

const WORKSPACE_BIN = join(import.meta.dirname, "../../../../node_modules/.bin");
const FORWARDED: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

export type ChildOptions = {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** True where the terminal itself sends Ctrl-C to the child: sent twice, it means "at once" to many tools. */
  readonly isTerminal: boolean;
};

/** Keeps signals from ending us while something is half made; `release` tells the first that came, if any. */
export function holdSignals(): { release(): NodeJS.Signals | null } {
  const held: NodeJS.Signals[] = [];
  const hold = (signal: NodeJS.Signals) => held.push(signal);
  for (const signal of FORWARDED) {
    process.on(signal, hold);
  }
  return {
    release() {
      for (const signal of FORWARDED) {
        process.off(signal, hold);
      }
      return held[0] ?? null;
    },
  };
}

/** The exit code by which a shell tells that a signal ended a command. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** Resolves with the exit code, 128 + n for a child that signal n ended; while it runs, signals are the child's. */
export function runChild(options: ChildOptions): Promise<number> {
  const path = [WORKSPACE_BIN, options.environment["PATH"] ?? ""].join(delimiter);
  let child: ChildProcess | null = null;
  const forward = (signal: NodeJS.Signals) => {
    if (signal !== "SIGINT" || !options.isTerminal) {
      child?.kill(signal);
    }
  };
  for (const signal of FORWARDED) {
    process.on(signal, forward);
  }
  const started = spawn(options.command, [...options.args], {
    stdio: "inherit",
    env: { ...options.environment, PATH: path },
  });
  child = started;
  return new Promise<number>((resolve, reject) => {
    started.once("error", (cause) => {
      // EACCES, too, is what a missing command gives when the PATH names a folder we may not read.
      const isMissing = ["ENOENT", "EACCES"].includes(errorCode(cause) ?? "");
      const reason = isMissing ? "there is no such command to run" : cause.message;
      reject(new Failure(`${options.command} did not start: ${reason}.`, { cause }));
    });
    started.once("exit", (code, signal) => resolve(code ?? exitCodeOf(signal ?? "SIGKILL")));
  }).finally(() => {
    for (const signal of FORWARDED) {
      process.off(signal, forward);
    }
  });
}

/**
 * Runs a command in place of this process: same terminal, same signals, same exit code.
 *
 * Commands are looked up in the workspace's node_modules/.bin first, as package scripts do; the Node found there is the
 * pinned one, whatever the system has.
 */
import { constants } from "node:os";

import { execa } from "execa";

import { WORKSPACE_ROOT } from "../workspace/workspace.ts";
import { Failure } from "./failure.ts";

const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

export type ChildOptions = {
  readonly command: string;
  readonly args: readonly string[];
  /** Set in addition to the environment of this process. */
  readonly environment: Readonly<Record<string, string>>;
  /** In a process group of its own, with a channel that closes when this process ends. False by default. */
  readonly isOwnGroup?: boolean;
};

/** Keeps signals from ending this process while something is half made; `release` returns the first one, if any. */
export function holdSignals(): { release(): NodeJS.Signals | null } {
  const held: NodeJS.Signals[] = [];
  const release = onSignals((signal) => held.push(signal));
  return {
    release() {
      release();
      return held[0] ?? null;
    },
  };
}

/** Calls `listen` for each signal that would end this process, which it then does not. Returns how to stop. */
export function onSignals(listen: (signal: NodeJS.Signals) => void): () => void {
  SIGNALS.forEach((signal) => process.on(signal, listen));
  return () => SIGNALS.forEach((signal) => process.off(signal, listen));
}

/** The exit code by which a shell says that a signal ended a command. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** Resolves with the exit code, 128 + n for a child that signal n ended; while it runs, signals go to the child. */
export async function runChild(options: ChildOptions): Promise<number> {
  const { command, args, environment, isOwnGroup = false } = options;
  const child = execa(command, args, {
    preferLocal: true,
    localDir: WORKSPACE_ROOT,
    env: environment,
    stdio: [isOwnGroup ? "ignore" : "inherit", "inherit", "inherit"],
    ipc: isOwnGroup,
    detached: isOwnGroup,
    // How the child ends is its own decision, and how long it takes: signals are passed on below, and nothing else.
    cleanup: false,
    forceKillAfterDelay: false,
    reject: false,
  });
  const stopListening = onSignals((signal) => {
    // A terminal sends Ctrl-C to its whole group itself; sent twice, it means "at once" to many tools.
    if (isOwnGroup || signal !== "SIGINT" || !process.stdin.isTTY) {
      child.kill(signal);
    }
  });
  const result = await child.finally(stopListening);
  if (result.exitCode === undefined && result.signal === undefined) {
    // A PATH with a folder that we may not read gives EACCES for a command that does not exist.
    const isMissing = result.code === "ENOENT" || result.code === "EACCES";
    const reason = isMissing ? "there is no such command" : result.originalMessage;
    throw new Failure(`${command} did not start: ${reason}.`, { cause: result.cause });
  }
  return result.exitCode ?? exitCodeOf(result.signal ?? "SIGKILL");
}

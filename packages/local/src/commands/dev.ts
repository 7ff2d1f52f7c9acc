/**
 * `pnpm dev [--port N] [--reset]`: the whole of Hopline on this machine.
 *
 * Runs itself a second time, in a process group of its own: a terminal sends Ctrl-C to every process of its group, and
 * Postgres and the Workers' runtime would be gone before the queued clicks had been written. The first process stays
 * with the terminal and passes signals on; if it is killed, the second notices and ends as well.
 */
import { spawn } from "node:child_process";
import { constants } from "node:os";

import { runDevStack } from "../dev-stack.ts";
import { consoleProgress, runCommand } from "../progress.ts";
import { readFlags, readWholeNumber, rejectPositionals } from "../read-flags.ts";

const USAGE = "pnpm dev [--port N] [--reset]";
const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
const STACK_MARK = "HOPLINE_DEV_STACK";

await runCommand(process.env[STACK_MARK] === "1" ? runStack : superviseStack);

async function superviseStack(): Promise<number> {
  readDevFlags();
  const child = spawn(process.execPath, process.argv.slice(1), {
    detached: true,
    env: { ...process.env, [STACK_MARK]: "1" },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  for (const signal of SIGNALS) {
    process.on(signal, () => child.kill(signal));
  }
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? "SIGKILL"]));
  });
}

async function runStack(): Promise<number> {
  const { port, isReset } = readDevFlags();
  const ending = new AbortController();
  for (const signal of SIGNALS) {
    process.on(signal, () => ending.abort());
  }
  process.once("disconnect", () => ending.abort());
  try {
    await runDevStack({ port, isReset, progress: consoleProgress(), signal: ending.signal });
    return 0;
  } finally {
    // An open channel would keep this process alive; a killed supervisor has closed it already.
    if (process.connected) {
      process.disconnect();
    }
  }
}

function readDevFlags(): { readonly port: number; readonly isReset: boolean } {
  const flags = readFlags(
    { port: { type: "string", default: "8787" }, reset: { type: "boolean", default: false } },
    USAGE,
  );
  rejectPositionals(flags.positionals, USAGE);
  return {
    port: readWholeNumber(flags.values.port, { name: "--port", min: 1, max: 65_535 }),
    isReset: flags.values.reset,
  };
}

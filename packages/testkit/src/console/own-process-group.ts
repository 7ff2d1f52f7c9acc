/**
 * Runs a command's main work in a process group of its own: a terminal sends Ctrl-C to every process of its group, and
 * Postgres and the Workers' runtime would end before anything could be put in order. The first process stays with the
 * terminal and passes signals on; if it is killed, the second notices and ends as well.
 */
import { onSignals, runChild } from "./run-child.ts";

const INNER_MARK = "HOPLINE_INNER_PROCESS";

/**
 * Calls `run` in the second process; resolves to its exit code in both. The signal is aborted by Ctrl-C, SIGTERM or the
 * end of the terminal. The second process gets the same arguments: check them before this call.
 */
export async function runInOwnGroup(run: (signal: AbortSignal) => Promise<number>): Promise<number> {
  if (process.env[INNER_MARK] !== "1") {
    const args = process.argv.slice(1);
    return runChild({
      command: process.execPath,
      args,
      environment: { [INNER_MARK]: "1" },
      isOwnGroup: true,
    });
  }
  // Only this process is the inner one: what it starts may be a command of this kind itself.
  delete process.env[INNER_MARK];
  const ending = new AbortController();
  onSignals(() => ending.abort());
  process.once("disconnect", () => ending.abort());
  try {
    return await run(ending.signal);
  } finally {
    // An open channel would keep this process alive; a killed supervisor has closed it already.
    if (process.connected) {
      process.disconnect();
    }
  }
}

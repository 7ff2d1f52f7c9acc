/**
 * Runs one of the workspace's own tools (wrangler, tsc, oxlint …) and keeps its output.
 *
 * The tools run on the pinned Node of node_modules/.bin, whatever the system has, and make no network requests of their
 * own.
 */
import { stripVTControlCharacters } from "node:util";

import { execa } from "execa";

import { WORKSPACE_ROOT } from "../workspace/workspace.ts";
import { Failure } from "./failure.ts";

export type ToolRun = {
  readonly exitCode: number;
  /** Standard output and error in the order they came, without colours. */
  readonly output: string;
};

/**
 * Runs a tool to its end. Resolves whatever its exit code; rejects with a `Failure` only when it cannot start.
 *
 * @param input what the tool reads on standard input, for what must not appear in a list of processes; none by default.
 */
export async function runTool(
  name: string,
  toolArguments: readonly string[],
  input?: string,
): Promise<ToolRun> {
  const result = await execa(name, toolArguments, {
    cwd: WORKSPACE_ROOT,
    preferLocal: true,
    env: {
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      WRANGLER_SEND_METRICS: "false",
      // Wrangler would keep a log file of each run in the home directory.
      WRANGLER_WRITE_LOGS: "false",
    },
    ...(input === undefined ? { stdin: "ignore" } : { input }),
    all: true,
    reject: false,
  });
  if (result.code === "ENOENT" || result.code === "EACCES") {
    throw new Failure(`${name} could not be started from node_modules/.bin. Run \`pnpm install\` first.`);
  }
  return { exitCode: result.exitCode ?? 1, output: stripVTControlCharacters(result.all).trim() };
}

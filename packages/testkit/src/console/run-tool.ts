/**
 * Runs one of the workspace's own tools (wrangler, tsc, oxlint …) and keeps what it says.
 *
 * The tools run on the pinned Node of node_modules/.bin whatever the system has, without network look-ups of their own.
 */
import { spawn } from "node:child_process";
import { delimiter } from "node:path";
import { stripVTControlCharacters } from "node:util";

import { Failure } from "./failure.ts";
import { inWorkspace, WORKSPACE_ROOT } from "../workspace/workspace.ts";

export type ToolRun = {
  readonly exitCode: number;
  /** Standard output and error in the order they came, without colours. */
  readonly output: string;
};

/**
 * Runs a tool to its end. Resolves whatever its exit code; rejects with a `Failure` only when it cannot start.
 *
 * @param input what the tool reads on standard input, for what must not stand in a list of processes; none by default.
 */
export function runTool(name: string, toolArguments: readonly string[], input?: string): Promise<ToolRun> {
  const binDirectory = inWorkspace("node_modules/.bin");
  return new Promise((resolve, reject) => {
    const child = spawn(inWorkspace(`node_modules/.bin/${name}`), [...toolArguments], {
      cwd: WORKSPACE_ROOT,
      env: {
        ...process.env,
        PATH: `${binDirectory}${delimiter}${process.env["PATH"] ?? ""}`,
        CLOUDFLARE_CF_FETCH_ENABLED: "false",
        WRANGLER_SEND_METRICS: "false",
        // Wrangler keeps a log file of each run in the home directory otherwise.
        WRANGLER_WRITE_LOGS: "false",
      },
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    // A tool that ends without reading closes the pipe; its exit code says what went wrong.
    child.stdin?.on("error", () => undefined).end(input);
    let output = "";
    const keep = (chunk: Buffer): void => {
      output += chunk.toString("utf8");
    };
    child.stdout?.on("data", keep);
    child.stderr?.on("data", keep);
    child.once("error", () => {
      reject(new Failure(`${name} could not be started from node_modules/.bin. Run \`pnpm install\` first.`));
    });
    child.once("close", (code) => {
      resolve({ exitCode: code ?? 1, output: stripVTControlCharacters(output).trim() });
    });
  });
}

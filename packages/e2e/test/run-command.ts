/** Runs a command of the workspace as `pnpm <name>` does, with its environment and standard input. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { WORKSPACE_ROOT, inWorkspace } from "@hopline/testkit/workspace/workspace";

export type CommandResult = { readonly code: number | null; readonly output: string };

export type CommandOptions = {
  readonly environment: Readonly<Record<string, string>>;
  readonly input?: string;
};

/** @param name a script of the root's package.json that runs a file with Node. */
export function runCommand(
  name: string,
  args: readonly string[],
  { environment, input = "" }: CommandOptions,
): Promise<CommandResult> {
  const child = spawn(process.execPath, [...findScript(name), ...args], {
    cwd: WORKSPACE_ROOT,
    env: { ...process.env, ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  // A command that needs no input ends without reading it.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}

function findScript(name: string): readonly string[] {
  const manifest: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(inWorkspace("package.json"), "utf8"),
  );
  const path = /^node (\S+\.ts(?: \S+)*)$/.exec(manifest.scripts[name] ?? "")?.[1];
  if (path === undefined) {
    throw new Error(`invariant: package.json has no script ${name} that is a file run with Node`);
  }
  return path.split(" ");
}

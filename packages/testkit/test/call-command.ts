import { vi } from "vitest";

import { type CommandModule, executeCommand } from "../src/console/command-line.ts";

/** Runs a command in this process: its exit code, and what it prints to both of its outputs. */
export async function callCommand(
  module: CommandModule,
  commandArguments: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly exitCode: number; readonly output: string }> {
  let output = "";
  const keep = (text: unknown): boolean => {
    output += String(text);
    return true;
  };
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, "write").mockImplementation(keep),
  );
  const before = { ...process.env };
  Object.assign(process.env, environment);
  try {
    return { exitCode: await executeCommand(module, commandArguments), output };
  } finally {
    for (const name of Object.keys(environment)) {
      delete process.env[name];
    }
    Object.assign(process.env, before);
    spies.forEach((spy) => spy.mockRestore());
  }
}

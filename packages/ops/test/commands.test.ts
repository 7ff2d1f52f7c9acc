/** The commands as a user meets them when something is wrong: one line that says what, and exit code 1. */
import { createServer, type Server } from "node:net";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { runTool } from "@hopline/testkit/console/run-tool";

const COMMANDS = "packages/ops/src/commands";
let occupant: Server;
let takenPort: string;

beforeAll(async () => {
  occupant = createServer();
  await new Promise<void>((resolve) => occupant.listen(0, "127.0.0.1", () => resolve()));
  const address = occupant.address();
  takenPort = typeof address === "object" && address !== null ? String(address.port) : "";
});
afterAll(() => void occupant.close());

const run = (command: string, ...commandArguments: readonly string[]) =>
  runTool("node", [`${COMMANDS}/${command}.ts`, ...commandArguments]);

describe("a command that cannot do what it was asked to", () => {
  it.each([
    ["dev", ["--port", "0"], '✗ --port must be a whole number from 1 to 65535, not "0".'],
    ["dev", ["--port", "8787x"], '✗ --port must be a whole number from 1 to 65535, not "8787x".'],
    ["dev", ["--fast"], "✗ Unknown option '--fast'. Usage: pnpm dev [--port N] [--reset]"],
    ["dev", ["now"], '✗ "now" is not expected here. Usage: pnpm dev [--port N] [--reset]'],
    ["shards", [], "✗ Say how many shards. Usage: pnpm shards N (1 to 100)"],
    ["shards", ["101"], '✗ The number of shards must be a whole number from 1 to 100, not "101".'],
    ["deploy", ["--percent", "0"], '✗ --percent must be a whole number from 1 to 100, not "0".'],
    [
      "provision",
      ["--env", "qa", "--dry-run"],
      '✗ There is no environment "qa" in environments.jsonc; it has staging, production.',
    ],
    ["cost", ["now"], '✗ "now" is not expected here. Usage: pnpm run cost [--check]'],
    ["types", ["--chek"], "✗ Unknown option '--chek'. Usage: pnpm types [--check]"],
  ])("%s %j says why in one line", async (command, commandArguments, line) => {
    expect(await run(command, ...commandArguments)).toEqual({ exitCode: 1, output: line });
  });

  it("dev names a taken port and the way out, and starts nothing", async () => {
    expect(await run("dev", "--port", takenPort)).toEqual({
      exitCode: 1,
      output: `✗ Port ${takenPort} of 127.0.0.1 is taken: stop what listens there, or choose another with --port.`,
    });
  });
});

/** The command line as a person meets it: every command explains itself, and says plainly what is wrong. */
import { createServer, type Server } from "node:net";
import { relative } from "node:path";

import { runTool } from "@hopline/testkit/console/run-tool";
import { STATE_DIRECTORY, WORKSPACE_ROOT } from "@hopline/testkit/workspace/workspace";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { callCommand } from "../../testkit/test/call-command.ts";
import { COMMANDS } from "../src/command-list.ts";

async function call(name: string, commandArguments: readonly string[], environment = {}) {
  const load = COMMANDS[name];
  if (load === undefined) {
    throw new Error(`There is no command ${name}.`);
  }
  return callCommand(await load(), commandArguments, environment);
}

describe.each(Object.keys(COMMANDS))("%s", (name) => {
  it("has --help with its name, an example and its exit codes", async () => {
    const { exitCode, output } = await call(name, ["--help"]);
    expect(exitCode).toBe(0);
    expect(output).toMatch(new RegExp(`^USAGE .*\\b${name}\\b`, "m"));
    expect(output).toMatch(new RegExp(`^EXAMPLE\\n\\n {2}.*\\b${name}\\b.*\\n`, "m"));
    expect(output).toMatch(/^EXIT CODES\n\n {2}0 {2}\S/m);
  });
});

describe("a command that cannot do what it was asked to", () => {
  it.each<[string, readonly string[], number, string]>([
    ["dev", ["--port", "0"], 2, '--port must be a whole number from 1 to 65535, not "0".'],
    ["dev", ["--prot", "1"], 2, "Unknown option --prot: did you mean --port?"],
    ["shards", [], 2, "COUNT is missing."],
    ["shards", ["101"], 2, 'The number of shards must be a whole number from 1 to 100, not "101".'],
    ["keys", ["create"], 2, "Give --workspace with the id of one, or --new-workspace with a name."],
    ["keys", ["create", "--workspace", "Marketing"], 2, '"Marketing" is not a workspace\'s id, ws_…: use'],
    [
      "keys",
      ["create", "--new-workspace", "W", "--scopes", "all"],
      2,
      'There is no scope "all": choose from',
    ],
    ["keys", ["create", "--new-workspace", "W"], 1, "DATABASE_URL is not set: set it to postgresql://"],
    ["migrate", [], 1, "DATABASE_URL is not set: set it to postgresql://"],
    ["reconcile", [], 1, "DATABASE_URL is not set: set it to postgresql://"],
    ["reconcile", ["--since", "yesterday"], 2, "--since must be an instant such as 2026-11-21"],
    ["operators", ["suspend", "go.example.com"], 2, "--reason"],
    [
      "operators",
      ["suspend", "go.example.com", "--reason", "phishing"],
      2,
      "Say where the API answers: --api https://go.example.com",
    ],
    [
      "operators",
      ["find", "go.example.com/x", "--reason", "phishing", "--api", "http://go.example.com"],
      2,
      "Say where the API answers: --api https://go.example.com",
    ],
    [
      "operators",
      [
        "limits",
        `ws_${"0".repeat(32)}`,
        "--links",
        "many",
        "--reason",
        "paid",
        "--api",
        "https://go.example.com",
      ],
      2,
      '--links must be a whole number or "none", not "many".',
    ],
    ["dead-letters", ["replay"], 2, "Say which letters to replay: their ids, or --all."],
    ["dead-letters", ["list"], 1, "DATABASE_URL is not set: set it to postgresql://"],
  ])("%s %j says why in one line", async (name, commandArguments, exitCode, message) => {
    const called = await call(name, commandArguments, { DATABASE_URL: "" });
    expect(called).toEqual({ exitCode, output: expect.stringMatching(/^✗ [^\n]*\n$/) });
    expect(called.output).toContain(message);
  });
});

describe("migrate", () => {
  it.each([
    ["an address that is not one", "sekret", "DATABASE_URL is not a Postgres address: "],
    [
      "a server that is not there",
      "postgresql://u:sekret@127.0.0.1:1/x",
      "The database at 127.0.0.1:1/x cannot be",
    ],
  ])("says what is wrong with %s, without its password", async (_what, url, message) => {
    const { exitCode, output } = await call("migrate", [], { DATABASE_URL: url });
    expect(output).toContain(`✗ ${message}`);
    expect(output).not.toContain("sekret");
    expect(exitCode).toBe(1);
  });

  it("says that the database does not exist", async () => {
    const url = new URL(process.env["DATABASE_URL"] ?? "");
    url.pathname = "/not_there";
    const { exitCode, output } = await call("migrate", [], { DATABASE_URL: url.href });
    expect(output).toMatch(/^✗ There is no database at .*\/not_there: .*\n$/);
    expect(exitCode).toBe(1);
  });
});

describe("the entry of all commands", () => {
  const run = (...args: readonly string[]) => runTool("node", ["packages/ops/src/main.ts", ...args]);

  it("names the nearest command", async () => {
    expect(await run("migrat")).toEqual({
      exitCode: 2,
      output: "✗ Unknown command migrat: did you mean migrate?",
    });
  });

  it("lists the commands, and passes arguments and exit codes on", async () => {
    const { exitCode, output } = await run();
    expect([exitCode, output]).toEqual([0, expect.stringContaining("pnpm dead-letters ")]);
    expect(await run("shards", "0")).toMatchObject({ exitCode: 2 });
  });
});

describe("dev", () => {
  let occupant: Server;
  beforeAll(async () => {
    occupant = createServer();
    await new Promise<void>((resolve) => occupant.listen(0, "127.0.0.1", () => resolve()));
  });
  afterAll(() => void occupant.close());

  it("of a developer in this checkout is invisible to tests", () => {
    expect(relative(WORKSPACE_ROOT, STATE_DIRECTORY)).toMatch(/^\.\./);
  });

  it("names a port that is in use and what to do, and starts nothing", async () => {
    const address = occupant.address();
    const port = typeof address === "object" && address !== null ? String(address.port) : "";
    expect(await runTool("node", ["packages/ops/src/main.ts", "dev", "--port", port])).toEqual({
      exitCode: 1,
      output: `✗ Port ${port} of 127.0.0.1 is in use: stop what listens there, or choose another one with --port.`,
    });
  });
});

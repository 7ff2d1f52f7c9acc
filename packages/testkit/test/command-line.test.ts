import { defineCommand } from "citty";
import { describe, expect, it } from "vitest";

import type { CommandModule } from "../src/console/command-line.ts";
import { Failure, UsageFailure } from "../src/console/failure.ts";
import { callCommand } from "./call-command.ts";

const PACK: CommandModule = {
  example: "pnpm pack --size 3 box",
  exitCodes: { 1: "something did not fit" },
  default: defineCommand({
    meta: { name: "pnpm pack", description: "Packs things" },
    args: {
      "thing...": { type: "positional", description: "What to pack" },
      size: { type: "string", required: true, description: "How large" },
      form: { type: "enum", options: ["round", "square"], default: "round" },
      "dry-run": { type: "boolean", default: false, description: "Packs nothing" },
    },
    run({ args }) {
      process.stdout.write(JSON.stringify([args._, args.size, args.form, args["dry-run"]]));
      return args["dry-run"] ? 7 : undefined;
    },
  }),
};

const KEEP: CommandModule = {
  example: "pnpm keep list",
  default: defineCommand({
    meta: { name: "pnpm keep", description: "Keeps things" },
    subCommands: {
      list: defineCommand({ meta: { name: "list", description: "Lists them" } }),
      add: defineCommand({
        meta: { name: "add" },
        args: { file: { type: "positional", default: "-" } },
        run: ({ args }) => process.stdout.write(args.file) && undefined,
      }),
      lose: defineCommand({
        meta: { name: "lose", description: "Loses them" },
        run: () => Promise.reject(new Failure("They are lost.")),
      }),
      misread: defineCommand({
        meta: { name: "misread" },
        run: () => Promise.reject(new UsageFailure("--since is not an instant.")),
      }),
      crash: defineCommand({ meta: { name: "crash" }, run: () => Promise.reject(new TypeError("a bug")) }),
    },
  }),
};

describe("arguments", () => {
  it("reach the command, with its defaults, and its result is the exit code", async () => {
    const sent = await callCommand(PACK, ["a", "--size=3", "b"]);
    expect(sent).toEqual({ exitCode: 0, output: '[["a","b"],"3","round",false]' });
    const dry = await callCommand(PACK, ["--", "--dry-run", "a", "--size", "3", "--form", "square"]);
    expect(dry).toEqual({ exitCode: 7, output: '[["a"],"3","square",true]' });
    expect(await callCommand(KEEP, ["add"])).toEqual({ exitCode: 0, output: "-" });
  });

  it.each<[string, CommandModule, readonly string[], string]>([
    ["a mistyped option", PACK, ["--sizes", "3"], "Unknown option --sizes: did you mean --size?"],
    ["an option like none of them", KEEP, ["list", "--fast"], "Unknown option --fast: choose from --help."],
    ["a missing value", PACK, ["a", "--size"], "--size needs a value."],
    ["an option in place of a value", PACK, ["a", "--size", "--dry-run"], "--size needs a value."],
    ["a value too many", PACK, ["a", "--dry-run=3"], "--dry-run takes no value."],
    ["a value out of a list", PACK, ["--form", "flat"], '--form is one of round, square, not "flat".'],
    ["a missing argument", PACK, ["--size", "3"], "THING... is missing."],
    ["a missing option", PACK, ["a"], "--size is missing."],
    ["an argument too many", KEEP, ["list", "now"], '"now" is not expected here.'],
    ["a mistyped command", KEEP, ["lsit"], "Unknown command lsit: did you mean list?"],
    ["no command", KEEP, [], "Say what to do: list, add, lose, misread, crash."],
    ["what the command itself refuses", KEEP, ["misread"], "--since is not an instant."],
  ])("that are wrong end with 2 and one line: %s", async (_what, module, rawArguments, line) => {
    const { exitCode, output } = await callCommand(module, rawArguments);
    expect(output).toMatch(/^✗ .* See `pnpm (?:pack|keep|keep list|keep misread) --help`\.\n$/);
    expect(output).toContain(line);
    expect(exitCode).toBe(2);
  });
});

describe("a command that fails", () => {
  it("says why in one line and ends with 1", async () => {
    expect(await callCommand(KEEP, ["lose"])).toEqual({ exitCode: 1, output: "✗ They are lost.\n" });
  });

  it("keeps the stack of a bug", async () => {
    const { exitCode, output } = await callCommand(KEEP, ["crash"]);
    expect([exitCode, output]).toEqual([1, expect.stringMatching(/^✗ TypeError: a bug\n +at /)]);
  });
});

it("--help shows the options, the example and the exit codes, without colours", async () => {
  const { exitCode, output } = await callCommand(PACK, ["--help"]);
  expect(exitCode).toBe(0);
  expect(output).toContain("Packs things (pnpm pack)");
  expect(output).toMatch(/--dry-run +Packs nothing\n/);
  expect(output).toContain("EXAMPLE\n\n  pnpm pack --size 3 box\n");
  expect(output).toContain("  0  done\n  1  something did not fit\n  2  the arguments are wrong\n");
  expect(output).not.toContain("\u001B");
  expect((await callCommand(KEEP, ["list", "--help"])).output).toContain("pnpm keep list");
});

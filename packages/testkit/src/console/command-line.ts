/**
 * Runs a command that is defined with citty, and says plainly what is wrong with its arguments: citty itself ignores
 * unknown options. Every command is a module: `export default defineCommand(…)` and `export const example`.
 *
 * The exit code is what `run` returns, 0 where it returns nothing; 1 when it throws; 2 when the arguments are wrong.
 */
import { parseArgs, stripVTControlCharacters } from "node:util";

import { type ArgDef, renderUsage, runCommand, type SubCommandsDef } from "citty";

import { describeError, UsageFailure } from "./failure.ts";
import { suggest } from "./suggest.ts";

/** citty's `CommandDef`, whatever its arguments. */
type Command = Exclude<SubCommandsDef[string], Promise<unknown> | ((...parameters: never) => unknown)>;

export type CommandModule = {
  /** Its `meta.name` is what a person types: `pnpm dev`. A positional whose name ends in `...` may repeat: see `args._`. */
  readonly default: Command;
  /** One command line that works as it stands, for `--help`. */
  readonly example: string;
  /** What the exit codes mean where they mean more than DEFAULT_EXIT_CODES. */
  readonly exitCodes?: Readonly<Record<string, string>>;
};

const DEFAULT_EXIT_CODES = {
  0: "done",
  1: "failed, or found something wrong: the output says what",
  2: "the arguments are wrong",
};

/** Runs the command of this process and sets its exit code. `rawArguments`: by default those of the process. */
export async function runCommandLine(
  module: CommandModule,
  rawArguments: readonly string[] = process.argv.slice(2),
): Promise<void> {
  // The reader may go away (`pnpm dev | head`): no reason to crash and leave a database behind.
  process.stdout.on("error", () => undefined);
  process.exitCode = await executeCommand(module, rawArguments);
}

/** Runs a command and resolves to its exit code. An expected failure is one line on standard error; a bug keeps its stack. */
export async function executeCommand(
  module: CommandModule,
  rawArguments: readonly string[],
): Promise<number> {
  const called = await findCalled(module, rawArguments);
  try {
    const { command, parent, rest } = called;
    if (rest.includes("--help") || rest.includes("-h")) {
      process.stdout.write(await renderHelp(module, command, parent));
      return 0;
    }
    if (called.problem !== null) {
      throw new UsageFailure(called.problem);
    }
    await checkArguments(command, rest);
    const { result } = await runCommand(command, { rawArgs: [...rest] });
    return typeof result === "number" ? result : 0;
  } catch (error) {
    const isUsage = error instanceof UsageFailure;
    process.stderr.write(`✗ ${describeError(error)}${isUsage ? ` See \`${called.name} --help\`.` : ""}\n`);
    return isUsage ? 2 : 1;
  }
}

type Called = {
  readonly command: Command;
  readonly parent: Command | undefined;
  /** As it was typed: `pnpm keys create`. */
  readonly name: string;
  readonly rest: readonly string[];
  readonly problem: string | null;
};

/** The command itself, or the one of its sub-commands that the first argument names. */
async function findCalled(module: CommandModule, rawArguments: readonly string[]): Promise<Called> {
  const root = module.default;
  const name = (await resolve(root.meta))?.name ?? "";
  // `pnpm dev -- --port 1` hands the separator over as well.
  const rest = rawArguments.filter((text) => text !== "--");
  const called = { command: root, parent: undefined, name, rest, problem: null };
  const subCommands = await resolve(root.subCommands);
  if (subCommands === undefined) {
    return called;
  }
  const names = Object.keys(subCommands);
  const [verb, ...afterVerb] = rest;
  const command = verb === undefined ? undefined : await resolve(subCommands[verb]);
  if (verb === undefined || command === undefined) {
    const problem =
      verb === undefined || verb.startsWith("-")
        ? `Say what to do: ${names.join(", ")}.`
        : `Unknown command ${verb}: ${suggest(verb, names)}`;
    return { ...called, problem };
  }
  return { command, parent: root, name: `${name} ${verb}`, rest: afterVerb, problem: null };
}

/** Throws a `UsageFailure` for what citty would ignore or say in its own words. */
async function checkArguments(command: Command, rawArguments: readonly string[]): Promise<void> {
  const definitions = Object.entries<ArgDef>((await resolve(command.args)) ?? {});
  const options = definitions.filter(([, { type }]) => type !== "positional");
  const positionals = definitions.filter(([, { type }]) => type === "positional");
  const { tokens } = parseArgs({
    args: [...rawArguments],
    options: Object.fromEntries(
      options.map(([name, { type }]) => [name, { type: type === "boolean" ? "boolean" : "string" }]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Set<string>();
  let positionalCount = 0;
  for (const token of tokens) {
    if (token.kind === "positional") {
      positionalCount += 1;
      if (positionalCount > positionals.length && positionals.at(-1)?.[0].endsWith("...") !== true) {
        throw new UsageFailure(`"${token.value}" is not expected here.`);
      }
    } else if (token.kind === "option") {
      given.add(token.name);
      checkOption(token, options);
    }
  }
  for (const [index, [name, definition]] of positionals.entries()) {
    const isRequired = definition.required ?? definition.default === undefined;
    if (index >= positionalCount && isRequired) {
      throw new UsageFailure(`${name.toUpperCase()} is missing.`);
    }
  }
  for (const [name, definition] of options) {
    if (definition.required === true && !given.has(name)) {
      throw new UsageFailure(`--${name} is missing.`);
    }
  }
}

type OptionToken = {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
};

function checkOption(
  { name, rawName, value, inlineValue }: OptionToken,
  options: readonly (readonly [string, ArgDef])[],
): void {
  const definition = options.find(([known]) => known === name)?.[1];
  if (definition === undefined) {
    const known = options.map(([option]) => `--${option}`);
    throw new UsageFailure(`Unknown option ${rawName}: ${suggest(rawName, [...known, "--help"])}`);
  }
  if (definition.type === "boolean") {
    if (value !== undefined) {
      throw new UsageFailure(`${rawName} takes no value.`);
    }
    return;
  }
  if (value === undefined || value === "" || (inlineValue !== true && value.startsWith("-"))) {
    throw new UsageFailure(`${rawName} needs a value.`);
  }
  if (definition.type === "enum" && definition.options?.includes(value) === false) {
    throw new UsageFailure(`${rawName} is one of ${definition.options.join(", ")}, not "${value}".`);
  }
}

async function renderHelp(
  module: CommandModule,
  command: Command,
  parent: Command | undefined,
): Promise<string> {
  const exitCodes = Object.entries({ ...DEFAULT_EXIT_CODES, ...module.exitCodes });
  const usage = await renderUsage(command, parent);
  const sections = [
    stripVTControlCharacters(usage).replaceAll(" (Default: false)", "").trim(),
    `EXAMPLE\n\n  ${module.example}`,
    `EXIT CODES\n\n${exitCodes.map(([code, meaning]) => `  ${code}  ${meaning}`).join("\n")}`,
  ];
  return `${sections.join("\n\n")}\n`;
}

/** citty's values may be given as they are, as a promise or as a function. */
async function resolve<T>(value: T | Promise<T> | (() => T) | (() => Promise<T>)): Promise<T> {
  return value instanceof Function ? value() : value;
}

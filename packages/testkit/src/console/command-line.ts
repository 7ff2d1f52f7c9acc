/**
 * Runs a command that is defined with citty, and says plainly what is wrong with its arguments: citty itself ignores
 * unknown options. Every command is a module: `export default defineCommand(…)` and `export const example`.
 *
 * The exit code is what `run` returns, 0 where it returns nothing; 1 when it throws; 2 when the arguments are wrong.
 */
import { parseArgs, stripVTControlCharacters } from "node:util";

import { type ArgDef, type CommandMeta, renderUsage, runCommand, type SubCommandsDef } from "citty";

import { describeError, UsageFailure } from "./failure.ts";
import { suggest } from "./suggest.ts";

/** citty's `CommandDef`, whatever its arguments. */
type Command = Exclude<SubCommandsDef[string], Promise<unknown> | ((...parameters: never) => unknown)>;

export type CommandModule = {
  /** Its `meta.name` is what a person types: `pnpm dev`. A positional whose name ends in `...` may repeat: see `args._`. */
  readonly default: Command;
  /** A command line that works, for `--help`. */
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
  const root = module.default;
  // `pnpm dev -- --port 1` hands the separator over as well.
  const given = rawArguments.filter((text) => text !== "--");
  const [verb = ""] = given;
  const subCommands = await resolve(root.subCommands);
  const subCommand = await resolve(subCommands?.[verb]);
  const command = subCommand ?? root;
  try {
    const rest = subCommand === undefined ? given : given.slice(1);
    if (rest.includes("--help") || rest.includes("-h")) {
      process.stdout.write(await renderHelp(module, command));
      return 0;
    }
    if (subCommands !== undefined && subCommand === undefined) {
      const names = Object.keys(subCommands);
      throw new UsageFailure(
        verb === ""
          ? `Say what to do: ${names.join(", ")}.`
          : `Unknown command ${verb}: ${suggest(verb, names)}`,
      );
    }
    await checkArguments(command, rest);
    const { result } = await runCommand(command, { rawArgs: rest });
    return typeof result === "number" ? result : 0;
  } catch (error) {
    const isUsage = error instanceof UsageFailure;
    const name = [(await describeCommand(module)).name, ...(subCommand === undefined ? [] : [verb])].join(
      " ",
    );
    process.stderr.write(`✗ ${describeError(error)}${isUsage ? ` See \`${name} --help\`.` : ""}\n`);
    return isUsage ? 2 : 1;
  }
}

/** Throws a `UsageFailure` for what citty would ignore or say in its own words. */
async function checkArguments(command: Command, rawArguments: readonly string[]): Promise<void> {
  const definitions = Object.entries<ArgDef>((await resolve(command.args)) ?? {});
  const options = definitions.filter(([, { type }]) => type !== "positional");
  const positionals = definitions.filter(([, { type }]) => type === "positional");
  const { tokens, positionals: values } = parseArgs({
    args: [...rawArguments],
    options: Object.fromEntries(
      options.map(([name, { type }]) => [name, { type: type === "boolean" ? "boolean" : "string" }]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = tokens.filter((token) => token.kind === "option");
  given.forEach((token) => checkOption(token, options));
  const unexpected = values[positionals.length];
  if (unexpected !== undefined && positionals.at(-1)?.[0].endsWith("...") !== true) {
    throw new UsageFailure(`"${unexpected}" is not expected here.`);
  }
  for (const [index, [name, { required, default: fallback }]] of positionals.entries()) {
    if (index >= values.length && (required ?? fallback === undefined)) {
      throw new UsageFailure(`${name.toUpperCase()} is missing.`);
    }
  }
  for (const [name, { required }] of options) {
    if (required === true && !given.some((token) => token.name === name)) {
      throw new UsageFailure(`--${name} is missing.`);
    }
  }
}

type OptionToken = { readonly name: string; readonly rawName: string } & (
  | { readonly value: string; readonly inlineValue: boolean }
  | { readonly value: undefined; readonly inlineValue: undefined }
);

function checkOption(
  { name, rawName, value, inlineValue }: OptionToken,
  options: readonly (readonly [string, ArgDef])[],
): void {
  const definition = options.find(([known]) => known === name)?.[1];
  if (definition === undefined) {
    const known = options.map(([option]) => `--${option}`);
    throw new UsageFailure(`Unknown option ${rawName}: ${suggest(rawName, [...known, "--help"])}`);
  }
  const isBoolean = definition.type === "boolean";
  if (isBoolean && value !== undefined) {
    throw new UsageFailure(`${rawName} takes no value.`);
  }
  if (!isBoolean && (value === undefined || value === "" || (!inlineValue && value.startsWith("-")))) {
    throw new UsageFailure(`${rawName} needs a value.`);
  }
  if (definition.type === "enum" && definition.options?.includes(value ?? "") === false) {
    throw new UsageFailure(`${rawName} is one of ${definition.options.join(", ")}, not "${value}".`);
  }
}

async function renderHelp(module: CommandModule, command: Command): Promise<string> {
  const usage = await renderUsage(command, command === module.default ? undefined : module.default);
  const exitCodes = Object.entries({ ...DEFAULT_EXIT_CODES, ...module.exitCodes });
  const sections = [
    stripVTControlCharacters(usage).replaceAll(" (Default: false)", "").trim(),
    `EXAMPLE\n\n  ${module.example}`,
    `EXIT CODES\n\n${exitCodes.map(([code, meaning]) => `  ${code}  ${meaning}`).join("\n")}`,
  ];
  return `${sections.join("\n\n")}\n`;
}

/** `pnpm dev`, and what it does. */
export async function describeCommand({ default: command }: CommandModule): Promise<CommandMeta> {
  return (await resolve(command.meta)) ?? {};
}

/** citty's values may be given as they are, as a promise or as a function. */
async function resolve<T>(value: T | Promise<T> | (() => T) | (() => Promise<T>)): Promise<T> {
  return value instanceof Function ? value() : value;
}

/** Reads a command's flags; a wrong one is a `Failure` that says how the command is used. */
import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

import { Failure } from "./failure.ts";

/** Strict parsing: unknown flags and missing values are failures. `usage` ends the message. */
export function readFlags<const Options extends ParseArgsOptionsConfig>(options: Options, usage: string) {
  // `pnpm dev -- --port 1` hands the separator over as well.
  const commandArguments = process.argv.slice(2).filter((argument) => argument !== "--");
  try {
    return parseArgs({ args: commandArguments, options, strict: true, allowPositionals: true });
  } catch (error) {
    const firstSentence = error instanceof Error ? error.message.split(". ")[0] : String(error);
    throw new Failure(`${firstSentence}. Usage: ${usage}`);
  }
}

/** For commands that take flags alone: anything else is a `Failure`. */
export function rejectPositionals([unexpected]: readonly string[], usage: string): void {
  if (unexpected !== undefined) {
    throw new Failure(`"${unexpected}" is not expected here. Usage: ${usage}`);
  }
}

export { readWholeNumber } from "./read-whole-number.ts";

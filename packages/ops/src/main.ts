/** The command line: `node packages/ops/src/main.ts <name> …`, which package.json calls as `pnpm <name>`. */
import { runCommandLine } from "@hopline/testkit/console/command-line";
import { suggest } from "@hopline/testkit/console/suggest";

import { COMMANDS, describeCommands } from "./command-list.ts";

const [name = "--help", ...rest] = process.argv.slice(2);
const load = COMMANDS[name];
if (load !== undefined) {
  await runCommandLine(await load(), rest);
} else if (name === "--help" || name === "-h") {
  process.stdout.write(`${(await describeCommands()).join("\n")}\n`);
} else {
  process.stderr.write(`✗ Unknown command ${name}: ${suggest(name, Object.keys(COMMANDS))}\n`);
  process.exitCode = 2;
}

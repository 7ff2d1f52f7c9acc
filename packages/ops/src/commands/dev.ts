/**
 * `pnpm dev [--port N] [--reset]`: the whole of Hopline on this machine, in a process group of its own, so that Ctrl-C
 * leaves time for the queued clicks to be written.
 */
import { runDevStack } from "../dev/dev-stack.ts";
import { runInOwnGroup } from "@hopline/testkit/console/own-process-group";
import { consoleProgress, runCommand } from "@hopline/testkit/console/progress";
import { readFlags, readWholeNumber, rejectPositionals } from "@hopline/testkit/console/read-flags";

const USAGE = "pnpm dev [--port N] [--reset]";

await runCommand(() =>
  runInOwnGroup(readDevFlags, async (signal) => {
    const { port, isReset } = readDevFlags();
    await runDevStack({ port, isReset, progress: consoleProgress(), signal });
    return 0;
  }),
);

function readDevFlags(): { readonly port: number; readonly isReset: boolean } {
  const flags = readFlags(
    { port: { type: "string", default: "8787" }, reset: { type: "boolean", default: false } },
    USAGE,
  );
  rejectPositionals(flags.positionals, USAGE);
  return {
    port: readWholeNumber(flags.values.port, { name: "--port", min: 1, max: 65_535 }),
    isReset: flags.values.reset,
  };
}

/**
 * `pnpm dev`: the whole of Hopline on this machine, in a process group of its own, so that Ctrl-C leaves time to write
 * the queued clicks.
 */
import { runInOwnGroup } from "@hopline/testkit/console/own-process-group";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { readWholeNumber } from "@hopline/testkit/console/read-whole-number";
import { STATE_DIRECTORY } from "@hopline/testkit/workspace/workspace";
import { defineCommand } from "citty";

export const example = "pnpm dev --port 9000";

export default defineCommand({
  meta: {
    name: "pnpm dev",
    description: "Runs Hopline on this machine, with demo data, and follows saved files",
  },
  args: {
    port: { type: "string", default: "8787", description: "The port of the short links and the API" },
    reset: { type: "boolean", default: false, description: "Remove all local data first" },
    clickhouse: {
      type: "boolean",
      default: false,
      description: "Copy clicks to a local ClickHouse; fetches half a gigabyte the first time",
    },
  },
  run({ args }) {
    const port = readWholeNumber(args.port, { name: "--port", min: 1, max: 65_535 });
    return runInOwnGroup(async (signal) => {
      const { runDevStack } = await import("../dev/dev-stack.ts");
      await runDevStack({
        port,
        isReset: args.reset,
        hasClickHouse: args.clickhouse,
        stateDirectory: STATE_DIRECTORY,
        progress: consoleProgress(),
        signal,
      });
      return 0;
    });
  },
});

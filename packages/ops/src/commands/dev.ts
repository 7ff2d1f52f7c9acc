/**
 * `pnpm dev`: the whole of Hopline on this machine, in a process group of its own, so that Ctrl-C leaves time to write
 * the queued clicks.
 */
import { runInOwnGroup } from "@hopline/testkit/console/own-process-group";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { UsageFailure } from "@hopline/testkit/console/failure";
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
    origin: {
      type: "string",
      valueHint: "URL",
      description: "Let the pages of a front end of your own call the API: http://localhost:5173",
    },
    clickhouse: {
      type: "boolean",
      default: false,
      description: "Count clicks in a local ClickHouse; fetches half a gigabyte the first time",
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
        corsOrigin: args.origin === undefined ? "" : readOrigin(args.origin),
        stateDirectory: STATE_DIRECTORY,
        progress: consoleProgress(),
        signal,
      });
      return 0;
    });
  },
});

/** As a browser sends it: `http://localhost:5173`, with nothing behind the port. */
function readOrigin(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new UsageFailure(`--origin must be an origin such as http://localhost:5173, not "${text}".`);
  }
  return url.origin;
}

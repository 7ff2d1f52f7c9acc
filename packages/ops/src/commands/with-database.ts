/**
 * `with-database COMMAND…`: runs a command with DATABASE_URL set.
 *
 * Without DATABASE_URL in the environment a throw-away Postgres is started for the command and removed after it,
 * however the command or this process ends. The exit code is the command's own.
 */
import { consoleProgress } from "@hopline/testkit/console/progress";
import { exitCodeOf, holdSignals, runChild } from "@hopline/testkit/console/run-child";
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { defineCommand } from "citty";

export const example = "node packages/ops/src/main.ts with-database vitest run packages/db";
export const exitCodes = { 0: "the command's own", 1: "the command's own, or it could not be started" };
export const runsCommand = true;

export default defineCommand({
  meta: {
    name: "node packages/ops/src/main.ts with-database",
    description: "Runs a command with a database in DATABASE_URL: the one that is set, or a throw-away one",
  },
  args: { "command...": { type: "positional", description: "The command and its arguments" } },
  async run({ args }) {
    const progress = consoleProgress();
    const onLog = (line: string) => progress.line(line);
    const signals = holdSignals();
    const opening = openDatabaseServer({ environment: process.env, durable: false, onLog });
    const server = await opening.catch((error: unknown) => {
      signals.release();
      throw error;
    });
    try {
      const early = signals.release();
      if (early !== null) {
        return exitCodeOf(early);
      }
      onLog(server.label);
      const [command = "", ...commandArguments] = args._;
      return await runChild({ command, args: commandArguments, environment: { DATABASE_URL: server.url } });
    } finally {
      await server.stop();
    }
  },
});

/**
 * `node packages/ops/src/commands/with-database.ts <command> [args...]`: runs a command with DATABASE_URL set.
 *
 * Without DATABASE_URL in the environment a throw-away Postgres is started for the command and gone after it, however
 * the command or we end. The exit code is the command's own.
 */
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { describeError, Failure } from "@hopline/testkit/console/failure";
import { exitCodeOf, holdSignals, runChild } from "@hopline/testkit/console/run-child";

async function main(command: string | undefined, args: readonly string[]): Promise<number> {
  if (command === undefined) {
    throw new Failure("Say what to run: node packages/ops/src/commands/with-database.ts <command> [args...]");
  }
  const onLog = (line: string) => console.log(line);
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
    const environment = { ...process.env, DATABASE_URL: server.url };
    return await runChild({ command, args, environment, isTerminal: process.stdin.isTTY });
  } finally {
    await server.stop();
  }
}

try {
  const [command, ...args] = process.argv.slice(2);
  process.exitCode = await main(command, args);
} catch (error) {
  console.error(describeError(error));
  process.exitCode = 1;
}

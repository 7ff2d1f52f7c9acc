/** Runs statements on `work` in one transaction, with a limit in the server too: a client that gives up ends no statement. */
import type { RunTransaction, SqlRow, SqlStatement } from "../neon-client.ts";

/** Above the server's, so that the server says why. Milliseconds. */
const CLIENT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 4_000;

/** The rows of each statement. Rejects as `RunTransaction` does, with nothing changed. */
export async function runWorkTransaction(
  runTransaction: RunTransaction,
  statements: readonly SqlStatement[],
): Promise<readonly (readonly SqlRow[])[]> {
  const limit = { text: `SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS}`, parameters: [] };
  const [, ...results] = await runTransaction([limit, ...statements], CLIENT_TIMEOUT_MS);
  return results;
}

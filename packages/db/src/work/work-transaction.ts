/** Runs statements on `work` in one transaction, with a limit in the server too: a client that gives up ends no statement. */
import type { RunTransaction, SqlRow } from "../neon-client.ts";
import { type Sql, sql } from "../sql.ts";

/** Above the server's, so that the server says why. Milliseconds. */
const CLIENT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 4_000;

/** The rows of each statement. Rejects as `RunTransaction` does, with nothing changed. */
export async function runWorkTransaction(
  runTransaction: RunTransaction,
  statements: readonly Sql[],
): Promise<readonly (readonly SqlRow[])[]> {
  const limit = sql`SELECT set_config('statement_timeout', ${String(STATEMENT_TIMEOUT_MS)}, true)`;
  const [, ...results] = await runTransaction([limit, ...statements], CLIENT_TIMEOUT_MS);
  return results;
}

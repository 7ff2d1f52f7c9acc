/** What the transactions that make the cube have in common. */
import type { RunTransaction, SqlRow, SqlStatement } from "@hopline/db/neon-client";

export type CubeDay = {
  readonly workspaceId: string;
  /** The UTC midnight at which it starts, epoch milliseconds. */
  readonly dayMs: number;
};

/** `$1`: workspace; `$2`: day. */
export const IS_OF_DAY = "workspace_id = $1::uuid AND day = to_timestamp($2::float8 / 1000.0)";

/** Runs statements as one transaction. Resolves to the rows of each. */
export type Run = (statements: readonly SqlStatement[]) => Promise<readonly (readonly SqlRow[])[]>;

/** @param timeoutMs of each transaction. */
export function openSession(runTransaction: RunTransaction, timeoutMs: number): Run {
  // The planner misjudges the number of groups over so many columns, and sorting takes several times as long as hashing.
  const text = `SELECT set_config('enable_sort', 'off', true), set_config('jit', 'off', true),
    set_config('work_mem', '64MB', true), set_config('statement_timeout', $1::text, true)`;
  const settings = { text, parameters: [String(timeoutMs)] };
  return async (statements) => (await runTransaction([settings, ...statements], timeoutMs)).slice(1);
}

/** To the end of the transaction, without giving it an id: tags are made of slices that stay. */
export function lockDay({ workspaceId, dayMs }: CubeDay): SqlStatement {
  const text = "SELECT pg_advisory_xact_lock(hashtextextended('cube/' || $1::text, $2::bigint))";
  return { text, parameters: [workspaceId, dayMs] };
}

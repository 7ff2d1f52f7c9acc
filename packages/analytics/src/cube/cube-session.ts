/** What the transactions that make the cube have in common. */
import type { RunTransaction, SqlRow } from "@hopline/db/neon-client";
import { type Sql, sql } from "@hopline/db/sql";
import { DAY_MS } from "../calendar.ts";
import { toTimestamp } from "../instant.ts";
import { FIRST_OPEN_SLICE } from "./plan-day.ts";

export type CubeDay = {
  readonly workspaceId: string;
  /** The UTC midnight at which it starts, epoch milliseconds. */
  readonly dayMs: number;
};

/** A condition on rows of the cube. */
export function isOfDay({ workspaceId, dayMs }: CubeDay): Sql {
  return sql`workspace_id = ${workspaceId}::uuid AND day = ${toTimestamp(dayMs)}`;
}

/** The same, of rows in time: from inclusive, to exclusive. */
export function isWithin({ workspaceId, dayMs }: CubeDay, at: Sql, toMs = dayMs + DAY_MS): Sql {
  return sql`workspace_id = ${workspaceId}::uuid AND ${at} >= ${toTimestamp(dayMs)} AND ${at} < ${toTimestamp(toMs)}`;
}

/** Of a cell: the slice it is of. It counts if cube_days has that one. */
export const SLICE_OF_CELL: Sql = sql`CASE WHEN slice < ${FIRST_OPEN_SLICE} THEN slice ELSE slice - slice % 96 END`;

/** In place of a slice's number: the workspace's cells of a running day, summed over all of its slices, so that its lists need not. */
export const DAY_SLICE = -2;

/** Runs statements as one transaction. Resolves to the rows of each. */
export type Run = (statements: readonly Sql[]) => Promise<readonly (readonly SqlRow[])[]>;

/** @param timeoutMs of each transaction. */
export function openSession(runTransaction: RunTransaction, timeoutMs: number): Run {
  // The planner misjudges the number of groups over so many columns, and sorting takes several times as long as hashing.
  const settings = sql`SELECT set_config('enable_sort', 'off', true), set_config('jit', 'off', true),
    set_config('work_mem', '64MB', true), set_config('statement_timeout', ${String(timeoutMs)}, true)`;
  return async (statements) => (await runTransaction([settings, ...statements], timeoutMs)).slice(1);
}

/** To the end of the transaction, without giving it an id: tags are made of slices that stay. */
export function lockDay({ workspaceId, dayMs }: CubeDay): Sql {
  return sql`SELECT pg_advisory_xact_lock(hashtextextended('cube/' || ${workspaceId}::text, ${dayMs}::bigint))`;
}

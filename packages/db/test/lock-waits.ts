import type pg from "pg";
import { expect } from "vitest";

/**
 * Waits until so many statements wait for a lock in this client's own database: on the same server other test files have theirs.
 */
export async function untilWaitingForLock(client: Pick<pg.Client, "query">, statements = 1): Promise<void> {
  await expect
    .poll(async () => {
      // A transaction sees what it saw first.
      await client.query("SELECT pg_stat_clear_snapshot()");
      const { rows } = await client.query<{ pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return rows;
    })
    .toHaveLength(statements);
}

/** In this client's own database since it was made. */
export async function countDeadlocks(client: Pick<pg.Client, "query">): Promise<number> {
  await client.query("SELECT pg_stat_clear_snapshot()");
  const { rows } = await client.query<{ deadlocks: number }>(
    "SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()",
  );
  return rows[0]?.deadlocks ?? -1;
}

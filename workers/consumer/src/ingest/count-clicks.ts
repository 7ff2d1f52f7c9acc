/**
 * Counts batches where clicks are counted now: in Postgres, or in ClickHouse. Which of the two is a row of the database that every
 * statement checks; what is remembered here is only what is tried first.
 */
import type { ClickHouse } from "@hopline/clickhouse/clickhouse-client";
import { ClickHouseFailure } from "@hopline/clickhouse/clickhouse-client";
import { countInClickHouse } from "@hopline/clickhouse/store/count-in-clickhouse";
import { toDatabaseFailure } from "@hopline/db/database-failure";
import { type CountingMode, WRONG_MODE } from "@hopline/db/ingest/count-clicks";
import { type ClickBatch, insertBatch, type InsertedClicks } from "@hopline/db/ingest/insert-clicks";
import type { RunSql } from "@hopline/db/neon-client";

/** What an isolate remembers. */
export type CountingHint = { mode: CountingMode; clickHouseAwayUntilMs: number };

export function openCountingHint(clickHouse: ClickHouse | null): CountingHint {
  return { mode: clickHouse === null ? "postgres" : "clickhouse", clickHouseAwayUntilMs: 0 };
}

/** After a failure of ClickHouse, batches go back to their queue without asking it again for so long. */
const PROBED_EVERY_MS = 60_000;

export type CountDeps = {
  readonly runSql: RunSql;
  /** `null`: there is none, and nothing can be counted in it. */
  readonly clickHouse: ClickHouse | null;
  readonly hint: CountingHint;
  readonly timeoutMs: number;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
};

/** Rejects as `insertBatch` does; where clicks are counted in ClickHouse, never because of values. */
export async function countBatch(batch: ClickBatch, deps: CountDeps): Promise<InsertedClicks> {
  const { hint } = deps;
  const { mode } = hint;
  try {
    return await countIn(mode, batch, deps);
  } catch (error) {
    if (toDatabaseFailure(error).sqlState !== WRONG_MODE) {
      throw error;
    }
  }
  hint.mode = mode === "postgres" ? "clickhouse" : "postgres";
  return countIn(hint.mode, batch, deps);
}

async function countIn(mode: CountingMode, batch: ClickBatch, deps: CountDeps): Promise<InsertedClicks> {
  const { runSql, clickHouse, hint, timeoutMs, nowMs } = deps;
  if (mode === "postgres") {
    return insertBatch(runSql, batch, timeoutMs);
  }
  if (clickHouse === null) {
    throw new Error("Clicks are counted in ClickHouse: set CLICKHOUSE_URL, or run `pnpm clickhouse off`.");
  }
  if (nowMs() < hint.clickHouseAwayUntilMs) {
    throw new ClickHouseFailure("ClickHouse did not answer a moment ago", null);
  }
  try {
    const counted = await countInClickHouse({ runSql, clickHouse }, batch, timeoutMs);
    hint.clickHouseAwayUntilMs = 0;
    return counted;
  } catch (error) {
    if (error instanceof ClickHouseFailure) {
      hint.clickHouseAwayUntilMs = nowMs() + PROBED_EVERY_MS;
    }
    // Segments are counted whole, so a batch must not be halved.
    throw toDatabaseFailure(error).reason === "data"
      ? new Error("invariant: what is counted was checked before", { cause: error })
      : error;
  }
}

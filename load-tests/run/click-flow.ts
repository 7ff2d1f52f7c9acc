/** How clicks flowed into the database, second by second, from the ledger's own instants. */
import type { Pool } from "pg";

export type FlowSecond = {
  /** Epoch milliseconds at which the second begins. */
  readonly atMs: number;
  readonly inserted: number;
  /** From a segment's last click to its row, in milliseconds. */
  readonly delayP50Ms: number;
  readonly delayP95Ms: number;
  readonly delayMaxMs: number;
};

const FLOW = `
  SELECT (extract(epoch FROM date_trunc('second', first_settled_at)) * 1000)::float8 AS at_ms,
    sum(inserted)::float8 AS inserted,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY queue_delay_ms)::float8 AS p50,
    percentile_cont(0.95) WITHIN GROUP (ORDER BY queue_delay_ms)::float8 AS p95,
    max(queue_delay_ms)::float8 AS longest
  FROM segment_ledger WHERE first_settled_at >= $1 GROUP BY 1 ORDER BY 1`;

type FlowRow = { at_ms: number; inserted: number; p50: number; p95: number; longest: number };

/** Seconds in which something arrived, in order; `since` is an instant in RFC 3339. */
export async function readClickFlow(database: Pool, since: string): Promise<readonly FlowSecond[]> {
  const { rows } = await database.query<FlowRow>(FLOW, [since]);
  return rows.map((row) => ({
    atMs: row.at_ms,
    inserted: row.inserted,
    delayP50Ms: row.p50,
    delayP95Ms: row.p95,
    delayMaxMs: row.longest,
  }));
}

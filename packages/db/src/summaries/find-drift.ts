/** How far what is pre-aggregated is from the events, and weeks from their days: what analytics would answer wrongly. */
import type { RunSql } from "../neon-client.ts";
import { SUMMARY_DRIFT } from "./summary-drift.ts";
import { TAG_DRIFT } from "./tag-drift.ts";
import { VISITOR_DRIFT } from "./visitor-drift.ts";
import { WEEK_DRIFT } from "./week-drift.ts";

/** Epoch milliseconds, whole buckets. */
export type ClickRange = { readonly sinceMs: number; readonly untilMs: number };

export const DRIFTS = {
  summaries: SUMMARY_DRIFT,
  weeks: WEEK_DRIFT,
  visitors: VISITOR_DRIFT,
  tags: TAG_DRIFT,
};

/** Clicks or visitors, summed over every row in the range. As slow as counting everything again. Rejects as `RunSql` does. */
export async function findDrift(
  runSql: RunSql,
  { sinceMs, untilMs }: ClickRange,
  timeoutMs: number,
  statements: readonly string[] = Object.values(DRIFTS),
): Promise<number> {
  let drift = 0;
  for (const statement of statements) {
    const [row] = await runSql(statement, [sinceMs, untilMs], timeoutMs);
    drift += Number(row?.["drift"] ?? 0);
  }
  return drift;
}

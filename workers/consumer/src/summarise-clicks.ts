/**
 * The scheduled job that counts ahead what analytics are asked for: hours and days that are over. Nothing depends on
 * it: what it has not come to is read from the events, to the same numbers.
 */
import type { SummaryPeriod } from "@hopline/db/summarise-period";
import { toDatabaseFailure } from "@hopline/db/database-failure";
import type { Log } from "./log.ts";

export type SummariseDeps = {
  /** Periods to make, the most wanted first. Rejects when the database does. */
  readonly findUnsummarised: (sinceMs: number, nowMs: number) => Promise<readonly SummaryPeriod[]>;
  /** Rejects when the database does, with nothing changed. */
  readonly summarisePeriod: (period: SummaryPeriod) => Promise<void>;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  readonly log: Log;
};

/** Every minute the last days, where clicks still come in; once an hour all there is. */
export const RECENT_MS = 3 * 86_400_000;
/** No new period is begun after this: the next minute's run goes on. */
const BUDGET_MS = 45_000;

/** 23502: events are gone that the rollups know of. The others: clicks came late in the same moment. */
const PASSED_OVER = new Set(["23502", "40001", "40P01"]);

/** Rejects when the database does; the periods made by then stay made. */
export async function summariseClicks(sinceMs: number, deps: SummariseDeps): Promise<void> {
  const startedAtMs = deps.nowMs();
  const periods = await deps.findUnsummarised(sinceMs, startedAtMs);
  let made = 0;
  let passedOver = 0;
  for (const period of periods) {
    if (deps.nowMs() - startedAtMs >= BUDGET_MS) {
      break;
    }
    try {
      await deps.summarisePeriod(period);
      made += 1;
    } catch (error) {
      if (!PASSED_OVER.has(toDatabaseFailure(error).sqlState ?? "")) {
        throw error;
      }
      passedOver += 1;
    }
  }
  if (periods.length > 0) {
    deps.log({ event: "clicks.summarised", made, passedOver, left: periods.length - made - passedOver });
  }
}

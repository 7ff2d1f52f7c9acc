/**
 * The scheduled job that counts ahead what analytics are asked for: hours and days that are over, then weeks of such
 * days. Nothing depends on it: what it has not come to is read from the events, to the same numbers.
 */
import type { SummaryPeriod } from "@hopline/db/summarise-period";
import type { SummaryWeek } from "@hopline/db/summarise-week";
import { toDatabaseFailure } from "@hopline/db/database-failure";
import type { Log } from "./log.ts";

export type SummariseDeps = {
  /** Periods to make, the most wanted first. Rejects when the database does. */
  readonly findUnsummarised: (sinceMs: number, nowMs: number) => Promise<readonly SummaryPeriod[]>;
  /** Rejects when the database does, with nothing changed. */
  readonly summarisePeriod: (period: SummaryPeriod) => Promise<void>;
  /** Weeks to make, of the days that are made by then. Rejects when the database does. */
  readonly findUnsummarisedWeeks: (sinceMs: number) => Promise<readonly SummaryWeek[]>;
  /** Rejects when the database does, with nothing changed. */
  readonly summariseWeek: (week: SummaryWeek) => Promise<void>;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  readonly log: Log;
};

/** No new period or week is begun after this: the next minute's run goes on. */
const BUDGET_MS = 45_000;

/** 23502: events are gone that the rollups know of, or a week's days. The others: clicks came late in the same moment. */
const PASSED_OVER = new Set(["23502", "40001", "40P01"]);

/** Rejects when the database does; the periods and weeks made by then stay made. */
export async function summariseClicks(sinceMs: number, deps: SummariseDeps): Promise<void> {
  const startedAtMs = deps.nowMs();
  const isOver = () => deps.nowMs() - startedAtMs >= BUDGET_MS;
  const periods = await deps.findUnsummarised(sinceMs, startedAtMs);
  const ofPeriods = await makeEach(periods, deps.summarisePeriod, isOver);
  const weeks = await deps.findUnsummarisedWeeks(sinceMs);
  const ofWeeks = await makeEach(weeks, deps.summariseWeek, isOver);
  const found = periods.length + weeks.length;
  if (found > 0) {
    const made = ofPeriods.made + ofWeeks.made;
    const passedOver = ofPeriods.passedOver + ofWeeks.passedOver;
    deps.log({ event: "clicks.summarised", made, passedOver, left: found - made - passedOver });
  }
}

/** In the order given, until the time is up. Rejects when the database is away. */
async function makeEach<Item>(
  items: readonly Item[],
  make: (item: Item) => Promise<void>,
  isOver: () => boolean,
): Promise<{ readonly made: number; readonly passedOver: number }> {
  let made = 0;
  let passedOver = 0;
  for (const item of items) {
    if (isOver()) {
      break;
    }
    try {
      await make(item);
      made += 1;
    } catch (error) {
      if (!PASSED_OVER.has(toDatabaseFailure(error).sqlState ?? "")) {
        throw error;
      }
      passedOver += 1;
    }
  }
  return { made, passedOver };
}

/**
 * The scheduled job that pre-aggregates for analytics: hours and days that are over, then weeks of such days, then the
 * days of tags whose links changed. It changes no answer: what it has not reached yet is counted from the events.
 */
import type { SummaryPeriod } from "@hopline/db/summaries/summarise-period";
import { RECENT_MS } from "@hopline/db/summaries/summary-bounds";
import type { WorkspaceTag } from "@hopline/db/summaries/summarise-tag";
import type { SummaryWeek } from "@hopline/db/summaries/summarise-week";
import { toDatabaseFailure } from "@hopline/db/database-failure";
import type { Log } from "../log.ts";

export type SummariseDeps = {
  /** Periods to make, the most useful first. Rejects if the database does. */
  readonly findUnsummarised: (sinceMs: number, nowMs: number) => Promise<readonly SummaryPeriod[]>;
  /** Rejects if the database does, with nothing changed. */
  readonly summarisePeriod: (period: SummaryPeriod) => Promise<void>;
  /** Weeks to make, of days that are already made. Rejects if the database does. */
  readonly findUnsummarisedWeeks: (sinceMs: number) => Promise<readonly SummaryWeek[]>;
  /** Rejects if the database does, with nothing changed. */
  readonly summariseWeek: (week: SummaryWeek) => Promise<void>;
  /** Records which links have which tags now. Rejects if the database does, with nothing changed. */
  readonly updateTagMemberships: () => Promise<void>;
  /** Tags whose links changed. Rejects if the database does. */
  readonly findUncountedTags: () => Promise<readonly WorkspaceTag[]>;
  /** Makes some of the tag's days. Resolves to whether all are made. Rejects if the database does, with nothing changed. */
  readonly summariseTag: (tag: WorkspaceTag) => Promise<boolean>;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  readonly log: Log;
};

/** After this nothing new is started; the next run continues. */
const BUDGET_MS = 45_000;

/** 23502: events that the rollups counted are gone, or days of a week. The others: late clicks came in meanwhile. */
const PASSED_OVER = new Set(["23502", "40001", "40P01"]);

/**
 * `recent`: the last days, where clicks still come in. `all`: everything, and tags. Rejects if the database does; what
 * was made by then stays.
 */
export async function summariseClicks(which: "recent" | "all", deps: SummariseDeps): Promise<void> {
  const startedAtMs = deps.nowMs();
  const sinceMs = which === "all" ? 0 : startedAtMs - RECENT_MS;
  const isOver = () => deps.nowMs() - startedAtMs >= BUDGET_MS;
  const inTurn = <Item>(items: readonly Item[]) => startElsewhere(items, toTurn(startedAtMs));
  const periods = inTurn(await deps.findUnsummarised(sinceMs, startedAtMs));
  const reports = [await makeEach(periods, atOnce(deps.summarisePeriod), isOver)];
  const weeks = inTurn(await deps.findUnsummarisedWeeks(sinceMs));
  reports.push(await makeEach(weeks, atOnce(deps.summariseWeek), isOver));
  if (which === "all" && !isOver()) {
    await deps.updateTagMemberships();
    reports.push(await makeEach(inTurn(await deps.findUncountedTags()), deps.summariseTag, isOver));
  }
  const made = sum(reports.map((report) => report.made));
  const passedOver = sum(reports.map((report) => report.passedOver));
  const left = sum(reports.map((report) => report.left));
  if (made + passedOver + left > 0) {
    deps.log({ event: "clicks.summarised", made, passedOver, left });
  }
}

/** Counts runs, both for a job that runs every minute and for one that runs every hour. */
function toTurn(nowMs: number): number {
  return Math.floor(nowMs / 60_000) + Math.floor(nowMs / 3_600_000);
}

/**
 * Every second run starts at another item. An item that cannot be made in time ends a run, and would otherwise block
 * all that follow it for ever.
 */
function startElsewhere<Item>(items: readonly Item[], turn: number): readonly Item[] {
  const place = turn % 2 === 0 ? 0 : ((turn - 1) / 2) % Math.max(1, items.length);
  return [...items.slice(place), ...items.slice(0, place)];
}

type MakeReport = { readonly made: number; readonly passedOver: number; readonly left: number };

/**
 * Makes the items in the given order until the time is up. An item that is not finished in one turn goes to the end, so
 * that none waits for a large one. Rejects if the database does.
 */
async function makeEach<Item>(
  items: readonly Item[],
  make: (item: Item) => Promise<boolean>,
  isOver: () => boolean,
): Promise<MakeReport> {
  const turns = [...items];
  let made = 0;
  let passedOver = 0;
  for (const item of turns) {
    if (isOver()) {
      break;
    }
    try {
      if (await make(item)) {
        made += 1;
      } else {
        turns.push(item);
      }
    } catch (error) {
      if (!PASSED_OVER.has(toDatabaseFailure(error).sqlState ?? "")) {
        throw error;
      }
      passedOver += 1;
    }
  }
  return { made, passedOver, left: items.length - made - passedOver };
}

function atOnce<Item>(make: (item: Item) => Promise<void>): (item: Item) => Promise<boolean> {
  return async (item) => {
    await make(item);
    return true;
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/**
 * The scheduled job that counts ahead what analytics are asked for: hours and days that are over, then weeks of such
 * days, then the days of tags whose links changed. Nothing depends on it: what it has not come to is read from the
 * events, to the same numbers.
 */
import type { SummaryPeriod } from "@hopline/db/summaries/summarise-period";
import { RECENT_MS } from "@hopline/db/summaries/summary-bounds";
import type { WorkspaceTag } from "@hopline/db/summaries/summarise-tag";
import type { SummaryWeek } from "@hopline/db/summaries/summarise-week";
import { toDatabaseFailure } from "@hopline/db/database-failure";
import type { Log } from "../log.ts";

export type SummariseDeps = {
  /** Periods to make, the most wanted first. Rejects when the database does. */
  readonly findUnsummarised: (sinceMs: number, nowMs: number) => Promise<readonly SummaryPeriod[]>;
  /** Rejects when the database does, with nothing changed. */
  readonly summarisePeriod: (period: SummaryPeriod) => Promise<void>;
  /** Weeks to make, of the days that are made by then. Rejects when the database does. */
  readonly findUnsummarisedWeeks: (sinceMs: number) => Promise<readonly SummaryWeek[]>;
  /** Rejects when the database does, with nothing changed. */
  readonly summariseWeek: (week: SummaryWeek) => Promise<void>;
  /** Notes which links have which tags now. Rejects when the database does, with nothing changed. */
  readonly updateTagMemberships: () => Promise<void>;
  /** Tags whose links changed. Rejects when the database does. */
  readonly findUncountedTags: () => Promise<readonly WorkspaceTag[]>;
  /** Makes some of the tag's days: whether all are made by now. Rejects when the database does, with nothing changed. */
  readonly summariseTag: (tag: WorkspaceTag) => Promise<boolean>;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  readonly log: Log;
};

/** Nothing new is begun after this: the next run goes on. */
const BUDGET_MS = 45_000;

/** 23502: events are gone that the rollups know of, or a week's days. The others: clicks came late in the same moment. */
const PASSED_OVER = new Set(["23502", "40001", "40P01"]);

/**
 * `recent`: the last days, where clicks still come in. `all`: all there is, and tags. Rejects when the database does;
 * what is made by then stays made.
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

/** Counts runs: those of each minute, and by themselves those of each hour. */
function toTurn(nowMs: number): number {
  return Math.floor(nowMs / 60_000) + Math.floor(nowMs / 3_600_000);
}

/**
 * Every second run begins at another place: what cannot be made in time ends a run, and would stand before all others
 * for ever.
 */
function startElsewhere<Item>(items: readonly Item[], turn: number): readonly Item[] {
  const place = turn % 2 === 0 ? 0 : ((turn - 1) / 2) % Math.max(1, items.length);
  return [...items.slice(place), ...items.slice(0, place)];
}

type MakeReport = { readonly made: number; readonly passedOver: number; readonly left: number };

/**
 * In the order given, until the time is up. What is not whole after its turn has another after all others, so that none
 * waits for a large one. Rejects when the database is away.
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

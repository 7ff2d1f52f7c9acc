import { expect, it } from "vitest";
import type { SummaryPeriod } from "@hopline/db/summarise-period";
import type { SummaryWeek } from "@hopline/db/summarise-week";
import type { LogEvent } from "../src/log.ts";
import { summariseClicks, type SummariseDeps } from "../src/summarise-clicks.ts";

const NOW = Date.UTC(2026, 10, 21);
const PERIODS = [3, 2, 1].map((hour): SummaryPeriod => ({
  workspaceId: "w",
  fromMs: hour * 3_600_000,
  toMs: (hour + 1) * 3_600_000,
}));
const WEEKS = [2, 1].map((week): SummaryWeek => ({ workspaceId: "w", fromMs: week * 604_800_000 }));

function aJob(change: Partial<SummariseDeps> = {}) {
  const made: (SummaryPeriod | SummaryWeek)[] = [];
  const log: LogEvent[] = [];
  const deps: SummariseDeps = {
    findUnsummarised: () => Promise.resolve(PERIODS),
    summarisePeriod: (period) => {
      made.push(period);
      return Promise.resolve();
    },
    findUnsummarisedWeeks: () => Promise.resolve([]),
    summariseWeek: (week) => {
      made.push(week);
      return Promise.resolve();
    },
    nowMs: () => NOW,
    log: (event) => log.push(event),
    ...change,
  };
  return { made, log, run: () => summariseClicks(0, deps) };
}

it("makes what is found, in its order", async () => {
  const { made, log, run } = aJob();
  await run();
  expect(made).toEqual(PERIODS);
  expect(log).toEqual([{ event: "clicks.summarised", made: 3, passedOver: 0, left: 0 }]);
});

it("looks for weeks when the periods are made, and makes them", async () => {
  const { made, log, run } = aJob({
    findUnsummarisedWeeks: () => Promise.resolve(made.length === PERIODS.length ? WEEKS : []),
  });
  await run();
  expect(made).toEqual([...PERIODS, ...WEEKS]);
  expect(log).toEqual([{ event: "clicks.summarised", made: 5, passedOver: 0, left: 0 }]);
});

it("passes over a week whose days are gone", async () => {
  const { log, run } = aJob({
    findUnsummarised: () => Promise.resolve([]),
    findUnsummarisedWeeks: () => Promise.resolve(WEEKS),
    summariseWeek: () => Promise.reject(sqlError("23502")),
  });
  await run();
  expect(log).toEqual([{ event: "clicks.summarised", made: 0, passedOver: 2, left: 0 }]);
});

it("says nothing where there is nothing to do", async () => {
  const { log, run } = aJob({ findUnsummarised: () => Promise.resolve([]) });
  await run();
  expect(log).toEqual([]);
});

it.each(["23502", "40001"])("passes over a period that the database refuses with %s", async (code) => {
  let asked = 0;
  const { log, run } = aJob({
    summarisePeriod: () => ((asked += 1) === 1 ? Promise.reject(sqlError(code)) : Promise.resolve()),
  });
  await run();
  expect(log).toEqual([{ event: "clicks.summarised", made: 2, passedOver: 1, left: 0 }]);
});

it("ends when the database is away", async () => {
  const { run } = aJob({ summarisePeriod: () => Promise.reject(sqlError("57P01")) });
  await expect(run()).rejects.toMatchObject({ code: "57P01" });
});

it("leaves the rest to the next run when its time is up", async () => {
  let nowMs = NOW;
  const { made, log, run } = aJob({
    summarisePeriod: () => {
      nowMs += 30_000;
      return Promise.resolve();
    },
    nowMs: () => nowMs,
  });
  await run();
  expect(made).toEqual([]);
  expect(log).toEqual([{ event: "clicks.summarised", made: 2, passedOver: 0, left: 1 }]);
});

it("begins no week when its time went with the periods", async () => {
  let nowMs = NOW;
  const { made, log, run } = aJob({
    summarisePeriod: () => {
      nowMs += 15_000;
      return Promise.resolve();
    },
    findUnsummarisedWeeks: () => Promise.resolve(WEEKS),
    nowMs: () => nowMs,
  });
  await run();
  expect(made).toEqual([]);
  expect(log).toEqual([{ event: "clicks.summarised", made: 3, passedOver: 0, left: 2 }]);
});

function sqlError(code: string): Error {
  return Object.assign(new Error("refused"), { code });
}

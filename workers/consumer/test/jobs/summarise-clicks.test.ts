import { describe, expect, it } from "vitest";
import type { SummaryPeriod } from "@hopline/db/summaries/summarise-period";
import type { WorkspaceTag } from "@hopline/db/summaries/summarise-tag";
import type { SummaryWeek } from "@hopline/db/summaries/summarise-week";
import type { LogEvent } from "../../src/log.ts";
import { summariseClicks, type SummariseDeps } from "../../src/jobs/summarise-clicks.ts";

const NOW = Date.UTC(2026, 10, 21);
const PERIODS = [3, 2, 1].map((hour): SummaryPeriod => ({
  workspaceId: "w",
  fromMs: hour * 3_600_000,
  toMs: (hour + 1) * 3_600_000,
}));
const WEEKS = [2, 1].map((week): SummaryWeek => ({ workspaceId: "w", fromMs: week * 604_800_000 }));

const TAGS = ["mail", "print"].map((tag): WorkspaceTag => ({ workspaceId: "w", tag }));

function aJob(change: Partial<SummariseDeps> = {}, which: "recent" | "all" = "all") {
  const made: (SummaryPeriod | SummaryWeek | WorkspaceTag)[] = [];
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
    updateTagMemberships: () => Promise.resolve(),
    findUncountedTags: () => Promise.resolve([]),
    summariseTag: (tag) => {
      made.push(tag);
      return Promise.resolve(true);
    },
    nowMs: () => NOW,
    log: (event) => log.push(event),
    ...change,
  };
  return { made, log, run: () => summariseClicks(which, deps) };
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

it.each([60_000, 3_600_000])(
  "comes to every period though one ends each run, run every %i ms",
  async (everyMs) => {
    const [stuck] = PERIODS;
    const made = new Set<SummaryPeriod>();
    for (let run = 0; run < 2 * PERIODS.length; run += 1) {
      const job = aJob({
        summarisePeriod: async (period) => {
          if (period === stuck) {
            throw sqlError("57014");
          }
          made.add(period);
        },
        nowMs: () => NOW + run * everyMs,
      });
      await job.run().catch((error: unknown) => expect(error).toMatchObject({ code: "57014" }));
    }
    expect([...made].toSorted((a, b) => b.fromMs - a.fromMs)).toEqual(PERIODS.slice(1));
  },
);

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

describe("tags", () => {
  const onlyTags: Partial<SummariseDeps> = {
    findUnsummarised: () => Promise.resolve([]),
    findUncountedTags: () => Promise.resolve(TAGS),
  };

  it("are looked for when their links are noted, after periods and weeks", async () => {
    let isNoted = false;
    const { made, log, run } = aJob({
      findUnsummarisedWeeks: () => Promise.resolve(WEEKS),
      updateTagMemberships: () => {
        isNoted = made.length === PERIODS.length + WEEKS.length;
        return Promise.resolve();
      },
      findUncountedTags: () => Promise.resolve(isNoted ? TAGS : []),
    });
    await run();
    expect(made).toEqual([...PERIODS, ...WEEKS, ...TAGS]);
    expect(log).toEqual([{ event: "clicks.summarised", made: 7, passedOver: 0, left: 0 }]);
  });

  it("are neither noted nor made by the run over the last days", async () => {
    const never = () => Promise.reject(new Error("asked"));
    const tags = { updateTagMemberships: never, findUncountedTags: never };
    const { made, run } = aJob(tags, "recent");
    await run();
    expect(made).toEqual(PERIODS);
  });

  it("take turns until the days of each are made", async () => {
    const wanted = new Map([
      ["mail", 3],
      ["print", 2],
    ]);
    const turns: string[] = [];
    const { log, run } = aJob({
      ...onlyTags,
      summariseTag: ({ tag }) => {
        turns.push(tag);
        return Promise.resolve(turns.filter((turn) => turn === tag).length === wanted.get(tag));
      },
    });
    await run();
    expect(turns).toEqual(["mail", "print", "mail", "print", "mail"]);
    expect(log).toEqual([{ event: "clicks.summarised", made: 2, passedOver: 0, left: 0 }]);
  });

  it("are left half made when the time is up", async () => {
    let nowMs = NOW;
    let turns = 0;
    const { log, run } = aJob({
      ...onlyTags,
      summariseTag: ({ tag }) => {
        turns += 1;
        nowMs += 15_000;
        return Promise.resolve(tag === "print");
      },
      nowMs: () => nowMs,
    });
    await run();
    expect(turns).toBe(3);
    expect(log).toEqual([{ event: "clicks.summarised", made: 1, passedOver: 0, left: 1 }]);
  });

  it("are not looked for when the time went with the periods", async () => {
    let nowMs = NOW;
    const { made, run } = aJob({
      summarisePeriod: () => {
        nowMs += 15_000;
        return Promise.resolve();
      },
      findUncountedTags: () => Promise.resolve(TAGS),
      updateTagMemberships: () => Promise.reject(new Error("asked")),
      nowMs: () => nowMs,
    });
    await run();
    expect(made).toEqual([]);
  });

  it.each(["23502", "40001"])("get no other turn where the database refuses one with %s", async (code) => {
    const { log, run } = aJob({
      ...onlyTags,
      summariseTag: ({ tag }) => (tag === "mail" ? Promise.reject(sqlError(code)) : Promise.resolve(true)),
    });
    await run();
    expect(log).toEqual([{ event: "clicks.summarised", made: 1, passedOver: 1, left: 0 }]);
  });
});

it.each([
  ["recent", NOW - 3 * 86_400_000],
  ["all", 0],
] as const)("looks since then: %s", async (which, expected) => {
  const since: number[] = [];
  const { run } = aJob(
    {
      findUnsummarised: (sinceMs) => {
        since.push(sinceMs);
        return Promise.resolve([]);
      },
      findUnsummarisedWeeks: (sinceMs) => {
        since.push(sinceMs);
        return Promise.resolve([]);
      },
    },
    which,
  );
  await run();
  expect(since).toEqual([expected, expected]);
});

function sqlError(code: string): Error {
  return Object.assign(new Error("refused"), { code });
}

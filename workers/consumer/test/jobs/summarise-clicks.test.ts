import { describe, expect, it } from "vitest";
import type { LogEvent } from "../../src/log.ts";
import { summariseClicks } from "../../src/jobs/summarise-clicks.ts";
import { databaseError } from "../consumer-stage.ts";

const NOW = Date.UTC(2026, 10, 21);
const HOUR_MS = 3_600_000;
const PERIODS = [3, 2, 1].map((hour) => ({
  workspaceId: "w",
  fromMs: hour * HOUR_MS,
  toMs: (hour + 1) * HOUR_MS,
}));
const WEEKS = [2, 1].map((week) => ({ workspaceId: "w", fromMs: week * 604_800_000 }));
const TAGS = ["mail", "print"].map((tag) => ({ workspaceId: "w", tag }));

type Item = { readonly workspaceId: string; readonly fromMs?: number; readonly tag?: string };
type Job = {
  readonly which?: "recent" | "all";
  readonly periods?: typeof PERIODS;
  readonly weeks?: typeof WEEKS;
  readonly tags?: typeof TAGS;
  readonly nowMs?: number;
  /** What each item takes. */
  readonly costMs?: number;
  /** SQLSTATE of the failure, if the item fails. */
  readonly fail?: (item: Item) => string | false;
  /** How many turns a tag takes. */
  readonly turnsOf?: (tag: string) => number;
};

/** What the job asked for and made, in order, and what it logged. */
async function run(job: Job) {
  const { which = "all", periods = PERIODS, weeks = [], tags = [], costMs = 0, fail, turnsOf } = job;
  let nowMs = job.nowMs ?? NOW;
  const trace: unknown[] = [];
  const log: LogEvent[] = [];
  const find = <Found>(name: string, found: Found): Promise<Found> => {
    trace.push(name);
    return Promise.resolve(found);
  };
  const make = (item: Item): Promise<void> => {
    nowMs += costMs;
    const code = fail?.(item) || null;
    trace.push(...(code === null ? [item] : []));
    return code === null ? Promise.resolve() : Promise.reject(databaseError(code));
  };
  const outcome = await summariseClicks(which, {
    findUnsummarised: (sinceMs) => find(`periods since ${sinceMs}`, periods),
    summarisePeriod: make,
    findUnsummarisedWeeks: (sinceMs) => find(`weeks since ${sinceMs}`, weeks),
    summariseWeek: make,
    updateTagMemberships: () => find("links of tags", undefined),
    findUncountedTags: () => find("tags", tags),
    summariseTag: async (tag) => {
      await make(tag);
      return trace.filter((one) => one === tag).length >= (turnsOf?.(tag.tag) ?? 1);
    },
    nowMs: () => nowMs,
    log: (event) => log.push(event),
  }).catch((error: unknown) => error);
  const made = trace.filter((one) => typeof one !== "string");
  return { trace, made, log, outcome };
}

it("makes periods, then the weeks of these, then tags, whose links it updates first", async () => {
  const { trace } = await run({ weeks: WEEKS, tags: TAGS });
  const expected = [
    "periods since 0",
    ...PERIODS,
    "weeks since 0",
    ...WEEKS,
    "links of tags",
    "tags",
    ...TAGS,
  ];
  expect(trace).toEqual(expected);
});

it("makes only the last days every minute, and no tags", async () => {
  const { trace } = await run({ which: "recent", tags: TAGS });
  const since = NOW - 72 * HOUR_MS;
  expect(trace).toEqual([`periods since ${since}`, ...PERIODS, `weeks since ${since}`]);
});

it("logs nothing if there is nothing to do", async () => {
  expect((await run({ periods: [] })).log).toEqual([]);
});

const isFirst = (item: Item) => item === PERIODS[0];

describe("of what it found, it", () => {
  it.each<[string, Job, readonly unknown[], { made: number; passedOver: number; left: number }]>([
    ["makes all of it", { weeks: WEEKS }, [...PERIODS, ...WEEKS], { made: 5, passedOver: 0, left: 0 }],
    [
      "passes over a week whose days are gone",
      { periods: [], weeks: WEEKS, fail: (item) => item === WEEKS[0] && "23502" },
      WEEKS.slice(1),
      { made: 1, passedOver: 1, left: 0 },
    ],
    ...["23502", "40001", "40P01"].map(
      (code): [string, Job, unknown[], { made: 2; passedOver: 1; left: 0 }] => [
        `passes over a period that the database refuses with ${code}`,
        { fail: (item) => isFirst(item) && code },
        PERIODS.slice(1),
        { made: 2, passedOver: 1, left: 0 },
      ],
    ),
    [
      "leaves the rest to the next run when its time is up",
      { costMs: 30_000 },
      PERIODS.slice(0, 2),
      { made: 2, passedOver: 0, left: 1 },
    ],
    [
      "starts no week when the periods took all the time",
      { weeks: WEEKS, costMs: 15_000 },
      PERIODS,
      { made: 3, passedOver: 0, left: 2 },
    ],
    [
      "gives tags turns until the days of each are made",
      { periods: [], tags: TAGS, turnsOf: (tag) => (tag === "mail" ? 3 : 2) },
      [...TAGS, ...TAGS, TAGS[0]],
      { made: 2, passedOver: 0, left: 0 },
    ],
    [
      "leaves a tag half made when its time is up",
      { periods: [], tags: TAGS, costMs: 15_000, turnsOf: (tag) => (tag === "mail" ? 9 : 1) },
      [...TAGS, TAGS[0]],
      { made: 1, passedOver: 0, left: 1 },
    ],
    [
      "gives no second turn to a tag that the database refuses",
      { periods: [], tags: TAGS, fail: (item) => item === TAGS[0] && "40001" },
      TAGS.slice(1),
      { made: 1, passedOver: 1, left: 0 },
    ],
  ])("%s", async (_what, job, made, counts) => {
    const { log, made: found } = await run(job);
    expect(found).toEqual(made);
    expect(log).toEqual([{ event: "clicks.summarised", ...counts }]);
  });
});

it("does not even look for tags when the periods took all the time", async () => {
  const { trace } = await run({ tags: TAGS, costMs: 15_000 });
  expect(trace.at(-1)).toMatch(/^weeks/);
});

it("ends if the database is down", async () => {
  const { outcome, made } = await run({ fail: () => "57P01" });
  expect([outcome, made]).toEqual([expect.objectContaining({ code: "57P01" }), []]);
});

it.each([60_000, HOUR_MS])(
  "reaches every period although one ends each run, if it runs every %i ms",
  async (everyMs) => {
    const reached = new Set<unknown>();
    for (let number = 0; number < 2 * PERIODS.length; number += 1) {
      const nowMs = NOW + number * everyMs;
      const { made } = await run({ nowMs, fail: (item) => isFirst(item) && "57014" });
      made.forEach((period) => reached.add(period));
    }
    expect(reached).toEqual(new Set(PERIODS.slice(1)));
  },
);

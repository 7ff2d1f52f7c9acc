/** The clock of the jobs in virtual time: when the cron of a minute has a Worker ask the database, and how late work is found. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  announce,
  announceSpill,
  type ClockState,
  type ClockWorker,
  NEW_CLOCK,
  settleRun,
  planRun,
  type RunMode,
} from "../../src/clock/work-clock.ts";

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
const START_MS = Date.UTC(2026, 10, 25);
/** An isolate announces once in so many (ANNOUNCED_EVERY_MS of packages/db/src/work/ask-clock.ts). */
const ANNOUNCED_EVERY_MS = 10_000;

describe("an idle day", () => {
  it.each<ClockWorker>(["api", "consumer"])(
    "has the %s sweep every six hours, and rest in between",
    (worker) => {
      const modes = runDay(worker);
      expect(countOf(modes)).toEqual({ sweep: 4, rest: DAY_MINUTES - 4 });
    },
  );

  it("rests ten minutes after the last activity", () => {
    const modes = runDay("consumer", [0, 30, 61]);
    expect(modes.slice(71, 6 * 60).every((mode) => mode === "rest")).toBe(true);
  });
});

describe("a busy day", () => {
  it("looks every minute, and sweeps every quarter of an hour", () => {
    const modes = runDay("api", everyMinutes(1));
    expect(countOf(modes)).toEqual({ sweep: 96, look: DAY_MINUTES - 96 });
  });
});

it("ten announcements an hour cost two runs each at most", () => {
  const { sweep = 0, look = 0 } = countOf(runDay("consumer", everyMinutes(6)));
  // And the day's first.
  expect(sweep + look).toBeLessThanOrEqual(2 * 240 + 1);
  expect(sweep).toBeLessThanOrEqual(96);
});

it("whatever is announced meets the run of the next minute, however late the cron comes", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 30 * MINUTE_MS }), { minLength: 1, maxLength: 50 }),
      fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 40, maxLength: 40 }),
      (made, delays) => {
        const crons = delays.map((delayMs, minute) => START_MS + minute * MINUTE_MS + delayMs);
        const runs = runCrons("api", { made: made.map((ms) => START_MS + ms), crons });
        for (const madeMs of made) {
          const next = crons.findIndex((cron) => cron >= START_MS + madeMs);
          expect(runs[next]).not.toBe("rest");
        }
      },
    ),
  );
});

it("looks when the next item that a run knows of is due, and not before", () => {
  let state = settleRun(sweptNow(), "api", { nextInMs: 16 * MINUTE_MS, hasSwept: true, nowMs: START_MS });
  const modes = Array.from({ length: 30 }, (_, minute) => {
    const taken = planRun(state, "api", START_MS + minute * MINUTE_MS);
    state =
      taken.mode === "rest"
        ? taken.state
        : settleRun(taken.state, "api", { nextInMs: null, hasSwept: true, nowMs: START_MS });
    return taken.mode;
  });
  expect(modes.flatMap((mode, minute) => (mode === "rest" ? [] : [minute]))).toEqual([16]);
});

it("looks again in the next minute when a run dies", () => {
  const { mode, state } = planRun(NEW_CLOCK, "api", START_MS);
  expect(mode).toBe("sweep");
  expect(planRun(state, "api", START_MS + MINUTE_MS).mode).toBe("sweep");
});

it("has the consumer list the spill for three minutes after clicks were spilled, and the API not", () => {
  const state = announceSpill(sweptNow(), START_MS);
  const turnsOf = (worker: ClockWorker) =>
    [1, 2, 3, 4].map((minute) => planRun(state, worker, START_MS + minute * MINUTE_MS).mode);
  expect(turnsOf("consumer")).toEqual(["sweep", "sweep", "sweep", "rest"]);
  expect(turnsOf("api")).toEqual(["look", "rest", "rest", "rest"]);
});

function sweptNow(): ClockState {
  const swept = { dueAtMs: null, sweptAtMs: START_MS };
  return { ...NEW_CLOCK, workers: { api: swept, consumer: swept } };
}

function everyMinutes(minutes: number): readonly number[] {
  return Array.from({ length: DAY_MINUTES / minutes }, (_, index) => index * minutes);
}

/** @param active minutes of the day in which something is made, in their middle. */
function runDay(worker: ClockWorker, active: readonly number[] = []): readonly RunMode[] {
  return runCrons(worker, {
    made: active.map((minute) => START_MS + (minute + 0.5) * MINUTE_MS),
    crons: Array.from({ length: DAY_MINUTES }, (_, minute) => START_MS + minute * MINUTE_MS),
  });
}

/** Of a Worker whose runs find nothing that is due later. */
function runCrons(
  worker: ClockWorker,
  { made, crons }: { readonly made: readonly number[]; readonly crons: readonly number[] },
): readonly RunMode[] {
  const modes: RunMode[] = [];
  let state = NEW_CLOCK;
  let announcedAtMs = Number.NEGATIVE_INFINITY;
  const events = [
    ...made.map((atMs) => ({ atMs, isCron: false })),
    ...crons.map((atMs) => ({ atMs, isCron: true })),
  ];
  for (const { atMs, isCron } of events.toSorted((one, other) => one.atMs - other.atMs)) {
    if (!isCron) {
      if (atMs - announcedAtMs >= ANNOUNCED_EVERY_MS) {
        announcedAtMs = atMs;
        state = announce(state, atMs);
      }
      continue;
    }
    const taken = planRun(state, worker, atMs);
    modes.push(taken.mode);
    state =
      taken.mode === "rest"
        ? taken.state
        : settleRun(taken.state, worker, { nextInMs: null, hasSwept: taken.mode === "sweep", nowMs: atMs });
  }
  return modes;
}

function countOf(modes: readonly RunMode[]): { readonly [mode in RunMode]?: number } {
  return Object.fromEntries([...Map.groupBy(modes, (mode) => mode)].map(([mode, all]) => [mode, all.length]));
}

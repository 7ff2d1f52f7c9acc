/** Which jobs a run starts, and that none waits for another. The table of leased work is faked; its own tests have a database. */
import type { Found, RunMode } from "@hopline/core/clock/work-clock";
import type { RunTransaction } from "@hopline/db/neon-client";
import { toStatement } from "@hopline/db/sql";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { drainKeys } from "../../src/jobs/drain-spill.ts";
import { type JobDeps, runJobs } from "../../src/jobs/run-jobs.ts";
import { aStage, databaseError } from "../consumer-stage.ts";

/** A day that was enqueued with its clicks. */
const DAY = "0198f3c2-0000-7000-8000-000000000001/2026-01-20";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each<[RunMode, readonly string[]]>([
  ["rest", []],
  ["look", [`summary ${DAY} done`]],
  ["sweep", ["ledger all done", "retention all again", "spill all done", `summary ${DAY} done`]],
])(
  "a run that is to %s starts its jobs, and looks for spilled and for settled segments in a sweep only",
  async (mode, jobs) => {
    let lists = 0;
    const list = async () => {
      lists += 1;
      return [];
    };
    const { deps, settled, stage } = aStageOfJobs({ mode, spill: { list } });
    await runJobs(30, deps);
    expect(settled.map(({ job, outcome }) => `${job} ${outcome}`).toSorted()).toEqual(jobs);
    expect(lists).toBe(mode === "sweep" ? 1 : 0);
    expect(stage.log).toEqual([]);
  },
);

it("a run that is to rest asks the database nothing", async () => {
  const { deps, statements, found } = aStageOfJobs({ mode: "rest" });
  await runJobs(30, deps);
  expect(statements).toEqual([]);
  expect(found).toEqual([]);
});

it("a run that finds nothing asks once, and says so", async () => {
  const { deps, statements, found } = aStageOfJobs({ mode: "look", day: null });
  await runJobs(30, deps);
  expect(statements.filter((text) => !text.includes("set_config"))).toEqual([
    expect.stringContaining("nextInSeconds"),
  ]);
  expect(found).toEqual([{ nextInMs: null, hasSwept: false }]);
});

it("starts no item while few requests are left, and has the next run continue", async () => {
  const { deps, settled, found } = aStageOfJobs({ mode: "look", budget: { left: () => 29 }, isFrugal: true });
  await runJobs(30, deps);
  expect(settled).toEqual([]);
  expect(found).toEqual([{ nextInMs: 0, hasSwept: false }]);
});

it("a spill that is not empty yet is drained again in the next minute", async () => {
  const { deps, settled } = aStageOfJobs({
    spill: { list: async () => ["a segment"] },
    drainShare: async () => ({ segments: 0, inserted: 0, deadLettered: 0, failure: undefined }),
  });
  await runJobs(null, deps);
  expect(settled).toContainEqual({
    job: "spill all",
    revision: 1,
    leaseSeconds: 60,
    outcome: "again",
    inSeconds: 30,
  });
});

it("a job that hangs holds no other back, and is given up at its time limit", async () => {
  const { deps, settled, stage } = aStageOfJobs({ spill: { list: () => new Promise(() => undefined) } });
  const running = runJobs(null, deps);
  await vi.waitFor(() => expect(settled).toHaveLength(3), 20_000);
  await vi.advanceTimersByTimeAsync(50_000);
  await running;
  expect(settled[3]).toMatchObject({ job: "spill all", outcome: "failed", error: "TimeoutError" });
  expect(stage.log).toMatchObject([{ event: "job.failed", job: "spill" }]);
});

it("a job that fails holds no other back, and says why", async () => {
  const { deps, settled, stage } = aStageOfJobs({}, (text) => {
    if (text.includes("cube_days")) {
      throw databaseError("57014");
    }
  });
  await runJobs(null, deps);
  expect(settled.map(({ job, outcome, error }) => [job, outcome, error]).toSorted()).toEqual([
    ["ledger all", "done", undefined],
    ["retention all", "again", undefined],
    ["spill all", "done", undefined],
    [`summary ${DAY}`, "failed", "57014"],
  ]);
  expect(stage.log).toMatchObject([{ event: "job.failed", job: "summary", sqlState: "57014" }]);
});

it("waits for the next run while the database is down", async () => {
  const { deps, stage } = aStageOfJobs({ runTransaction: () => Promise.reject(databaseError("57P03")) });
  await runJobs(null, deps);
  expect(stage.log).toEqual([{ event: "job.failed", job: "work", reason: "unavailable", sqlState: "57P03" }]);
});

type Settled = { readonly job: string; readonly outcome: string; readonly error?: string };
type Item = { readonly kind: string; readonly key: string };
type Change = Omit<Partial<JobDeps>, "spill" | "clock"> & {
  readonly spill?: Partial<JobDeps["spill"]>;
  readonly mode?: RunMode;
  /** `null`: none waits. */
  readonly day?: string | null;
};

function aStageOfJobs(
  { spill, mode = "sweep", day = DAY, ...change }: Change = {},
  look: (text: string) => void = () => undefined,
) {
  const stage = aStage();
  let waiting: readonly Item[] = day === null ? [] : [{ kind: "summary", key: day }];
  const statements: string[] = [];
  const found: Found[] = [];
  const settled: Settled[] = [];
  const answer = (text: string, parameters: readonly unknown[]) => {
    look(text);
    statements.push(text);
    const items = () => JSON.parse(String(parameters.find((value) => String(value).startsWith("["))));
    if (text.includes("INSERT INTO work")) {
      waiting = [...items(), ...waiting];
    } else if (text.includes("AS taken")) {
      return [{ taken: 0 }];
    } else if (text.includes("nextInSeconds")) {
      return waiting.map(({ kind }) => ({ kind, inSeconds: 0, nextInSeconds: 0 }));
    } else if (text.includes("AS wanted")) {
      const kinds = (items() as readonly Item[]).map(({ kind }) => kind);
      const claimed = waiting.filter(({ kind }) => kinds.includes(kind));
      waiting = waiting.filter((item) => !claimed.includes(item));
      return claimed.map((item) => ({ ...item, payload: {}, revision: "1", attempts: 1 }));
    } else if (text.includes("settled AS")) {
      const outcomes: readonly (Item & Settled)[] = items();
      settled.push(...outcomes.map(({ kind, key, ...rest }) => ({ ...rest, job: `${kind} ${key}` })));
    }
    return [];
  };
  const runTransaction: RunTransaction = async (statements) =>
    statements.map(toStatement).map(({ text, parameters }) => answer(text, parameters));
  const deps: JobDeps = {
    ...stage.deps,
    clock: { planRun: async () => mode, settle: async (what) => void found.push(what) },
    budget: { left: () => 10_000 },
    isFrugal: false,
    runTransaction,
    newLeaseId: () => "a lease",
    dropOldMisses: async () => 0,
    dropSpooledClicks: () => Promise.resolve(false),
    deleteClicks: null,
    deleteOldClicks: null,
    dropOldClicks: async () => ({ events: 0, chunks: 0, ledgerRows: 0, deadLetters: 0, edgeReports: 0 }),
    ...change,
    spill: { ...stage.deps.spill, ...spill },
    drainShare: (keys) => drainKeys(keys, stage.deps),
    log: (event) => {
      if (event.event === "job.failed") {
        stage.log.push(event);
      }
    },
  };
  return { deps, settled, stage, statements, found };
}

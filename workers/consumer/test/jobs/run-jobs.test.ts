/** Which jobs a minute starts, and that none waits for another. The table of leased work is faked; its own tests have a database. */
import type { RunTransaction } from "@hopline/db/neon-client";
import { toStatement } from "@hopline/db/sql";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { drainKeys } from "../../src/jobs/drain-spill.ts";
import { type JobDeps, RETENTION_MINUTE, runJobs } from "../../src/jobs/run-jobs.ts";
import { aStage, databaseError } from "../consumer-stage.ts";

const ANY_MINUTE_MS = Date.UTC(2026, 0, 21, 12, 5);
const RETENTION_MINUTE_MS = Date.UTC(2026, 0, 21, 12, RETENTION_MINUTE);
/** A day that was enqueued with its clicks. */
const DAY = "0198f3c2-0000-7000-8000-000000000001/2026-01-20";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([
  ["any minute", ANY_MINUTE_MS, ["spill all", `summary ${DAY}`]],
  ["one minute of the hour", RETENTION_MINUTE_MS, ["retention all", "spill all", `summary ${DAY}`]],
])("%s starts its jobs", async (_when, scheduledAtMs, jobs) => {
  const { deps, settled } = aStageOfJobs();
  await runJobs(scheduledAtMs, 30, deps);
  expect(settled.map(({ job, outcome }) => `${job} ${outcome}`).toSorted()).toEqual(
    jobs.map((job) => `${job} done`),
  );
});

it("a job that hangs holds no other back, and is given up at its time limit", async () => {
  const { deps, settled, stage } = aStageOfJobs({ spill: { list: () => new Promise(() => undefined) } });
  const running = runJobs(ANY_MINUTE_MS, null, deps);
  await vi.waitFor(() => expect(settled).toMatchObject([{ job: `summary ${DAY}`, outcome: "done" }]), 20_000);
  await vi.advanceTimersByTimeAsync(50_000);
  await running;
  expect(settled[1]).toMatchObject({ job: "spill all", outcome: "failed", error: "TimeoutError" });
  expect(stage.log).toMatchObject([{ event: "job.failed", job: "spill" }]);
});

it("a job that fails holds no other back, and says why", async () => {
  const { deps, settled, stage } = aStageOfJobs({}, (text) => {
    if (text.includes("cube_days")) {
      throw databaseError("57014");
    }
  });
  await runJobs(ANY_MINUTE_MS, null, deps);
  expect(settled.map(({ job, outcome, error }) => [job, outcome, error]).toSorted()).toEqual([
    ["spill all", "done", undefined],
    [`summary ${DAY}`, "failed", "57014"],
  ]);
  expect(stage.log).toMatchObject([{ event: "job.failed", job: "summary", sqlState: "57014" }]);
});

it("copies to ClickHouse where there is one, and names its errors", async () => {
  const failure = Object.assign(new Error("https://user:password@host"), { name: "ClickHouse.unavailable" });
  const failing = () => Promise.reject(failure);
  const clickHouse = { select: failing, insert: failing, execute: failing };
  const copy = { runSql: async () => [], clickHouse, timeoutMs: 1_000, nowMs: Date.now };
  const { deps, settled, stage } = aStageOfJobs({ copy });
  await runJobs(ANY_MINUTE_MS, null, deps);
  expect(settled.find(({ job }) => job === "clickhouse every day")).toMatchObject({
    outcome: "failed",
    error: "ClickHouse.unavailable",
  });
  expect(stage.log).toEqual([
    { event: "job.failed", job: "clickhouse", reason: "ClickHouse.unavailable", sqlState: null },
  ]);
});

it("waits for the next run while the database is down", async () => {
  const { deps, stage } = aStageOfJobs({ runTransaction: () => Promise.reject(databaseError("57P03")) });
  await runJobs(ANY_MINUTE_MS, null, deps);
  expect(stage.log).toEqual([{ event: "job.failed", job: "work", reason: "unavailable", sqlState: "57P03" }]);
});

type Settled = { readonly job: string; readonly outcome: string; readonly error?: string };
type Item = { readonly kind: string; readonly key: string };
type Change = Omit<Partial<JobDeps>, "spill"> & { readonly spill?: Partial<JobDeps["spill"]> };

function aStageOfJobs({ spill, ...change }: Change = {}, look: (text: string) => void = () => undefined) {
  const stage = aStage();
  let waiting: readonly Item[] = [];
  const settled: Settled[] = [];
  const answer = (text: string, parameters: readonly unknown[]) => {
    look(text);
    const items = () => JSON.parse(String(parameters.find((value) => String(value).startsWith("["))));
    if (text.includes("INSERT INTO work")) {
      waiting = [...items(), { kind: "summary", key: DAY }];
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
    runTransaction,
    newLeaseId: () => "a lease",
    copy: null,
    findHeldFrom: () => Promise.resolve(null),
    removeCopies: null,
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
  return { deps, settled, stage };
}

/**
 * What the jobs of both Workers ask of the database and of KV in hours of virtual time: of an installation at rest, of one with ten
 * clicks an hour, of a busy one. Time passes for the clock by its own, and for Postgres by moving what is due towards now.
 */
import { randomUUID } from "node:crypto";
import type { ClockWorker } from "@hopline/core/clock/work-clock";
import { createNeonTransactions } from "@hopline/db/neon-client";
import { createWorkClock } from "@hopline/db/work/ask-clock";
import { asRole } from "@hopline/testkit/postgres/worker-roles";
import { beforeEach, expect, it } from "vitest";
import { runJobs as runConsumerJobs } from "../../../consumer/src/jobs/run-jobs.ts";
import { aStage as aConsumerStage } from "../../../consumer/test/consumer-stage.ts";
import { FREE_LIMITS_A_DAY } from "../../../../packages/ops/src/cost/free-limits.ts";
import { openClock } from "../../src/publishing/keep-clock.ts";
import { runJobs } from "../../src/jobs/run-jobs.ts";
import { createKvBudget } from "../../src/publishing/kv-budget.ts";
import { FREE_LIMITS, runWebhooks } from "../../src/webhooks/run-webhooks.ts";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";

const { stage, workspace, key } = await openKeyedStage("links:read", "links:write");
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const START_MS = Date.UTC(2026, 10, 25);

beforeEach(() => stage.client.query("DELETE FROM work"));

it("a day at rest is four sweeps: the database is asked in four minutes, KV lists four times, and two environments use less than half of what is free", async () => {
  const rest = anInstallation();
  const written = stage.edge.writes.length;
  await rest.pass(24 * HOUR_MS);
  expect(rest.minutesWithRequests()).toHaveLength(4);
  expect(rest.counts).toEqual({ requests: rest.counts.requests, lists: 4, clockCalls: 2 * 1_440 + 2 * 4 });
  expect(rest.counts.requests).toBeLessThanOrEqual(4 * 30);
  // Of the crons, which make no segment and change no link: nothing of the queues or of KV but these lists.
  const { lists, clockCalls } = rest.counts;
  const invocations = 2 * 1_440;
  const ofBoth = { kvLists: 2 * lists, objectRequests: 2 * clockCalls, requests: 2 * invocations };
  const { kvLists, objectRequests, requests } = FREE_LIMITS_A_DAY;
  expect(ofBoth.kvLists).toBeLessThanOrEqual(kvLists / 2);
  expect(ofBoth.objectRequests).toBeLessThanOrEqual(objectRequests / 2);
  expect(ofBoth.requests).toBeLessThanOrEqual(requests / 2);
  expect(stage.edge.writes).toHaveLength(written);
});

it("ten clicks an hour cost a statement of each Worker in the two minutes behind each, and a list in a quarter of an hour", async () => {
  const quiet = anInstallation();
  await quiet.pass(HOUR_MS);
  await quiet.reset();
  for (let click = 0; click < 10; click += 1) {
    await quiet.pass(3 * MINUTE_MS + 30_000);
    await quiet.click();
    await quiet.pass(2 * MINUTE_MS + 30_000);
  }
  expect(quiet.counts.lists).toBeLessThanOrEqual(4);
  expect(quiet.minutesWithRequests().length).toBeLessThanOrEqual(2 * 10);
  expect(quiet.counts.requests).toBeLessThanOrEqual(10 * 2 * 2 + 4 * 30);
});

it("while clicks come, both Workers look every minute, and sweep every quarter of an hour", async () => {
  const busy = anInstallation();
  await busy.pass(HOUR_MS);
  await busy.reset();
  for (let second = 0; second < 1_200; second += 10) {
    await busy.click();
    await busy.pass(10_000);
  }
  expect(busy.minutesWithRequests()).toHaveLength(20);
  expect(busy.counts.lists).toBeLessThanOrEqual(2);
});

it("an edit is published at once and confirmed after a quarter of an hour, and nothing is asked in between", async () => {
  const edited = anInstallation();
  await edited.pass(HOUR_MS);
  await edited.reset();
  const created = await callApi<{ readonly id: string }>(stage, "POST /api/v1/links", {
    key,
    body: { url: "https://example.com/first" },
  });
  await callApi(stage, `PATCH /api/v1/links/${created.body.id}`, {
    key,
    body: { url: "https://example.com/second" },
  });
  await edited.announce();
  await edited.pass(30 * MINUTE_MS);
  expect(edited.minutesWithRequests()).toEqual([0, 1, 16]);
  expect((await stage.client.query("SELECT FROM work WHERE kind = 'publish'")).rowCount).toBe(0);
});

it("asks and does everything when the clock does not answer", async () => {
  const alone = anInstallation(() => Promise.reject(new Error("the object is away")));
  await alone.pass(2 * MINUTE_MS);
  expect(alone.minutesWithRequests()).toHaveLength(2);
  expect(alone.counts.lists).toBe(2);
});

/** Both Workers' crons over the stage's database, with a clock of their own. */
function anInstallation(answerInstead?: () => Promise<Response>) {
  let nowMs = START_MS;
  let databaseMs = START_MS;
  let startMs = START_MS;
  const stored = new Map<string, unknown>();
  const kept = openClock(
    {
      get: <Value>(name: string) => stored.get(name) as Value | undefined,
      put: (name, value) => void stored.set(name, value),
    },
    () => nowMs,
  );
  const counts = { requests: 0, lists: 0, clockCalls: 0 };
  const asked = new Set<number>();
  stage.endpoint.setFault(() => {
    counts.requests += 1;
    asked.add(Math.round((nowMs - startMs) / MINUTE_MS));
    return null;
  });
  const openWorkClock = (worker: ClockWorker) =>
    createWorkClock({
      namespace: {
        getByName: () => ({
          fetch: async (url, { body = "" }) => {
            counts.clockCalls += 1;
            return answerInstead?.() ?? kept.answer(new URL(url).pathname.split("/").slice(2), body);
          },
        }),
      },
      worker,
      nowMs: () => nowMs,
      onFailure: () => undefined,
    });
  const clocks = { api: openWorkClock("api"), consumer: openWorkClock("consumer") };
  const tick = async (): Promise<void> => {
    await runJobs(apiDeps(clocks.api, letDatabaseTimePass));
    await runConsumerJobs(null, {
      ...consumerDeps(),
      clock: { ...clocks.consumer, planRun: () => planAfterTimePassed(() => clocks.consumer.planRun()) },
      spill: {
        ...consumerDeps().spill,
        list: async () => {
          counts.lists += 1;
          return [];
        },
      },
    });
  };
  const letDatabaseTimePass = async (): Promise<void> => {
    const ms = nowMs - databaseMs;
    databaseMs = nowMs;
    await stage.client.query(
      "UPDATE work SET due_at = due_at - $1 * interval '1 millisecond', wanted_at = wanted_at - $1 * interval '1 millisecond'",
      [ms],
    );
  };
  const planAfterTimePassed = async <Mode>(planRun: () => Promise<Mode>): Promise<Mode> => {
    const mode = await planRun();
    if (mode !== "rest") {
      await letDatabaseTimePass();
    }
    return mode;
  };
  const apiDeps = (clock: typeof clocks.api, onLook: () => Promise<void>): Parameters<typeof runJobs>[0] => {
    const common = { ...stage, newLeaseId: randomUUID, nowMs: Date.now };
    return {
      clock: {
        ...clock,
        planRun: async () => {
          const mode = await clock.planRun();
          await (mode === "rest" ? undefined : onLook());
          return mode;
        },
      },
      database: stage.database,
      budget: createKvBudget(0, stage.database),
      work: {
        ...common,
        lookUpTexts: stage.dns.lookUpTexts,
        customHostnames: null,
        people: null,
        auditRetentionDays: 365,
        log: () => undefined,
      },
      publish: async () => {
        await stage.publisher.publishDue({ maxChanges: 900, maxDurationMs: 1_000, nowMs: Date.now });
      },
      runWebhooks: async () => {
        const { rest } = await runWebhooks(FREE_LIMITS, {
          ...common,
          fetch: () => Promise.reject(new Error("nobody listens")),
          secretSeal: () => Promise.reject(new Error("nobody listens")),
          random: Math.random,
          sendWakeUp: async () => undefined,
          wait: async () => undefined,
          log: () => undefined,
        });
        await rest;
      },
      maxDurationMs: 1_000,
      isFrugal: false,
      onFailure: (job, error) => {
        throw new Error(`The job ${job} failed.`, { cause: error });
      },
    };
  };
  return {
    counts,
    minutesWithRequests: () => [...asked],
    async reset() {
      await letDatabaseTimePass();
      Object.assign(counts, { requests: 0, lists: 0, clockCalls: 0 });
      asked.clear();
      startMs = nowMs;
    },
    announce: () => clocks.api.announce(),
    /** A batch of the consumer: its statement enqueues its day, which is made when it is over. */
    async click() {
      await stage.client.query(
        `INSERT INTO work (kind, key, due_at, wanted_at) VALUES ('summary', $1, now() + interval '20 hours', now())
         ON CONFLICT DO NOTHING`,
        [`${workspace.id}/2026-11-25`],
      );
      await clocks.consumer.announce();
    },
    /** Crons come at full minutes. */
    async pass(ms: number) {
      for (const endMs = nowMs + ms; nowMs < endMs;) {
        const nextMs = (Math.floor(nowMs / MINUTE_MS) + 1) * MINUTE_MS;
        nowMs = Math.min(nextMs, endMs);
        if (nowMs === nextMs) {
          await tick();
        }
      }
    },
  };
}

function consumerDeps() {
  return {
    ...aConsumerStage().deps,
    runTransaction: createNeonTransactions({
      databaseUrl: asRole("hopline_consumer"),
      sqlEndpoint: stage.endpoint.url,
    }),
    newLeaseId: randomUUID,
    nowMs: Date.now,
    budget: { left: () => 10_000 },
    isFrugal: false,
    drainShare: () => Promise.reject(new Error("nothing is spilled")),
    dropOldClicks: async () => null,
    dropSpooledClicks: async () => false,
    deleteClicks: null,
    deleteOldClicks: null,
  };
}

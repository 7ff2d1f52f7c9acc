/**
 * Both Workers over a stage's database in virtual time, with a clock of their own: their crons, and batches of clicks. Everything that
 * costs is counted where it leaves the Worker.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { encodeSegment } from "@hopline/core/click/segment";
import type { ClockWorker } from "@hopline/core/clock/work-clock";
import { createNeonClient, createNeonTransactions } from "@hopline/db/neon-client";
import { setAlarmForClicks } from "@hopline/db/webhooks/alarm";
import { createWorkClock } from "@hopline/db/work/ask-clock";
import { asRole } from "@hopline/testkit/postgres/worker-roles";
import { createDeps } from "../../../consumer/src/create-deps.ts";
import { openCountingHint } from "../../../consumer/src/ingest/count-clicks.ts";
import { handleBatch } from "../../../consumer/src/ingest/handle-batch.ts";
import { runJobs as runConsumerJobs } from "../../../consumer/src/jobs/run-jobs.ts";
import { createWakeWebhooks } from "../../../consumer/src/wake-webhooks.ts";
import { aClick, aMessage } from "../../../consumer/test/consumer-stage.ts";
import { runJobs } from "../../src/jobs/run-jobs.ts";
import { openClock } from "../../src/publishing/keep-clock.ts";
import { createKvBudget } from "../../src/publishing/kv-budget.ts";
import { FREE_LIMITS, runWebhooks } from "../../src/webhooks/run-webhooks.ts";
import type { openStage } from "../stage.ts";

export const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 10, 25);
/** A message is written, read and deleted. */
const OPERATIONS_A_MESSAGE = 3;
const SEAL_KEY = Buffer.alloc(32, 9).toString("base64");

const NONE = {
  /** To the database. */
  requests: 0,
  statements: 0,
  kvReads: 0,
  kvWrites: 0,
  kvLists: 0,
  queueOperations: 0,
  objectRequests: 0,
  /** The most requests of all kinds that one invocation has made. */
  most: 0,
};
export type Counts = typeof NONE;

export type InstallationOptions = {
  readonly stage: Awaited<ReturnType<typeof openStage>>;
  /** That is clicked. */
  readonly linkId: string;
  /** In place of the Durable Object. */
  readonly answerInstead?: () => Promise<Response>;
};

export function createInstallation({ stage, linkId, answerInstead }: InstallationOptions) {
  let nowMs = START_MS;
  let databaseMs = START_MS;
  let startMs = START_MS;
  const counts: { -readonly [name in keyof Counts]: number } = { ...NONE };
  const asked = new Set<number>();
  let ofInvocation = 0;
  const note = (name: keyof Counts, amount = 1): void => {
    counts[name] += amount;
    ofInvocation += 1;
  };
  const invoke = async (run: () => Promise<unknown>): Promise<void> => {
    ofInvocation = 0;
    await run();
    counts.most = Math.max(counts.most, ofInvocation);
  };
  stage.endpoint.setFault(({ statements }) => {
    note("requests");
    counts.statements += statements.length;
    asked.add(Math.round((nowMs - startMs) / MINUTE_MS));
    return null;
  });
  const sendMessages = async (messages: number): Promise<void> =>
    note("queueOperations", messages * OPERATIONS_A_MESSAGE);

  const stored = new Map<string, unknown>();
  const kept = openClock(
    {
      get: <Value>(name: string) => stored.get(name) as Value | undefined,
      put: (name, value) => void stored.set(name, value),
    },
    () => nowMs,
  );
  const openWorkClock = (worker: ClockWorker) =>
    createWorkClock({
      namespace: {
        getByName: () => ({
          fetch: async (url, { body = "" }) => {
            note("objectRequests");
            return answerInstead?.() ?? kept.answer(new URL(url).pathname.split("/").slice(2), body);
          },
        }),
      },
      worker,
      nowMs: () => nowMs,
      onFailure: () => undefined,
    });
  const clocks = { api: openWorkClock("api"), consumer: openWorkClock("consumer") };
  /** For Postgres what is due comes nearer, but not the end of today: its own clock stands, so that end would come with each click. */
  const letDatabaseTimePass = async (): Promise<void> => {
    const ms = nowMs - databaseMs;
    databaseMs = nowMs;
    await stage.client.query(
      `UPDATE work SET due_at = due_at - $1 * interval '1 millisecond', wanted_at = wanted_at - $1 * interval '1 millisecond'
       WHERE NOT (kind = 'summary' AND key LIKE to_char(now() AT TIME ZONE 'UTC', '%/YYYY-MM-DD'))`,
      [ms],
    );
  };
  const toClockOf = (worker: ClockWorker) => ({
    ...clocks[worker],
    planRun: async () => {
      const mode = await clocks[worker].planRun();
      await (mode === "rest" ? undefined : letDatabaseTimePass());
      return mode;
    },
  });

  const publisher = stage.openPublisher({
    kv: {
      write: (change) => (note("kvWrites"), stage.edge.kv.write(change)),
      find: (key) => (note("kvReads"), stage.edge.kv.find(key)),
    },
    feed: {
      append: (changes) => (note("objectRequests"), stage.edge.feed.append(changes)),
      find: (key) => (note("objectRequests"), stage.edge.feed.find(key)),
    },
    wakeUps: { send: sendMessages },
  });
  const common = { ...stage, newLeaseId: randomUUID, nowMs: Date.now, publisher };
  const apiDeps: Parameters<typeof runJobs>[0] = {
    clock: toClockOf("api"),
    database: stage.database,
    budget: createKvBudget(0, stage.database),
    work: {
      ...common,
      lookUpTexts: stage.dns.lookUpTexts,
      customHostnames: null,
      people: stage.people.deps,
      auditRetentionDays: 365,
      log: () => undefined,
    },
    publish: async () => {
      await publisher.publishDue({ maxChanges: 900, maxDurationMs: 1_000, nowMs: Date.now });
    },
    runWebhooks: async () => {
      const { rest } = await runWebhooks(FREE_LIMITS, {
        ...common,
        fetch: () => Promise.reject(new Error("nobody listens")),
        secretSeal: () => Promise.reject(new Error("nobody listens")),
        random: Math.random,
        sendWakeUp: () => sendMessages(1),
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

  const settings = { databaseUrl: asRole("hopline_consumer"), sqlEndpoint: stage.endpoint.url };
  const runSql = createNeonClient(settings);
  const wake = createWakeWebhooks({
    setAlarm: (linkIds) => setAlarmForClicks(runSql, linkIds, 30_000),
    sendWakeUp: () => sendMessages(1),
    nowMs: () => nowMs,
    log: () => undefined,
  });
  const behind: Promise<unknown>[] = [];
  const batchDeps = createDeps({
    runSql,
    spill: {
      list: async () => (note("kvLists"), []),
      read: async () => (note("kvReads"), new Map()),
      remove: async () => note("kvWrites"),
    },
    heldReports: { rows: [], nextAtMs: 0 },
    clickHouse: null,
    countingHint: openCountingHint(null),
    sealKey: SEAL_KEY,
    visitorSecret: "a secret of at least thirty-two bytes",
    log: () => undefined,
    onInserted: (linkIds) => void behind.push(wake(linkIds)),
  });
  const consumerDeps: Parameters<typeof runConsumerJobs>[1] = {
    ...batchDeps,
    clock: toClockOf("consumer"),
    runTransaction: createNeonTransactions(settings),
    newLeaseId: randomUUID,
    budget: { left: () => 10_000 },
    isFrugal: false,
    drainShare: () => Promise.reject(new Error("nothing is spilled")),
    dropOldClicks: async () => null,
    dropOldMisses: async () => 0,
    dropSpooledClicks: async () => false,
    deleteClicks: null,
    deleteOldClicks: null,
  };
  const isolateId = randomBytes(8).toString("hex");
  let clicks = 0;

  return {
    counts,
    minutesWithRequests: () => [...asked],
    async reset(): Promise<void> {
      await letDatabaseTimePass();
      Object.assign(counts, NONE);
      asked.clear();
      startMs = nowMs;
    },
    announce: () => clocks.api.announce(),
    /** A batch of the consumer: a segment of one click, which a message has brought. */
    async click(): Promise<void> {
      clicks += 1;
      const click = aClick({ clickedAtMs: Date.now(), linkId });
      const message = aMessage(encodeSegment({ isolateId, firstSequence: clicks, clicks: [click] }));
      await sendMessages(1);
      await invoke(async () => {
        await handleBatch("hopline-clicks-0", [message], batchDeps);
        await Promise.all(behind.splice(0));
        await clocks.consumer.announce();
      });
    },
    /** Crons come at full minutes. */
    async pass(ms: number): Promise<void> {
      for (const endMs = nowMs + ms; nowMs < endMs;) {
        const nextMs = (Math.floor(nowMs / MINUTE_MS) + 1) * MINUTE_MS;
        nowMs = Math.min(nextMs, endMs);
        if (nowMs === nextMs) {
          await invoke(() => runJobs(apiDeps));
          await invoke(() => runConsumerJobs(null, consumerDeps));
        }
      }
    },
  };
}

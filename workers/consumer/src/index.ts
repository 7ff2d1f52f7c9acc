/** The consumer: writes queue batches to the database, and runs the scheduled jobs. Only this file sees bindings. */
import { WorkerEntrypoint } from "cloudflare:workers";
import { type ClickHouse, createClickHouse } from "@hopline/clickhouse/clickhouse-client";
import { deleteClicks, deleteOldClicks } from "@hopline/clickhouse/store/delete-clicks";
import { dropOldClicks, dropOldMisses, dropSpooledClicks } from "@hopline/db/ledger/drop-old-clicks";
import { setAlarmForClicks } from "@hopline/db/webhooks/alarm";
import { createWorkClock, type WorkClock } from "@hopline/db/work/ask-clock";
import { createRequestBudget, isForOneAtATime, parseSubrequests } from "@hopline/db/work/request-budget";
import { createNeonClient, createNeonTransactions, type NeonSettings } from "@hopline/db/neon-client";
import { createDeps } from "./create-deps.ts";
import { type CountingHint, openCountingHint } from "./ingest/count-clicks.ts";
import type { HeldReports } from "./ingest/count-reports.ts";
import type { AfterInsert } from "./ingest/create-store.ts";
import { handleBatch } from "./ingest/handle-batch.ts";
import { parseRetentionDays } from "./jobs/apply-retention.ts";
import { drainKeys, type Drained } from "./jobs/drain-spill.ts";
import { createKvSpill } from "./jobs/kv-spill.ts";
import { runJobs } from "./jobs/run-jobs.ts";
import { createWakeWebhooks, type WakeWebhooks } from "./wake-webhooks.ts";
import { logToConsole } from "./log.ts";

type Env = ConsumerEnv & {
  /** A secret that exists only during a rotation of SEAL_KEY. Without it, what the old key sealed stays sealed. */
  readonly SEAL_KEY_OLD?: string;
  /** A secret: `https://user:password@host:8443/database`. Without it nothing of ClickHouse is loaded. */
  readonly CLICKHOUSE_URL?: string;
};

/** Of one statement or transaction of a job. Milliseconds. */
const JOB_TIMEOUT_MS = 60_000;
/** Of the look for webhooks that want clicks, behind a batch. Milliseconds. */
const ALARM_TIMEOUT_MS = 5_000;
/** Of a deletion in ClickHouse, which waits until it is done. Milliseconds. */
const DELETE_TIMEOUT_MS = 120_000;

/** What the isolate remembers about webhooks. */
let wakeWebhooks: WakeWebhooks | undefined;
/** And when it has announced work. */
let clock: WorkClock | undefined;

/** Reports that wait for this isolate's next statement. */
const heldReports: HeldReports = { rows: [], nextAtMs: 0 };
/** Where clicks are counted. */
let countingHint: CountingHint | undefined;

export default {
  async queue(batch, env, ctx) {
    const deps = toDeps(env, afterInsert(env, ctx));
    await handleBatch(batch.queue, batch.messages, deps);
    clock ??= openClock(env);
    ctx.waitUntil(clock.announce());
  },
  async scheduled(_controller, env, ctx) {
    clock ??= openClock(env);
    const requests = parseSubrequests(env.SUBREQUESTS);
    const budget = createRequestBudget(requests);
    const runSql = createNeonClient(toSettings(env));
    const runOne = createNeonTransactions(toSettings(env));
    const runTransaction: typeof runOne = (statements, limitMs) => {
      budget.spend(1);
      return runOne(statements, limitMs);
    };
    const timeoutMs = JOB_TIMEOUT_MS;
    const clickHouse = openClickHouse(env);
    await runJobs(parseRetentionDays(env.RETENTION_DAYS), {
      ...toDeps(env),
      clock,
      budget,
      isFrugal: isForOneAtATime(requests),
      drainShare: (keys) => ctx.exports.SpillShare.drain(keys),
      runTransaction,
      newLeaseId: () => crypto.randomUUID(),
      dropOldClicks: (beforeMs) => dropOldClicks(runSql, { beforeMs, nowMs: Date.now(), timeoutMs }),
      dropOldMisses: (beforeMs) => dropOldMisses(runSql, { beforeMs, timeoutMs }),
      dropSpooledClicks: () => dropSpooledClicks(runSql, Date.now(), timeoutMs),
      deleteClicks: clickHouse && ((removed) => deleteClicks(clickHouse, removed, DELETE_TIMEOUT_MS)),
      deleteOldClicks: clickHouse && ((beforeMs) => deleteOldClicks(clickHouse, beforeMs, DELETE_TIMEOUT_MS)),
    });
  },
} satisfies ExportedHandler<Env>;

/** The job that drains the spill calls it, by a binding that every Worker has to itself. */
export class SpillShare extends WorkerEntrypoint<Env> {
  drain(keys: readonly string[]): Promise<Drained> {
    return drainKeys(keys, toDeps(this.env, afterInsert(this.env, this.ctx)));
  }
}

/** Whom clicks that were written concern, from a queue or from the spill: webhooks, and the API where a cap was reached. */
function afterInsert(env: Env, ctx: Pick<ExecutionContext, "waitUntil">): AfterInsert {
  wakeWebhooks ??= createWakeWebhooks({
    setAlarm: (linkIds) => setAlarmForClicks(createNeonClient(toSettings(env)), linkIds, ALARM_TIMEOUT_MS),
    sendWakeUp: async () => {
      await env.WEBHOOK_QUEUE.send("wake up");
    },
    nowMs: Date.now,
    log: logToConsole,
  });
  const wake = wakeWebhooks;
  return {
    onUsedUp: () => ctx.waitUntil(endUsedUp(env)),
    onInserted: (linkIds) => ctx.waitUntil(wake(linkIds)),
  };
}

function openClock(env: Env): WorkClock {
  return createWorkClock({
    namespace: env.CHANGE_FEED,
    worker: "consumer",
    nowMs: Date.now,
    onFailure: (error) =>
      logToConsole({
        event: "clock.unreachable",
        reason: error instanceof Error ? error.name : typeof error,
      }),
  });
}

/** `null` without CLICKHOUSE_URL. */
function openClickHouse(env: Env): ClickHouse | null {
  const url = env.CLICKHOUSE_URL ?? "";
  return url === "" ? null : createClickHouse(url);
}

function toSettings(env: Env): NeonSettings {
  return { databaseUrl: env.DATABASE_URL, sqlEndpoint: env.NEON_SQL_ENDPOINT };
}

/** The API publishes that these links have ended. If this call fails, the API's scheduled job finds them within a minute. */
async function endUsedUp(env: Env): Promise<void> {
  try {
    const { ok, status } = await env.USED_UP_LINKS.fetch("https://api.internal/end");
    if (!ok) {
      throw new Error(`the API answered ${status}`);
    }
  } catch (error) {
    logToConsole({
      event: "caps.publish_failed",
      reason: error instanceof Error ? error.name : typeof error,
    });
  }
}

function toDeps(env: Env, hooks: AfterInsert = {}): ReturnType<typeof createDeps> {
  const clickHouse = openClickHouse(env);
  countingHint ??= openCountingHint(clickHouse);
  return createDeps({
    runSql: createNeonClient(toSettings(env)),
    clickHouse,
    countingHint,
    spill: createKvSpill(env.SPILL),
    heldReports,
    sealKey: env.SEAL_KEY,
    oldSealKey: env.SEAL_KEY_OLD ?? "",
    visitorSecret: env.VISITOR_SECRET ?? "",
    log: logToConsole,
    ...hooks,
  });
}

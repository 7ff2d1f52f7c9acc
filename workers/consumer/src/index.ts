/** The consumer: queue batches in, rows out; and the jobs of the clock. Bindings become ports here and nowhere else. */
import { dropOldClicks } from "@hopline/db/ledger/drop-old-clicks";
import { createKvSpill } from "./jobs/kv-spill.ts";
import { parseRetentionDays } from "./jobs/apply-retention.ts";
import { findUncountedTags } from "@hopline/db/summaries/find-uncounted-tags";
import { findUnsummarised } from "@hopline/db/summaries/find-unsummarised";
import { findUnsummarisedWeeks } from "@hopline/db/summaries/find-unsummarised-weeks";
import type { NeonSettings } from "@hopline/db/neon-client";
import { summarisePeriod } from "@hopline/db/summaries/summarise-period";
import { summariseTag } from "@hopline/db/summaries/summarise-tag";
import { summariseWeek } from "@hopline/db/summaries/summarise-week";
import { MIN_PERIOD_CLICKS } from "@hopline/db/summaries/summary-bounds";
import { updateTagMemberships } from "@hopline/db/summaries/update-tag-memberships";
import { createDeps } from "./create-deps.ts";
import { handleBatch } from "./ingest/handle-batch.ts";
import { handleDeadBatch, isDeadLetterQueue } from "./dead-letters/handle-dead-batch.ts";
import { isolateClient, isolateTransactions } from "./isolate.ts";
import { logToConsole } from "./log.ts";
import { runJobs } from "./jobs/run-jobs.ts";

/** A slice of a retention run, a period's summaries, some days of a tag. Milliseconds. */
const JOB_TIMEOUT_MS = 60_000;
/** Of one run; the next goes on. */
const MAX_PERIODS = 100;
/** Most of them have got new links alone, and are done when their days have been looked at. */
const MAX_TAGS = 2_000;

export default {
  async queue(batch, env, ctx) {
    const deps = toDeps(env, () => ctx.waitUntil(endUsedUp(env)));
    const handle = isDeadLetterQueue(batch.queue) ? handleDeadBatch : handleBatch;
    await handle(batch.queue, batch.messages, deps);
  },
  async scheduled(controller, env) {
    await runJobs(controller.cron, parseRetentionDays(env.RETENTION_DAYS), {
      ...toDeps(env),
      dropOldClicks: (beforeMs) => dropOldClicks(toClient(env), { beforeMs, timeoutMs: JOB_TIMEOUT_MS }),
      findUnsummarised: (sinceMs, nowMs) =>
        findUnsummarised(toClient(env), {
          sinceMs,
          nowMs,
          minClicks: MIN_PERIOD_CLICKS,
          limit: MAX_PERIODS,
          timeoutMs: JOB_TIMEOUT_MS,
        }),
      summarisePeriod: (period) =>
        summarisePeriod(isolateTransactions(toSettings(env)), period, { timeoutMs: JOB_TIMEOUT_MS }),
      findUnsummarisedWeeks: (sinceMs) =>
        findUnsummarisedWeeks(toClient(env), { sinceMs, limit: MAX_PERIODS, timeoutMs: JOB_TIMEOUT_MS }),
      summariseWeek: (week) =>
        summariseWeek(isolateTransactions(toSettings(env)), week, { timeoutMs: JOB_TIMEOUT_MS }),
      updateTagMemberships: () => updateTagMemberships(isolateTransactions(toSettings(env)), JOB_TIMEOUT_MS),
      findUncountedTags: () =>
        findUncountedTags(toClient(env), { limit: MAX_TAGS, timeoutMs: JOB_TIMEOUT_MS }),
      summariseTag: (tag) =>
        summariseTag(isolateTransactions(toSettings(env)), tag, { timeoutMs: JOB_TIMEOUT_MS }),
    });
  },
} satisfies ExportedHandler<ConsumerEnv>;

function toSettings(env: ConsumerEnv): NeonSettings {
  return { databaseUrl: env.DATABASE_URL, sqlEndpoint: env.NEON_SQL_ENDPOINT };
}

function toClient(env: ConsumerEnv): ReturnType<typeof isolateClient> {
  return isolateClient(toSettings(env));
}

/** The API publishes; its own scheduled job makes up for a call that fails. */
async function endUsedUp(env: ConsumerEnv): Promise<void> {
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

function toDeps(env: ConsumerEnv, onUsedUp?: () => void): ReturnType<typeof createDeps> {
  return createDeps({
    runSql: toClient(env),
    spill: createKvSpill(env.SPILL),
    sealKey: env.SEAL_KEY,
    visitorSecret: env.VISITOR_SECRET ?? "",
    log: logToConsole,
    ...(onUsedUp === undefined ? {} : { onUsedUp }),
  });
}

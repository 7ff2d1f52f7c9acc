/** The API Worker: builds the application from the bindings. Reached only through the producer's service binding. */
import { waitUntil, WorkerEntrypoint } from "cloudflare:workers";
import { CLOCK_NAME } from "@hopline/core/clock/work-clock";
import { createWorkClock, type WorkClock } from "@hopline/db/work/ask-clock";
import { isForOneAtATime, parseSubrequests } from "@hopline/db/work/request-budget";
import { kindOfError } from "@hopline/db/work/run-work";
import { type ApiApp, createApp } from "./app.ts";
import { readAuditRetentionDays } from "./audit/audit-retention.ts";
import { type Database, openDatabase } from "./database.ts";
import {
  CLOUDFLARE_API_URL,
  createCustomHostnames,
  type CustomHostnameVariables,
  findCustomHostnameFault,
  readCustomHostnameAccess,
} from "./domains/custom-hostnames.ts";
import {
  createDnsOverHttps,
  createHostLookUp,
  DNS_TIMEOUT_MS,
  readResolverUrl,
} from "./domains/dns-over-https.ts";
import { readVouchedSuffixes } from "./domains/vouched-suffixes.ts";
import { readAccessSettings } from "./http/access-settings.ts";
import { createTurns } from "./in-turn.ts";
import { counted, spendRequests, withBudget } from "./invocation-budget.ts";
import { runJobs } from "./jobs/run-jobs.ts";
import { readAppSchemes } from "./destination.ts";
import { LIVE_SETTINGS } from "./live/stream-clicks.ts";
import { type ApiJob, logToConsole, nameOfError } from "./log.ts";
import { createDurableChangeFeed } from "./publishing/durable-change-feed.ts";
import { createKvEdgeStore } from "./publishing/kv-edge-store.ts";
import { countDue, OUTBOX_KINDS } from "./publishing/outbox.ts";
import { createSendEmail, type EmailVariables } from "./people/email/send-email.ts";
import { createAuthLoader } from "./people/load-auth.ts";
import { hashInTurn } from "./people/hash-in-turn.ts";
import { createPasswords } from "./people/password-hash.ts";
import type { PeopleDeps } from "./people/people-deps.ts";
import { type PeopleVariables, readPeopleSettings } from "./people/people-settings.ts";
import { createProviderLoader } from "./people/providers/load-providers.ts";
import { createKvBudget, type KvBudget, parseWritesPerDay } from "./publishing/kv-budget.ts";
import {
  createPublisher,
  LEASE_SECONDS,
  type PublishedDue,
  type Publisher,
  type PublishLimits,
} from "./publishing/publish-changes.ts";
import { createPublishQueue } from "./publishing/publish-queue.ts";
import { isLocalStack } from "./webhooks/endpoint-url.ts";
import { createWebhookQueue, isWebhookQueue } from "./webhooks/webhook-queue.ts";
import { requestRun, requestRunNow, wakeUp } from "./webhooks/wake-up.ts";
import {
  FREE_LIMITS,
  PAID_LIMITS,
  runWebhooks,
  type WebhookRunDeps,
  type WebhookRunLimits,
} from "./webhooks/run-webhooks.ts";
import { createSecretSeal } from "./webhooks/sealed-secrets.ts";
import { endUsedUpNow, sendEmailsNow, type WorkDeps } from "./run-due-work.ts";

export { ChangeFeed } from "./change-feed.ts";

/** The clock calls every minute: a run ends before the next one starts. */
const MAX_JOB_MS = 50_000;
/** Short, because Cloudflare decides after each batch of a queue whether to run more of them side by side. */
const MAX_WAKE_UP_MS = 5_000;
/** Of a call by the consumer, behind a batch that is written. */
const MAX_CALL_MS = 10_000;
/** Of emails, behind the response that asks for one. */
const MAX_EMAILS_MS = 20_000;
/** KV allows 1,000 operations per invocation. What is over is left to publishers that are woken up. */
const MAX_CHANGES = 900;
/** On Workers Free: each is a request, and some statements and another write come on top. */
const FEW_CHANGES = 15;
/** As many wake-ups as Cloudflare runs consumers of a queue side by side. */
const MAX_DUE = 25_000;

const time = { nowMs: Date.now, wait: (ms: number) => scheduler.wait(ms) };

type Parts = {
  readonly app: ApiApp;
  readonly clock: WorkClock;
  readonly publisher: Publisher;
  readonly budget: KvBudget;
  readonly database: Database;
  readonly work: WorkDeps;
  readonly webhookRun: WebhookRunDeps;
  readonly webhookLimits: WebhookRunLimits;
  /** Of one invocation. */
  readonly requests: number;
};

/** Created with the first request: bindings never change while an isolate lives. */
let parts: Parts | undefined;

/**
 * What may be missing: CLICKHOUSE_URL, `https://user:password@host:8443/database`, without which nothing of it is loaded, and
 * what identity providers and emails need.
 */
type Env = ApiEnv & { readonly CLICKHOUSE_URL?: string } & Pick<PeopleVariables, "SIGN_IN_PROVIDERS"> &
  Omit<EmailVariables, "EMAIL_FROM">;

export default {
  fetch(request, env, ctx) {
    parts ??= createParts(env);
    return parts.app.fetch(request, env, ctx);
  },

  async scheduled(_controller, env) {
    parts ??= createParts(env);
    const { clock, budget, database, work, requests } = parts;
    const deps = parts;
    await withBudget(requests, () =>
      runJobs({
        clock,
        budget,
        database,
        work,
        ...(isForOneAtATime(requests) ? startOthers(deps) : doAll(deps)),
        isFrugal: isForOneAtATime(requests),
        maxDurationMs: MAX_JOB_MS,
        onFailure: (job, error) => logFailedJob(job)(error),
      }),
    );
  },

  /** Whatever the messages say, does what is due: sends deliveries, or publishes. */
  async queue(batch, env) {
    parts ??= createParts(env);
    const deps = parts;
    await withBudget(deps.requests, async () => {
      // What it leaves for later is found by the job.
      waitUntil(deps.clock.announce());
      if (isWebhookQueue(batch.queue)) {
        const { rest } = await runWebhooks(deps.webhookLimits, deps.webhookRun);
        // The message is done: the queue starts the next run now, and not when the last receiver has answered.
        waitUntil(rest.catch(logFailedJob("webhooks")));
        return;
      }
      await publishDue({ maxDurationMs: MAX_WAKE_UP_MS }, deps);
    });
  },
} satisfies ExportedHandler<Env>;

/** What the job does where an invocation may make many requests. */
function doAll(deps: Parts) {
  return {
    publish: () => runPublishing(deps),
    runWebhooks: async () => (await runWebhooks(deps.webhookLimits, deps.webhookRun)).rest,
  };
}

/** Where it may make few. */
function startOthers({ publisher, webhookRun }: Parts) {
  return { publish: () => publisher.publishLater(1), runWebhooks: () => requestRunNow(webhookRun) };
}

function logFailedJob(job: ApiJob) {
  return (error: unknown): void => logToConsole({ event: "job.failed", job, reason: kindOfError(error) });
}

/** Rejects when the database can't be reached. */
async function runPublishing(deps: Parts): Promise<void> {
  // What waits for the next day's writes starts no run.
  const kinds = (await deps.budget.leftForMass()) > 0 ? OUTBOX_KINDS : (["publish"] as const);
  const due = await countDue(deps.database, MAX_DUE, kinds);
  if (due > MAX_CHANGES) {
    await deps.publisher.publishLater(due);
  }
  const wait = (forMs: number) => scheduler.wait(forMs);
  await publishDue({ maxDurationMs: MAX_JOB_MS, wait }, deps);
}

/** Rejects when the database can't be reached. */
async function publishDue(
  limits: Pick<PublishLimits, "maxDurationMs" | "wait">,
  { publisher, requests }: Parts,
): Promise<PublishedDue> {
  const maxChanges = isForOneAtATime(requests) ? FEW_CHANGES : MAX_CHANGES;
  const due = await publisher.publishDue({ maxChanges, nowMs: Date.now, ...limits });
  if (due.published + due.failed > 0) {
    logToConsole({ event: "outbox.republished", ...due });
  }
  return due;
}

/** Called by the consumer when clicks have brought links to their caps. Not reachable from outside. */
export class UsedUpLinks extends WorkerEntrypoint<Env> {
  override async fetch(): Promise<Response> {
    parts ??= createParts(this.env);
    waitUntil(parts.clock.announce());
    await endUsedUpNow(MAX_CALL_MS, parts.work);
    await requestRun(1, parts.webhookRun);
    return new Response(null, { status: 204 });
  }
}

function createParts(env: Env): Parts {
  const database = openDatabase({
    databaseUrl: env.DATABASE_URL,
    sqlEndpoint: env.NEON_SQL_ENDPOINT,
    clickHouseUrl: env.CLICKHOUSE_URL ?? "",
  });
  const edge = {
    kv: createKvEdgeStore(counted(env.LINKS), Date.now),
    feed: createDurableChangeFeed(counted(env.CHANGE_FEED), env.CHANGE_FEED_LOCATION),
  };
  // Only Workers Free has a limit.
  const writesPerDay = parseWritesPerDay(env.KV_WRITES_PER_DAY);
  const budget = createKvBudget(writesPerDay, database);
  const publisher = createPublisher({
    ...edge,
    database,
    wakeUps: createPublishQueue(counted(env.PUBLISH_QUEUE)),
    budget,
    newLeaseId: () => crypto.randomUUID(),
    leaseSeconds: LEASE_SECONDS,
    log: logToConsole,
  });
  const clock = createWorkClock({
    namespace: counted(env.CHANGE_FEED),
    worker: "api",
    nowMs: Date.now,
    onFailure: (error) => logToConsole({ event: "clock.unreachable", reason: nameOfError(error) }),
  });
  const appSchemes = readAppSchemes(env);
  const dns = { resolverUrl: readResolverUrl(env), timeoutMs: DNS_TIMEOUT_MS, fetch: fetchCounted };
  const hosts = {
    lookUpTexts: createDnsOverHttps(dns),
    customHostnames: openCustomHostnames(env),
  };
  const people = openPeople(env, database, () => {
    const sending = sendEmailsNow(MAX_EMAILS_MS, work);
    // What was not sent is sent by the job.
    waitUntil(sending.catch(logFailedJob("emails")));
  });
  const work: WorkDeps = {
    ...hosts,
    database,
    people,
    publisher,
    auditRetentionDays: readAuditRetentionDays(env),
    newLeaseId: () => crypto.randomUUID(),
    nowMs: Date.now,
    log: logToConsole,
  };
  const secretSeal = () => createSecretSeal(env.WEBHOOK_SEAL_KEY);
  const webhookRun: WebhookRunDeps = {
    ...work,
    secretSeal,
    fetch: fetchCounted,
    random: Math.random,
    sendWakeUp: createWebhookQueue(counted(env.WEBHOOK_QUEUE)),
    wait: (ms) => scheduler.wait(ms),
  };
  const app = createApp({
    ...edge,
    clock,
    database,
    people,
    publisher,
    appSchemes,
    ...hosts,
    pointing: { target: env.HOSTS_POINT_TO.toLowerCase() || null, lookUpHost: createHostLookUp(dns) },
    vouchedSuffixes: readVouchedSuffixes(env),
    access: readAccessSettings(env),
    networkLimits: { failedKeys: env.FAILED_KEY_LIMIT, anonymous: env.ANONYMOUS_LIMIT },
    webhooks: {
      secretSeal,
      fetch: webhookRun.fetch,
      urlRules: { isLocal: isLocalStack(env.NEON_SQL_ENDPOINT) },
      wakeUp: (workspaceId) => waitUntil(wakeUp(workspaceId, webhookRun)),
    },
    metricsToken: env.METRICS_TOKEN ?? "",
    faults: listFaults(env),
    listAlerts: async () => counted(env.CHANGE_FEED).getByName(CLOCK_NAME).listAlerts(),
    live: LIVE_SETTINGS,
    assets: env.ASSETS,
    ...time,
    turns: createTurns(time),
    waitUntil,
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    log: logToConsole,
  });
  const webhookLimits = writesPerDay === 0 ? PAID_LIMITS : FREE_LIMITS;
  const requests = parseSubrequests(env.SUBREQUESTS);
  return { app, clock, publisher, budget, database, work, webhookRun, webhookLimits, requests };
}

function fetchCounted(url: string | URL, init?: RequestInit): Promise<Response> {
  spendRequests(1);
  return fetch(url, init);
}

function listFaults(env: CustomHostnameVariables): readonly string[] {
  const fault = findCustomHostnameFault(
    env.CUSTOM_HOSTNAMES_ZONE_ID !== "",
    (env.CUSTOM_HOSTNAMES_TOKEN ?? "") !== "",
  );
  return fault === null ? [] : [fault];
}

function openCustomHostnames(env: CustomHostnameVariables) {
  const access = readCustomHostnameAccess(env);
  return access === null
    ? null
    : createCustomHostnames({
        ...access,
        apiUrl: CLOUDFLARE_API_URL,
        fetch: fetchCounted,
      });
}

function openPeople(env: Env, database: Database, sendWaitingEmails: () => void): PeopleDeps | null {
  const settings = readPeopleSettings(env);
  if (settings === null) {
    return null;
  }
  const passwords = hashInTurn(createPasswords(settings.secrets), time);
  return {
    settings,
    passwords,
    loadAuth: createAuthLoader({ database, settings, passwords }),
    loadProviders: createProviderLoader({ fetch: fetchCounted, nowMs: Date.now }),
    sendEmail: createSendEmail(env, fetchCounted),
    sendWaitingEmails,
  };
}

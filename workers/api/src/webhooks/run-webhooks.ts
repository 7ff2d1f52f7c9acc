/**
 * A run: clicks become deliveries, and what is due is sent. Started by a message of the queue `hopline-webhooks`, which the alarm has
 * asked for, and by the clock every minute, in case a message was lost. While clicks come, it looks every second for ten, and asks
 * for the next run at their end.
 */
import { kindOfError, runWork } from "@hopline/db/work/run-work";
import { toRunTransaction } from "../database.ts";
import { nameOfError } from "../log.ts";
import { findBusySeconds, markBusy, takeAlarm } from "./alarm-store.ts";
import { closeMinutes, cutClicks } from "./cut-clicks.ts";
import { deliver, type DeliverDeps } from "./deliver.ts";
import { enqueueDueEndpoints, findNextDue } from "./delivery-store.ts";
import { limitInFlight } from "./in-flight.ts";
import { ring, type RingDeps } from "./wake-up.ts";

export type WebhookRunDeps = Omit<DeliverDeps, "inFlight" | "mayStart"> &
  RingDeps & {
    readonly newLeaseId: () => string;
    readonly wait: (ms: number) => Promise<unknown>;
  };

export type WebhookRunLimits = {
  /** How long it looks for more clicks; 0: once. */
  readonly loopMs: number;
  /** Messages that it sends. */
  readonly maxMessages: number;
  /** For how long no click sets the alarm, once one was found: until the next run that is sure to come. */
  readonly busySeconds: number;
};

/** Cloudflare's Workers Paid: 10,000 requests of an invocation. */
export const PAID_LIMITS: WebhookRunLimits = { loopMs: 10_000, maxMessages: 5_000, busySeconds: 11 };
/**
 * Workers Free: 50 requests of an invocation, 10 ms of CPU, and 10,000 operations of all queues in a day. Clicks of a busy time are
 * looked for by the clock.
 */
export const FREE_LIMITS: WebhookRunLimits = { loopMs: 0, maxMessages: 20, busySeconds: 59 };

const ROUND_MS = 1_000;
/** Of a Worker's six connections that wait for an answer at the same time; one is the database's. */
const MAX_IN_FLIGHT = 5;
/** Endpoints of a run that are worked on at the same time: one that hangs takes a place for ten seconds. */
const ENDPOINTS_AT_ONCE = 20;
/** `deliver` starts nothing after 15 s, an answer may take 10, and three statements follow. */
const TIME_LIMIT_MS = 40_000;
/** What is due later is found by the clock. */
const SOON_SECONDS = 60;

/** Rejects when the database can't be reached. */
export async function runWebhooks(limits: WebhookRunLimits, deps: WebhookRunDeps): Promise<void> {
  const { database, nowMs, wait } = deps;
  await takeAlarm(database);
  const delivering = createDelivering(limits, deps);
  const endsAtMs = nowMs() + limits.loopMs;
  let isLooping = false;
  try {
    for (;;) {
      const startedAtMs = nowMs();
      const { matched, isMore } = await cutClicks(database);
      await closeMinutes(database);
      await delivering.start();
      const isFlowing = matched > 0 || isMore;
      if (isFlowing && !isLooping) {
        isLooping = await markBusy(database, limits.busySeconds);
      }
      if (!isFlowing || !isLooping || nowMs() + ROUND_MS > endsAtMs) {
        break;
      }
      await wait(Math.max(0, ROUND_MS - (nowMs() - startedAtMs)));
    }
  } finally {
    await delivering.end();
  }
  await askForNext(limits, deps);
}

/** Rounds overlap: an endpoint that hangs holds no later round back. */
function createDelivering({ maxMessages }: WebhookRunLimits, deps: WebhookRunDeps) {
  const { database, nowMs, newLeaseId, log } = deps;
  const running = new Set<Promise<void>>();
  let messages = 0;
  const deliverDeps: DeliverDeps = {
    ...deps,
    fetch: (url, init) => {
      messages += 1;
      return deps.fetch(url, init);
    },
    inFlight: limitInFlight(MAX_IN_FLIGHT),
    mayStart: () => messages < maxMessages,
  };
  const handlers = {
    webhook: {
      run: (item: Parameters<typeof deliver>[0]) => deliver(item, deliverDeps),
      timeLimitMs: TIME_LIMIT_MS,
      atOnce: ENDPOINTS_AT_ONCE,
      maxDelaySeconds: SOON_SECONDS,
    },
  };
  const runOnce = () =>
    runWork(ROUND_MS, {
      handlers,
      runTransaction: toRunTransaction(database),
      newLeaseId,
      nowMs,
      onFailure: ({ kind, attempts }, error) =>
        log({ event: "work.failed", kind, attempts, reason: kindOfError(error) }),
    });
  return {
    /** Resolves when it has started. */
    async start(): Promise<void> {
      if (messages >= maxMessages) {
        return;
      }
      await enqueueDueEndpoints(database);
      const run = runOnce().then(
        () => undefined,
        (error: unknown) => log({ event: "job.failed", reason: nameOfError(error) }),
      );
      running.add(run);
      void run.then(() => running.delete(run));
    },
    async end(): Promise<void> {
      await Promise.all(running);
    },
  };
}

/** So that retries keep their times, and clicks of a busy time are looked for after it. */
async function askForNext({ loopMs }: WebhookRunLimits, deps: WebhookRunDeps): Promise<void> {
  const due = await findNextDue(deps.database, SOON_SECONDS);
  const busy = await findBusySeconds(deps.database);
  const times = [due, loopMs === 0 ? null : busy].filter((seconds) => seconds !== null);
  if (times.length > 0) {
    await ring(Math.max(1, Math.ceil(Math.min(...times))), deps);
  }
}

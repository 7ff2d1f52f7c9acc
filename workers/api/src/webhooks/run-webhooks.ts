/**
 * A run: clicks become deliveries, and what is due is sent. Started by a message of the queue `hopline-webhooks`, which the alarm has
 * asked for, and by the clock every minute, in case a message was lost. While clicks come, one run looks every second for ten, and
 * hands over to the next. Others may run beside it: what it does not get to in a second has another one started.
 */
import { kindOfError, runWork, type WorkHandler } from "@hopline/db/work/run-work";
import { toRunTransaction } from "../database.ts";
import { endBusyTime, handOver, markBusy, takeAlarm } from "./alarm-store.ts";
import { closeMinutes, cutClicks } from "./cut-clicks.ts";
import { deliver, type DeliverDeps } from "./deliver.ts";
import { enqueueDueEndpoints, findNextDue } from "./delivery-store.ts";
import { createPlaces } from "./places.ts";
import { ring, type RingDeps, sendNow } from "./wake-up.ts";

export type WebhookRunDeps = Omit<DeliverDeps, "places" | "mayStart"> &
  RingDeps & {
    readonly newLeaseId: () => string;
    readonly wait: (ms: number) => Promise<unknown>;
  };

export type WebhookRunLimits = {
  /** How long it looks for more clicks, and for more to send; 0: once, and no run beside it is asked for. */
  readonly loopMs: number;
  /** Messages that it sends. */
  readonly maxMessages: number;
  /** For how long no click sets the alarm, once one was found: a run that dies is missed by then. */
  readonly busySeconds: number;
};

/** Cloudflare's Workers Paid: 10,000 requests of an invocation. */
export const PAID_LIMITS: WebhookRunLimits = { loopMs: 10_000, maxMessages: 5_000, busySeconds: 12 };
/**
 * Workers Free: 50 requests of an invocation, 10 ms of CPU, and 10,000 operations of all queues in a day. Clicks of a busy time are
 * looked for by the clock.
 */
export const FREE_LIMITS: WebhookRunLimits = { loopMs: 0, maxMessages: 20, busySeconds: 59 };

const ROUND_MS = 1_000;
/** Of a Worker's six connections that wait for an answer at the same time; one is for the work table. */
const PLACES = 5;
/** Endpoints of a run that have a place or wait for one. */
const ENDPOINTS_AT_ONCE = 20;
/** A turn starts nothing after 15 s, an answer may take 10, and three statements follow. */
const TIME_LIMIT_MS = 45_000;
/** What is due later is found by the clock. */
const SOON_SECONDS = 60;

/** Rejects when the database can't be reached. */
export async function runWebhooks(limits: WebhookRunLimits, deps: WebhookRunDeps): Promise<void> {
  const { database, nowMs, wait } = deps;
  await takeAlarm(database);
  const delivering = createDelivering(limits, deps);
  const endsAtMs = nowMs() + limits.loopMs;
  let isLooping = false;
  let hasNext = false;
  try {
    for (;;) {
      const startedAtMs = nowMs();
      const { matched, isMore, isFull } = await cutClicks(database);
      await closeMinutes(database);
      const isFlowing = matched > 0 || isMore;
      if (isFlowing && !isLooping) {
        isLooping = await markBusy(database, limits.busySeconds);
      }
      const isWaiting = await delivering.start(Math.max(ROUND_MS, endsAtMs - nowMs()));
      if (limits.loopMs === 0 || !isLooping) {
        break;
      }
      if (!isFlowing && !isWaiting) {
        await endBusyTime(database);
        isLooping = false;
        // Looks once more: whoever committed a click until then has set no alarm.
        continue;
      }
      if (nowMs() + ROUND_MS > endsAtMs) {
        await handOver(database);
        await sendNow(deps);
        hasNext = true;
        break;
      }
      await wait(isFull ? 0 : Math.max(0, ROUND_MS - (nowMs() - startedAtMs)));
    }
  } finally {
    await delivering.end();
  }
  const due = hasNext ? null : await findNextDue(database, SOON_SECONDS);
  if (due !== null) {
    // So that retries keep their times.
    await ring(Math.max(1, Math.ceil(due)), deps);
  }
}

/** Rounds overlap: an endpoint that hangs holds no later round back. */
function createDelivering({ maxMessages, loopMs }: WebhookRunLimits, deps: WebhookRunDeps) {
  const { database, nowMs, newLeaseId, log } = deps;
  const places = createPlaces(PLACES);
  const running = new Set<Promise<void>>();
  let messages = 0;
  let endpoints = 0;
  /** Endpoints that wait for a place. */
  let outside = 0;
  let isCrowded = false;
  let endpointsAtOnce = ENDPOINTS_AT_ONCE;
  const deliverDeps: DeliverDeps = {
    ...deps,
    places,
    fetch: (url, init) => {
      messages += 1;
      return deps.fetch(url, init);
    },
    mayStart: () => messages < maxMessages,
  };
  const createHandler = (): WorkHandler => {
    let ofThisRound = 0;
    return {
      async run(item) {
        ofThisRound += 1;
        endpoints += 1;
        outside += 1;
        const deliverItem = async () => {
          outside -= 1;
          return { again: await deliver(item, deliverDeps) };
        };
        const done = await places
          .enter(String(item.payload["workspace"]), deliverItem, ROUND_MS)
          .finally(() => {
            ofThisRound -= 1;
            endpoints -= 1;
          });
        if (done !== null) {
          return done.again;
        }
        outside -= 1;
        if (loopMs > 0) {
          // For a run beside this one, which takes no more than it has places for from now on.
          isCrowded = true;
          endpointsAtOnce = PLACES - 1;
        }
        return { againInSeconds: 0 };
      },
      timeLimitMs: TIME_LIMIT_MS,
      get atOnce() {
        return ofThisRound + Math.max(0, endpointsAtOnce - endpoints);
      },
      maxDelaySeconds: SOON_SECONDS,
    };
  };
  return {
    /** Resolves when it has started, to whether an endpoint waits that nobody works on yet. */
    async start(forMs: number): Promise<boolean> {
      if (messages >= maxMessages) {
        return false;
      }
      const { waiting, late } = await enqueueDueEndpoints(database, ROUND_MS);
      if (loopMs > 0 && (isCrowded || late > endpointsAtOnce - endpoints)) {
        await sendNow(deps);
      }
      isCrowded = false;
      const run = runWork(forMs, {
        handlers: { webhook: createHandler() },
        runTransaction: toRunTransaction(database),
        newLeaseId,
        nowMs,
        onFailure: ({ kind, attempts }, error) =>
          log({ event: "work.failed", kind, attempts, reason: kindOfError(error) }),
      }).then(
        () => undefined,
        (error: unknown) => log({ event: "job.failed", job: "webhooks", reason: kindOfError(error) }),
      );
      running.add(run);
      void run.then(() => running.delete(run));
      return waiting + outside > 0;
    },
    async end(): Promise<void> {
      await Promise.all(running);
    },
  };
}

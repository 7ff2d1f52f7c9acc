/**
 * A run: clicks become deliveries, and what is due is sent. README.md says what starts one. While clicks come, it looks every second
 * for ten, and hands over to the next; at once when it may send nothing more, or an endpoint waits a second for a connection.
 */
import { kindOfError, runWork, type WorkHandler } from "@hopline/db/work/run-work";
import type { WorkItem } from "@hopline/db/work/work-item";
import { toRunTransaction } from "../database.ts";
import { endBusyTime, handOver, hasNewEndpoint, markBusy, takeAlarm } from "./alarm-store.ts";
import { requestsLeft } from "../invocation-budget.ts";
import { createClickTexts } from "./click-texts.ts";
import { closeMinutes, cutClicks } from "./cut-clicks.ts";
import { deliver, type DeliverDeps } from "./deliver.ts";
import { enqueueDueEndpoints, findClicks, findNextDue } from "./delivery-store.ts";
import { createConnectionPool } from "./connection-pool.ts";
import { requestRun, type WakeUpDeps, requestRunNow } from "./wake-up.ts";

export type WebhookRunDeps = Omit<DeliverDeps, "connections" | "group" | "readClicks" | "mayStart"> &
  WakeUpDeps & {
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

/** Of a budget: five endpoints at work send one more each and settle it, and the run ends. */
const ENDS_WITH_REQUESTS = 20;
const ROUND_MS = 1_000;
/** Of a Worker's six connections that wait for an answer at the same time; one is for the work table. */
const CONNECTIONS = 5;
/** Endpoints of a run that have a connection or wait for one: more than a workspace may have, so that none fills the line. */
const ENDPOINTS_AT_ONCE = 60;
/** A turn starts nothing after 15 s, an answer may take 10, and three statements follow. */
const TIME_LIMIT_MS = 45_000;
/** What is due later is found by the clock. */
const SOON_SECONDS = 60;

export type WebhookRun = {
  /** What it has begun, 25 s where receivers do not answer. The next run need not wait for it. Rejects as the database does. */
  readonly rest: Promise<void>;
};

/** Resolves when it looks for nothing more. Rejects when the database can't be reached. */
export async function runWebhooks(limits: WebhookRunLimits, deps: WebhookRunDeps): Promise<WebhookRun> {
  const { database, nowMs, wait } = deps;
  await takeAlarm(database);
  const endsAtMs = nowMs() + limits.loopMs;
  let isLooping = false;
  let hasNext = false;
  const delivering = createDelivering(limits, {
    ...deps,
    // A run that looks every second hands over, in a second at most.
    onFull: async () => (isLooping ? undefined : requestRunNow(deps)),
  });
  try {
    for (;;) {
      const startedAtMs = nowMs();
      const { matched, isMore, isFull } = await cutClicks(database);
      await closeMinutes(database);
      const isFlowing = matched > 0 || isMore || (limits.loopMs > 0 && (await hasNewEndpoint(database)));
      if (isFlowing && !isLooping) {
        isLooping = await markBusy(database, limits.busySeconds);
      }
      const isWaiting = await delivering.start(Math.max(ROUND_MS, endsAtMs - nowMs()));
      if (limits.loopMs === 0 || !isLooping) {
        break;
      }
      if (!isFlowing && !isWaiting && !delivering.isFull()) {
        await endBusyTime(database);
        isLooping = false;
        // Looks once more: a click that was committed until then has set no alarm.
        continue;
      }
      if (delivering.isFull() || nowMs() + ROUND_MS > endsAtMs) {
        delivering.claimNoMore();
        await handOver(database);
        await requestRunNow(deps);
        hasNext = true;
        break;
      }
      await wait(isFull ? 0 : Math.max(0, ROUND_MS - (nowMs() - startedAtMs)));
    }
  } catch (error) {
    await delivering.end();
    throw error;
  }
  return { rest: delivering.end().then(() => askForRetries(hasNext, deps)) };
}

/** So that they keep their times. What is due now is the next run's, if there is one. */
async function askForRetries(hasNext: boolean, deps: WebhookRunDeps): Promise<void> {
  const due = await findNextDue(deps.database, SOON_SECONDS);
  if (due !== null && !(hasNext && due === 0)) {
    await requestRun(Math.max(1, Math.ceil(due)), deps);
  }
}

type DeliveringDeps = WebhookRunDeps & {
  /** It can't do all that is due; called once. */
  readonly onFull: () => Promise<void>;
};

/** Rounds overlap: an endpoint that hangs holds no later round back. */
function createDelivering({ maxMessages, loopMs }: WebhookRunLimits, deps: DeliveringDeps) {
  const { database, nowMs, newLeaseId, log } = deps;
  const connections = createConnectionPool(CONNECTIONS);
  const running = new Set<Promise<void>>();
  let messages = 0;
  /** Endpoints that have a connection or wait for one. */
  let endpoints = 0;
  /** Those that wait. */
  let outside = 0;
  let hasRoom = true;
  let isClaiming = true;
  const isSpent = (): boolean => messages >= maxMessages || requestsLeft() < ENDS_WITH_REQUESTS;
  const leaveToOthers = async (): Promise<void> => {
    if (hasRoom && loopMs > 0) {
      hasRoom = false;
      isClaiming = false;
      await deps.onFull();
    }
  };
  const deliverDeps = {
    ...deps,
    connections,
    readClicks: createClickTexts((workspaceId, wanted) => findClicks(database, workspaceId, wanted)),
    fetch: (url: string, init: RequestInit) => {
      messages += 1;
      return deps.fetch(url, init);
    },
    mayStart: () => !isSpent(),
  };
  const createHandler = (): WorkHandler => {
    let ofThisRound = 0;
    return {
      async run(item) {
        ofThisRound += 1;
        endpoints += 1;
        outside += 1;
        const group = groupOf(item);
        const deliverItem = async () => {
          outside -= 1;
          return { again: await deliver(item, { ...deliverDeps, group }) };
        };
        const done = await connections.enter(group, deliverItem, ROUND_MS).finally(() => {
          ofThisRound -= 1;
          endpoints -= 1;
        });
        if (done !== null) {
          return done.again;
        }
        outside -= 1;
        await leaveToOthers();
        return { againInSeconds: 0 };
      },
      timeLimitMs: TIME_LIMIT_MS,
      get atOnce() {
        const isOver = !isClaiming || isSpent();
        return ofThisRound + (isOver ? 0 : Math.max(0, ENDPOINTS_AT_ONCE - endpoints));
      },
      maxDelaySeconds: SOON_SECONDS,
    };
  };
  return {
    /** Resolves when it has started, to whether an endpoint waits for a connection. */
    async start(forMs: number): Promise<boolean> {
      if (isSpent()) {
        return false;
      }
      const { waiting, late } = await enqueueDueEndpoints(database, ROUND_MS);
      const room = ENDPOINTS_AT_ONCE - endpoints;
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
      if (late > room) {
        await leaveToOthers();
      }
      return waiting + outside > 0;
    },
    /** There is more than it may send, or has connections for. */
    isFull: (): boolean => !hasRoom || isSpent(),
    claimNoMore(): void {
      isClaiming = false;
    },
    async end(): Promise<void> {
      await Promise.all(running);
    },
  };
}

/** Endpoints that share connections: a workspace's, and those that have just failed, which are likely to hang again. */
function groupOf({ payload }: WorkItem): string {
  return Number(payload["failures"] ?? 0) > 0 ? "failing" : String(payload["workspace"]);
}

/**
 * A run: clicks become deliveries, and what is due is sent. README.md says what starts one. While clicks come, it looks every second
 * for ten, and hands over to the next; at once when it may send nothing more, or an endpoint waits a second for a connection.
 */
import { endBusyTime, handOver, hasNewEndpoint, markBusy, takeAlarm } from "./alarm-store.ts";
import { closeMinutes } from "./close-minutes.ts";
import { cutClicks } from "./cut-clicks.ts";
import {
  createDelivering,
  type DeliveringDeps,
  type DeliveringLimits,
  ROUND_MS,
  SOON_SECONDS,
} from "./delivering.ts";
import { findNextDue } from "./delivery-store.ts";
import { requestRun, type WakeUpDeps, requestRunNow } from "./wake-up.ts";

export type WebhookRunDeps = Omit<DeliveringDeps, "limits" | "onFull"> &
  WakeUpDeps & { readonly wait: (ms: number) => Promise<unknown> };

export type WebhookRunLimits = DeliveringLimits & {
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

export type WebhookRun = {
  /**
   * What it has begun: 25 seconds where receivers do not answer. The next run need not wait for it. Rejects when the database can't
   * be reached.
   */
  readonly rest: Promise<void>;
};

/** Resolves when it looks for nothing more. Rejects when the database can't be reached. */
export async function runWebhooks(limits: WebhookRunLimits, deps: WebhookRunDeps): Promise<WebhookRun> {
  const { database, nowMs, wait } = deps;
  await takeAlarm(database);
  const endsAtMs = nowMs() + limits.loopMs;
  let isLooping = false;
  let hasNext = false;
  const delivering = createDelivering({
    ...deps,
    limits,
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
        // Looks once more: a writer that committed a click until then has set no alarm.
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

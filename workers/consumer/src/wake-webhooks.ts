/**
 * After clicks are written: has the API send them to webhooks, if there is one that wants clicks of their workspaces. Where nobody
 * wants any, that costs a statement in ten seconds; otherwise one for each batch, behind it.
 */
import { type AlarmForClicks, NOBODY_FOR_SECONDS } from "@hopline/db/webhooks/alarm";
import type { Log } from "./log.ts";

export type WakeWebhooksDeps = {
  /** Rejects as the database does. */
  readonly setAlarm: (linkIds: readonly string[]) => Promise<AlarmForClicks>;
  /** Rejects when the queue takes no message. */
  readonly sendWakeUp: () => Promise<void>;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  readonly log: Log;
};

/** Never rejects. */
export type WakeWebhooks = (linkIds: readonly string[]) => Promise<void>;

export function createWakeWebhooks({ setAlarm, sendWakeUp, nowMs, log }: WakeWebhooksDeps): WakeWebhooks {
  let nobodyUntilMs = 0;
  return async (linkIds) => {
    if (nowMs() < nobodyUntilMs) {
      return;
    }
    try {
      const { isListening, isRung } = await setAlarm(linkIds);
      nobodyUntilMs = isListening ? 0 : nowMs() + NOBODY_FOR_SECONDS * 1_000;
      if (isRung) {
        await sendWakeUp();
      }
    } catch (error) {
      log({
        event: "webhooks.wake_up_failed",
        reason: error instanceof Error ? error.name : typeof error,
      });
    }
  };
}

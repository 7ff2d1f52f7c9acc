/**
 * After clicks are written: has the API send them, if a webhook wants clicks of their workspaces. Without webhooks that costs a
 * statement in ten seconds; otherwise one for each batch, behind it.
 */
import { type AlarmForClicks, NO_LISTENER_FOR_SECONDS } from "@hopline/db/webhooks/alarm";
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
  let noListenerUntilMs = 0;
  return async (linkIds) => {
    if (nowMs() < noListenerUntilMs) {
      return;
    }
    try {
      const { isListening, isAlarmSet } = await setAlarm(linkIds);
      noListenerUntilMs = isListening ? 0 : nowMs() + NO_LISTENER_FOR_SECONDS * 1_000;
      if (isAlarmSet) {
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

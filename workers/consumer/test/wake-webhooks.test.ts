/** What webhooks cost the consumer. */
import type { AlarmForClicks } from "@hopline/db/webhooks/alarm";
import { expect, it } from "vitest";
import type { LogEvent } from "../src/log.ts";
import { createWakeWebhooks } from "../src/wake-webhooks.ts";

function aStage(answer: () => Promise<AlarmForClicks>) {
  const seen = { asked: 0, sent: 0, log: [] as LogEvent[], nowMs: 0 };
  const wake = createWakeWebhooks({
    setAlarm: () => {
      seen.asked += 1;
      return answer();
    },
    sendWakeUp: async () => void (seen.sent += 1),
    nowMs: () => seen.nowMs,
    log: (event) => seen.log.push(event),
  });
  return { seen, wake };
}

it("where nobody listens, a statement in ten seconds", async () => {
  const { seen, wake } = aStage(async () => ({ isListening: false, isAlarmSet: false }));
  for (seen.nowMs = 1; seen.nowMs <= 20_000; seen.nowMs += 500) {
    await wake(["link"]);
  }
  expect([seen.asked, seen.sent]).toEqual([2, 0]);
});

it("where somebody does, one for each batch, and a message only for who sets the alarm", async () => {
  const answers = [true, false, false, true];
  const { seen, wake } = aStage(async () => ({ isListening: true, isAlarmSet: answers.shift() ?? false }));
  for (let batch = 0; batch < 4; batch += 1) {
    await wake(["link"]);
  }
  expect([seen.asked, seen.sent]).toEqual([4, 2]);
});

it("a database that fails is logged, and fails no batch", async () => {
  const { seen, wake } = aStage(() => Promise.reject(new TypeError("no")));
  await wake(["link"]);
  expect(seen.log).toEqual([{ event: "webhooks.wake_up_failed", reason: "TypeError" }]);
});

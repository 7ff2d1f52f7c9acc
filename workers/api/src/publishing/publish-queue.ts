/**
 * The queue that wakes publishers up: after an import or another mass change it gets a message for each hundred changes,
 * and Cloudflare runs the queue's consumer (this Worker) several times side by side. What is to be published is in the
 * database, so a message that is lost or comes twice changes nothing.
 */
import type { WakeUps } from "./edge-ports.ts";

const MESSAGES_PER_CALL = 100;

export function createPublishQueue(queue: Queue): WakeUps {
  return {
    async send(count) {
      for (let sent = 0; sent < count; sent += MESSAGES_PER_CALL) {
        const messages = Array.from({ length: Math.min(MESSAGES_PER_CALL, count - sent) }, () => ({
          body: "publish",
        }));
        await queue.sendBatch(messages);
      }
    },
  };
}

/** The queue whose messages start runs of deliveries. What is to be sent is in the database: a lost message costs a minute. */

const QUEUE = "hopline-webhooks";

/** An environment's suffix may follow. */
export function isWebhookQueue(queue: string): boolean {
  return queue.startsWith(QUEUE);
}

export function createWebhookQueue(queue: Queue): (delaySeconds: number) => Promise<void> {
  return async (delaySeconds) => {
    await queue.send("wake up", { delaySeconds });
  };
}

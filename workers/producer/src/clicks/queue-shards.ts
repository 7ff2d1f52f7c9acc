/**
 * The click queues: however many `CLICKS_n` bindings the Worker has. A shard is picked at random for each segment,
 * never by link: one viral link must not saturate one queue (5,000 messages/s each).
 */
import type { ClickShard } from "../ports.ts";

const SHARD_BINDING = /^CLICKS_(0|[1-9]\d*)$/;

export function findClickShards(env: object): readonly ClickShard[] {
  const shards: ClickShard[] = [];
  for (const [name, binding] of Object.entries(env)) {
    const number = SHARD_BINDING.exec(name)?.[1];
    if (number !== undefined && isQueue(binding)) {
      shards.push({
        number: Number(number),
        // Text, so that what is on the wire is what the golden file shows, and readable in a queue's preview.
        send: (segmentText) => binding.send(segmentText, { contentType: "text" }),
      });
    }
  }
  return shards.toSorted((left, right) => left.number - right.number);
}

function isQueue(binding: unknown): binding is Queue<string> {
  return typeof binding === "object" && binding !== null && "send" in binding;
}

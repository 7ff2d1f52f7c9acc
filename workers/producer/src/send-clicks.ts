/**
 * Sends clicks to the queues, one segment a click. A shard that refuses is passed over for the next; when all of them
 * refuse, the loss is said in the log.
 */
import type { Click } from "@hopline/core/click";
import { encodeSegment } from "@hopline/core/segment";
import type { ClickShard } from "./adapters/queue-shards.ts";
import type { ClickCounter } from "./isolate.ts";
import { type Log, nameOfError } from "./log.ts";
import type { ClickSink } from "./ports.ts";

export type ClickSinkDeps = {
  readonly shards: readonly ClickShard[];
  readonly counter: ClickCounter;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
};

export function createClickSink({ shards, counter, random, log }: ClickSinkDeps): ClickSink {
  return {
    async record(click: Click): Promise<void> {
      const { isolateId, sequence } = counter.next();
      const segmentText = encodeSegment({ isolateId, firstSequence: sequence, clicks: [click] });
      const start = Math.floor(random() * shards.length);
      for (const shard of [...shards.slice(start), ...shards.slice(0, start)]) {
        try {
          await shard.send(segmentText);
          return;
        } catch (error) {
          log({ event: "click.send_failed", shard: shard.number, reason: nameOfError(error) });
        }
      }
      log({ event: "click.dropped", clicks: 1 });
    },
  };
}

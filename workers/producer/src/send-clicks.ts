/**
 * Takes clicks and gets them out of the isolate: buffer, then a queue shard, then the spill, then the log. What passes
 * the queue is clear text and is dropped by the consumer; what goes anywhere else is sealed.
 *
 * Nothing here rejects or throws into the redirect.
 */
import type { Click } from "@hopline/core/click/click";
import { encodeSegment, type Segment } from "@hopline/core/click/segment";
import type { ClickShard } from "./adapters/queue-shards.ts";
import { attempt } from "./attempt.ts";
import type { ClickBuffer } from "./click-buffer.ts";
import { withLastResorts } from "./lazy-parts.ts";
import { type Log, toNumbers } from "./log.ts";
import { type DeliveryPlan, planDelivery, SEND_TIMEOUT_MS } from "./plan-delivery.ts";
import type { ClickSink, Defer, SegmentSpill } from "./ports.ts";

export type ClickSinkDeps = {
  /** The isolate's: clicks of other requests may wait in it. */
  readonly buffer: ClickBuffer;
  readonly shards: readonly ClickShard[];
  readonly spill: SegmentSpill;
  /** Makes a text unreadable for all but the holder of the key. Rejects when there is no usable key. */
  readonly seal: (text: string) => Promise<string>;
  /** 0 sends each click at once. */
  readonly lingerMs: number;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  /** Resolves after so many milliseconds, unless the request has been ended. */
  readonly wait: (ms: number) => Promise<unknown>;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
};

export function createClickSink(deps: ClickSinkDeps): ClickSink {
  const { buffer, lingerMs, nowMs } = deps;
  return {
    record(click: Click, defer: Defer): void {
      const { send, linger } = buffer.add(click, nowMs(), lingerMs);
      for (const segment of send) {
        defer(deliver(segment, deps));
      }
      if (linger !== null) {
        defer(flushAfterLinger(linger, deps));
      }
    },
  };
}

async function flushAfterLinger(batch: number, deps: ClickSinkDeps): Promise<void> {
  await deps.wait(deps.lingerMs);
  const segment = deps.buffer.takeBatch(batch, deps.nowMs());
  if (segment !== null) {
    await deliver(segment, deps);
  }
}

async function deliver(segment: Segment, deps: ClickSinkDeps): Promise<void> {
  const { shards, buffer, random, log } = deps;
  const inFlightCount = buffer.countInFlight();
  const { sends, spills } = planDelivery({ shardCount: shards.length, inFlightCount, random });
  const text = encodeSegment(segment);
  const isTaken =
    (await sendToShards(text, sends, deps)) ||
    (await withLastResorts(({ keepSealed }) => keepSealed(segment, text, { spills, deps })));
  if (!isTaken) {
    log({ event: "segment.lost", ...toNumbers(segment), reason: "seal_key_unusable" });
  }
  buffer.settle(segment);
}

/** Whether a shard has it. One that is too slow may have it as well: then it arrives twice, and counts once. */
async function sendToShards(
  text: string,
  plan: DeliveryPlan["sends"],
  deps: ClickSinkDeps,
): Promise<boolean> {
  for (const { shardIndex, afterMs } of plan) {
    const shard = deps.shards[shardIndex];
    if (shard === undefined) {
      continue;
    }
    // Also where there is nothing to wait for: a response that is about to be made goes before the first send.
    await (afterMs > 0 ? deps.wait(afterMs) : null);
    const failure = await attempt(async () => shard.send(text), SEND_TIMEOUT_MS, deps.wait);
    if (failure === null) {
      return true;
    }
    deps.log({ event: "segment.send_failed", shard: shard.number, reason: failure });
  }
  return false;
}

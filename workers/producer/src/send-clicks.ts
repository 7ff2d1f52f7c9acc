/**
 * Takes clicks and gets them out of the isolate: buffer, then a queue shard, then the spill, then the log. What passes
 * the queue is clear text and is dropped by the consumer; what goes anywhere else is sealed.
 *
 * Nothing here rejects or throws into the redirect.
 */
import type { Click } from "@hopline/core/click";
import { encodeSegment, type Segment } from "@hopline/core/segment";
import { spillKeyOf } from "@hopline/core/spill-key";
import type { ClickShard } from "./adapters/queue-shards.ts";
import type { ClickBuffer } from "./click-buffer.ts";
import { type Log, nameOfError, type SegmentNumbers } from "./log.ts";
import { type DeliveryPlan, planDelivery, SEND_TIMEOUT_MS, SPILL_TIMEOUT_MS } from "./plan-delivery.ts";
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
    (await sendToShards(text, sends, deps)) || (await keepSealed(segment, text, { spills, deps }));
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
    await pause(afterMs, deps);
    const failure = await attempt(async () => shard.send(text), SEND_TIMEOUT_MS, deps);
    if (failure === null) {
      return true;
    }
    deps.log({ event: "segment.send_failed", shard: shard.number, reason: failure });
  }
  return false;
}

type Keeping = { readonly spills: DeliveryPlan["spills"]; readonly deps: ClickSinkDeps };

/** Whether the spill or the log has it, sealed. Without a usable key neither gets it: better lost than readable. */
async function keepSealed(segment: Segment, text: string, { spills, deps }: Keeping): Promise<boolean> {
  const { seal, spill, log } = deps;
  const sealed = await seal(text).catch(() => null);
  if (sealed === null) {
    return false;
  }
  const key = spillKeyOf(segment.isolateId, segment.firstSequence);
  for (const { afterMs } of spills) {
    await pause(afterMs, deps);
    const failure = await attempt(async () => spill.put(key, sealed), SPILL_TIMEOUT_MS, deps);
    if (failure === null) {
      log({ event: "segment.spilled", ...toNumbers(segment) });
      return true;
    }
    log({ event: "segment.spill_failed", reason: failure });
  }
  log({ event: "segment.logged", ...toNumbers(segment), sealed });
  return true;
}

/** `null` when the work was done in time, or else the kind of failure. */
async function attempt(
  work: () => Promise<unknown>,
  timeoutMs: number,
  { wait }: ClickSinkDeps,
): Promise<string | null> {
  try {
    const done = work().then(() => null);
    const timeOut = wait(timeoutMs).then(() => "TimeoutError");
    return await Promise.race([done, timeOut]);
  } catch (error) {
    return nameOfError(error);
  }
}

async function pause(afterMs: number, { wait }: ClickSinkDeps): Promise<void> {
  if (afterMs > 0) {
    await wait(afterMs);
  }
}

function toNumbers({ isolateId, firstSequence, clicks }: Segment): SegmentNumbers {
  return { isolateId, firstSequence, clicks: clicks.length };
}

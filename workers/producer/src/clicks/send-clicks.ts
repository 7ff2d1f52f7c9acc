/**
 * Sends clicks out of the isolate: buffer, then a queue shard, then the spill, then the log. What passes the queue is clear
 * text and is dropped by the consumer; what goes anywhere else is sealed.
 *
 * Nothing here rejects or throws into the redirect.
 */
import type { Click } from "@hopline/core/click/click";
import { type EncodedSegment, encodeClick, joinSegment } from "@hopline/core/click/segment";
import { spillKeyOf } from "@hopline/core/click/spill-key";
import { nameOfError, withTimeout } from "@hopline/edge-cache/with-timeout";
import type { Log, SegmentNumbers } from "../log.ts";
import type { ClickRecorder, ClickShard, Defer, SegmentSpill } from "../ports.ts";
import type { ClickBuffer } from "./click-buffer.ts";
import { type DeliveryPlan, planDelivery, SEND_TIMEOUT_MS, SPILL_TIMEOUT_MS } from "./plan-delivery.ts";
import { readClick } from "./read-click.ts";

export type SendDeps = {
  /** The isolate's: clicks of other requests may wait in it. */
  readonly buffer: ClickBuffer;
  readonly shards: readonly ClickShard[];
  readonly spill: SegmentSpill;
  /** Makes a text unreadable for all but the holder of the key. Rejects when there is no usable key. */
  readonly seal: (text: string) => Promise<string>;
  /** 0 sends each click at once. */
  readonly lingerMs: number;
  readonly nowMs: () => number;
  /** Resolves after so many milliseconds, unless the request has been ended. */
  readonly wait: (ms: number) => Promise<unknown>;
  readonly random: () => number;
  readonly log: Log;
};

export function createClickRecorder(deps: SendDeps): ClickRecorder {
  return {
    record(request, facts) {
      try {
        recordClick(readClick(request, facts), request.visit.defer, deps);
      } catch (error) {
        deps.log({ event: "click.crashed", reason: nameOfError(error) });
      }
    },
    sendOverdue(defer) {
      deps.buffer
        .takeOverdue(deps.nowMs(), deps.lingerMs)
        .forEach((segment) => defer(deliver(segment, deps)));
    },
  };
}

/** Returns at once. What remains to be done, if anything, goes to `defer`; that work never rejects. */
export function recordClick(click: Click, defer: Defer, deps: SendDeps): void {
  const { send, linger } = deps.buffer.add(encodeClick(click), deps.nowMs(), deps.lingerMs);
  for (const segment of send) {
    defer(deliver(segment, deps));
  }
  if (linger !== null) {
    defer(flushAfterLinger(linger, deps));
  }
}

async function flushAfterLinger(batch: number, deps: SendDeps): Promise<void> {
  await deps.wait(deps.lingerMs);
  const segment = deps.buffer.takeBatch(batch, deps.nowMs());
  if (segment !== null) {
    await deliver(segment, deps);
  }
}

async function deliver(segment: EncodedSegment, deps: SendDeps): Promise<void> {
  const { shards, buffer, random, log } = deps;
  // The visitor who filled the segment has the answer first: a timer rings after it, a promise might not.
  await deps.wait(0);
  const { sends, spills } = planDelivery(shards.length, buffer.countInFlight(), random);
  const text = joinSegment(segment);
  const isKept = (await sendToShards(text, sends, deps)) || (await keepSealed(segment, text, spills, deps));
  if (!isKept) {
    log({ event: "segment.lost", ...toNumbers(segment), reason: "seal_key_unusable" });
  }
  buffer.settle(segment);
}

function toNumbers({ isolateId, firstSequence, clicks }: EncodedSegment): SegmentNumbers {
  return { isolateId, firstSequence, clicks: clicks.length };
}

/** Whether a shard has it. One that is too slow may have it as well: then it arrives twice, and counts once. */
async function sendToShards(text: string, plan: DeliveryPlan["sends"], deps: SendDeps): Promise<boolean> {
  for (const { shardIndex, afterMs } of plan) {
    const shard = deps.shards[shardIndex];
    if (shard === undefined) {
      continue;
    }
    if (afterMs > 0) {
      await deps.wait(afterMs);
    }
    const failure = await attempt(async () => shard.send(text), SEND_TIMEOUT_MS, deps);
    if (failure === null) {
      return true;
    }
    deps.log({ event: "segment.send_failed", shard: shard.number, reason: failure });
  }
  return false;
}

/** Whether the spill or the log has it. Without a usable key neither gets it: better lost than readable. Never rejects. */
async function keepSealed(
  segment: EncodedSegment,
  text: string,
  spills: DeliveryPlan["spills"],
  deps: SendDeps,
): Promise<boolean> {
  const { seal, spill, wait, log } = deps;
  const sealed = await seal(text).catch(() => null);
  if (sealed === null) {
    return false;
  }
  const key = spillKeyOf(segment.isolateId, segment.firstSequence);
  for (const { afterMs } of spills) {
    if (afterMs > 0) {
      await wait(afterMs);
    }
    const failure = await attempt(async () => spill.put(key, sealed), SPILL_TIMEOUT_MS, deps);
    if (failure === null) {
      log({ event: "segment.spilled", ...toNumbers(segment) });
      await attempt(() => spill.announce(), SPILL_TIMEOUT_MS, deps);
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
  { wait }: SendDeps,
): Promise<string | null> {
  const timed = await withTimeout(work, timeoutMs, wait);
  return timed.kind === "done" ? null : timed.reason;
}

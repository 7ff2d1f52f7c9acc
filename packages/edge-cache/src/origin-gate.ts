/**
 * Stands before the database: who may ask it, how many at once, and how often for nothing.
 *
 * Three gates, in this order: the visitor's own limit (a scanner from one address is stopped without harm to others);
 * the isolate's budget for queries that find nothing (a scan from many addresses; a query that finds a link gives its
 * token back, so a cold start with many links passes); the places for concurrent queries. Of a key that the isolate
 * holds only the last is asked: a link in use is never refused for what others do.
 */
import { ADMISSION_TIMEOUT_MS, ORIGIN_QUEUE_WAIT_MS, type ReadThroughCore } from "./read-through-core.ts";
import type { RefusalReason } from "./read-through-events.ts";
import type { Visit } from "./read-through-ports.ts";
import { withTimeout } from "./with-timeout.ts";
import type { Slot } from "./slots.ts";

/** A waiting look-up looks for a free place this often. */
const POLL_EVERY_MS = 25;

export type Pass =
  | { readonly kind: "passed"; readonly slot: Slot; readonly isCharged: boolean }
  | { readonly kind: "refused"; readonly reason: RefusalReason };

export async function passGate<Key extends string, V>(
  core: ReadThroughCore<Key, V>,
  visit: Visit,
  isHeld: boolean,
): Promise<Pass> {
  if (!isHeld && !(await isAdmitted(core, visit))) {
    return { kind: "refused", reason: "visitor" };
  }
  if (!isHeld && !core.absentQueries.take(core.nowMs())) {
    return { kind: "refused", reason: "exhausted" };
  }
  const slot = core.originSlots.take(core.nowMs()) ?? (await queueForSlot(core));
  if (slot === null) {
    if (!isHeld) {
      core.absentQueries.giveBack();
    }
    return { kind: "refused", reason: "busy" };
  }
  return { kind: "passed", slot, isCharged: !isHeld };
}

/** Open when the limit cannot be asked: it protects the database, which has other guards as well. */
async function isAdmitted<Key extends string, V>(
  core: ReadThroughCore<Key, V>,
  visit: Visit,
): Promise<boolean> {
  const admission = await withTimeout(async () => visit.admit(), ADMISSION_TIMEOUT_MS, core.wait);
  return admission.kind !== "done" || admission.value;
}

/** Looks again and again, because a place handed over by another request would hang on that request's life. */
async function queueForSlot<Key extends string, V>(core: ReadThroughCore<Key, V>): Promise<Slot | null> {
  const { originQueue, originSlots, nowMs, wait } = core;
  const waiting = originQueue.take(nowMs());
  if (waiting === null) {
    return null;
  }
  let slot: Slot | null = null;
  for (let waitedMs = 0; slot === null && waitedMs < ORIGIN_QUEUE_WAIT_MS; waitedMs += POLL_EVERY_MS) {
    await wait(POLL_EVERY_MS);
    slot = originSlots.take(nowMs());
  }
  originQueue.release(waiting);
  return slot;
}

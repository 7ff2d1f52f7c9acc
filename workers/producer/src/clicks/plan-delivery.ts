/**
 * Plans how a segment leaves the isolate: which shards to try and when, how often to try the spill. Pure. After the
 * last attempt of a plan there is the log line.
 *
 * The whole plan at its slowest takes 24 s, and with the linger it ends within the 30 s that a request lives after its
 * response (https://developers.cloudflare.com/workers/platform/limits, `waitUntil`).
 */

/** After these an attempt counts as failed, in milliseconds. It may have worked: then the segment arrives twice. */
export const SEND_TIMEOUT_MS = 3_000;
export const SPILL_TIMEOUT_MS = 4_000;

/** Before the second, third and fourth shard, at the most; half of it is chance. */
const SEND_BACKOFF_MS = [0, 200, 800, 2_000] as const;
const SPILL_BACKOFF_MS = [0, 1_000] as const;

/**
 * Segments in flight past which the isolate saves memory: one shard and one spill each, then only the log line. A full
 * segment takes about 110 KB as objects and text, the isolate has 128 MB for everything.
 */
export const IN_FLIGHT_UNDER_PRESSURE = 50;
export const IN_FLIGHT_OVERFLOW = 200;

export type DeliveryPlan = {
  /** Places in the list of shards, in the order to try, and how long to wait before each. */
  readonly sends: readonly { readonly shardIndex: number; readonly afterMs: number }[];
  readonly spills: readonly { readonly afterMs: number }[];
};

/**
 * The first shard is any, each with the same chance, and so is the next among those not yet tried; when all were
 * tried they come round again. A viral link is spread like everything else, since nothing of the clicks takes part.
 *
 * @param inFlightCount segments of this isolate that are not delivered yet, this one included.
 */
export function planDelivery(shardCount: number, inFlightCount: number, random: () => number): DeliveryPlan {
  if (inFlightCount > IN_FLIGHT_OVERFLOW) {
    return { sends: [], spills: [] };
  }
  const attempts = inFlightCount > IN_FLIGHT_UNDER_PRESSURE ? 1 : SEND_BACKOFF_MS.length;
  const order = pickShards(shardCount, attempts, random);
  const sends = SEND_BACKOFF_MS.slice(0, attempts).flatMap((backoffMs, attempt) => {
    const shardIndex = order[attempt % order.length];
    return shardIndex === undefined ? [] : [{ shardIndex, afterMs: withJitter(backoffMs, random) }];
  });
  const spills = SPILL_BACKOFF_MS.slice(0, attempts).map((backoffMs) => ({
    afterMs: withJitter(backoffMs, random),
  }));
  return { sends, spills };
}

function pickShards(shardCount: number, wanted: number, random: () => number): readonly number[] {
  const left = Array.from({ length: shardCount }, (_, index) => index);
  const picked: number[] = [];
  while (left.length > 0 && picked.length < wanted) {
    picked.push(...left.splice(Math.floor(random() * left.length), 1));
  }
  return picked;
}

/** Half of the time is certain, half is chance, so that isolates which failed together do not come back together. */
function withJitter(backoffMs: number, random: () => number): number {
  return backoffMs === 0 ? 0 : Math.round(backoffMs / 2 + (backoffMs / 2) * random());
}

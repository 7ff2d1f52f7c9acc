/**
 * Takes uses of links with a strict cap, one transaction a use. Bounded like look-ups: a few at once, and a visitor waits
 * 250 ms at most for a place. A link that is used up is not asked for again until its version changes, because raising its
 * cap makes a new one.
 *
 * A transaction that has begun is waited for as long as any statement, although the database gives it 50 ms: whoever gave
 * up on an answer that is still on its way would burn a use, and far from the database each of them.
 */
import type { LinkRecord } from "@hopline/core/link/link-record";
import { createSlots } from "@hopline/edge-cache/slots";
import { type Wait, withTimeout } from "@hopline/edge-cache/with-timeout";
import type { CapClaims } from "../ports.ts";

const PLACE_WAIT_MS = 250;

/** Transactions of this isolate at once. Those of one link wait for each other in the database anyway. */
const MAX_CLAIMS = 8;

/** While all places are taken, a visitor looks for a free one this often: one handed over would hang on its owner's life. */
const LOOK_AGAIN_MS = 25;

const MAX_USED_UP = 1_024;

/** Versions of links that are used up, by link. */
export type UsedUpLinks = Map<string, number>;

export type CapClaimDeps = {
  readonly claim: (linkId: string) => Promise<boolean>;
  /** Of a transaction. */
  readonly timeoutMs: number;
  /** The isolate's. */
  readonly usedUp: UsedUpLinks;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  readonly wait: Wait;
};

export function createCapClaims({ claim, timeoutMs, usedUp, nowMs, wait }: CapClaimDeps): CapClaims {
  const slots = createSlots(MAX_CLAIMS, timeoutMs);
  const isUsedUp = ({ linkId, version }: Pick<LinkRecord, "linkId" | "version">): boolean =>
    usedUp.get(linkId) === version;
  return {
    async claim(link) {
      const untilMs = nowMs() + PLACE_WAIT_MS;
      for (let now = nowMs(); now < untilMs; now = nowMs()) {
        if (isUsedUp(link)) {
          return false;
        }
        const slot = slots.take(now);
        if (slot === null) {
          await wait(LOOK_AGAIN_MS);
          continue;
        }
        const timed = await withTimeout(() => claim(link.linkId), timeoutMs, wait);
        slots.release(slot);
        if (timed.kind !== "done") {
          throw new ClaimError(timed.kind === "failed" ? timed.reason : "TimeoutError");
        }
        if (!timed.value) {
          note(usedUp, link);
        }
        return timed.value;
      }
      throw new ClaimError("BusyError");
    },
  };
}

/** Its name says what went wrong: it is what the log shows. */
class ClaimError extends Error {
  constructor(name: string) {
    super("a use of a link with a strict cap could not be taken");
    this.name = name;
  }
}

function note(usedUp: UsedUpLinks, { linkId, version }: Pick<LinkRecord, "linkId" | "version">): void {
  usedUp.delete(linkId);
  usedUp.set(linkId, version);
  for (const oldest of usedUp.keys()) {
    if (usedUp.size <= MAX_USED_UP) {
      break;
    }
    usedUp.delete(oldest);
  }
}

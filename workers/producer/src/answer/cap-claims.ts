/**
 * Takes uses of links with a strict cap, one transaction a use. Bounded like look-ups: a few at once, and no visitor waits
 * longer than 250 ms. A link that is used up is not asked for again until its version changes, because raising its cap
 * makes a new one.
 */
import type { LinkRecord } from "@hopline/core/link/link-record";
import { createSlots } from "@hopline/edge-cache/slots";
import { type Wait, withTimeout } from "@hopline/edge-cache/with-timeout";
import type { CapClaims } from "../ports.ts";

const CLAIM_TIMEOUT_MS = 250;

/** Transactions of this isolate at once. Those of one link wait for each other in the database anyway. */
const MAX_CLAIMS = 8;

/** While all places are taken, a visitor looks for a free one this often: one handed over would hang on its owner's life. */
const LOOK_AGAIN_MS = 25;

const MAX_USED_UP = 1_024;

/** Versions of links that are used up, by link. */
export type UsedUpLinks = Map<string, number>;

export type CapClaimDeps = {
  readonly claim: (linkId: string, timeoutMs: number) => Promise<boolean>;
  /** The isolate's. */
  readonly usedUp: UsedUpLinks;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  readonly wait: Wait;
};

export function createCapClaims({ claim, usedUp, nowMs, wait }: CapClaimDeps): CapClaims {
  const slots = createSlots(MAX_CLAIMS, CLAIM_TIMEOUT_MS);
  const isUsedUp = ({ linkId, version }: Pick<LinkRecord, "linkId" | "version">): boolean =>
    usedUp.get(linkId) === version;
  return {
    async claim(link) {
      const untilMs = nowMs() + CLAIM_TIMEOUT_MS;
      for (let now = nowMs(); now < untilMs; now = nowMs()) {
        if (isUsedUp(link)) {
          return false;
        }
        const slot = slots.take(now);
        if (slot === null) {
          await wait(LOOK_AGAIN_MS);
          continue;
        }
        const timed = await withTimeout(() => claim(link.linkId, untilMs - now), untilMs - now, wait);
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

/**
 * Takes uses of links with a strict cap. Like look-ups, in groups: for one link a transaction starts every 50 ms at most,
 * the first one at once, and takes a use for everybody who waits. A visitor waits 250 ms at most for that. A link that is
 * used up is not asked for again until its version changes, because raising its cap makes a new one.
 *
 * A transaction that has begun gets the full timeout of a statement, although the database ends it after 50 ms. Giving up
 * while its answer is in transit would burn the uses that it took; far from the database that would be every one.
 */
import { LOOK_AGAIN_AT_LATEST_MS, LOOK_AGAIN_MS } from "@hopline/edge-cache/grouped-look-ups";
import { setLatest } from "@hopline/edge-cache/set-latest";
import { Slots } from "@hopline/edge-cache/slots";
import { type Wait, withTimeout } from "@hopline/edge-cache/with-timeout";
import type { CapClaims, Defer } from "../ports.ts";

const GROUP_WAIT_MS = 250;
const GROUP_EVERY_MS = 50;

/** Transactions of this isolate at once, of any links. */
const MAX_TRANSACTIONS = 8;

const MAX_USED_UP = 1_024;

/** Versions of links that are used up, by link. */
export type UsedUpLinks = Map<string, number>;

export type CapClaimDeps = {
  /** How many of the wanted uses were left. */
  readonly claim: (linkId: string, wanted: number) => Promise<number>;
  readonly timeoutMs: number;
  readonly usedUp: UsedUpLinks;
  readonly nowMs: () => number;
  readonly wait: Wait;
};

/** A visitor who wants a use. `group`: the transaction that takes it, and as which of its uses. */
type Claimant = {
  readonly giveUpAtMs: number;
  group: { readonly granted: Promise<number>; readonly place: number } | null;
};

type LinkQueue = { readonly waiting: Set<Claimant>; nextAtMs: number };

export function createCapClaims({ claim, timeoutMs, usedUp, nowMs, wait }: CapClaimDeps): CapClaims {
  const slots = new Slots(MAX_TRANSACTIONS, timeoutMs);
  const queues = new Map<string, LinkQueue>();

  function sendIfDue(linkId: string, queue: LinkQueue, defer: Defer): void {
    const now = nowMs();
    const slot = now < queue.nextAtMs ? null : slots.take(now);
    if (slot === null) {
      return;
    }
    // Not those whose requests were cut off meanwhile: each would burn a use.
    const claimants = [...queue.waiting].filter(({ giveUpAtMs }) => now < giveUpAtMs);
    const granted = claim(linkId, claimants.length);
    claimants.forEach((claimant, place) => {
      claimant.group = { granted, place };
    });
    queue.waiting.clear();
    queue.nextAtMs = now + GROUP_EVERY_MS;
    const settle = (): void => {
      slots.release(slot);
      forgetIfEmpty(linkId, queue);
    };
    // Kept alive beyond the visitor who sends it, because others wait for it.
    defer(granted.then(settle, settle));
  }

  function forgetIfEmpty(linkId: string, queue: LinkQueue): void {
    if (queue.waiting.size === 0 && queues.get(linkId) === queue) {
      queues.delete(linkId);
    }
  }

  return {
    async claim({ linkId, version }, defer) {
      const queue = queues.get(linkId) ?? { waiting: new Set(), nextAtMs: -Infinity };
      queues.set(linkId, queue);
      const giveUpAtMs = nowMs() + GROUP_WAIT_MS;
      const claimant: Claimant = { giveUpAtMs, group: null };
      queue.waiting.add(claimant);
      let lookAgainMs = LOOK_AGAIN_MS;
      for (let now = nowMs(); claimant.group === null && now < giveUpAtMs; now = nowMs()) {
        if (usedUp.get(linkId) === version) {
          break;
        }
        sendIfDue(linkId, queue, defer);
        if (claimant.group === null) {
          const turnAtMs = now < queue.nextAtMs ? queue.nextAtMs : now + lookAgainMs;
          await wait(Math.min(giveUpAtMs, turnAtMs) - now);
          lookAgainMs = Math.min(LOOK_AGAIN_AT_LATEST_MS, 2 * lookAgainMs);
        }
      }
      const { group } = claimant;
      if (group === null) {
        queue.waiting.delete(claimant);
        forgetIfEmpty(linkId, queue);
        if (usedUp.get(linkId) === version) {
          return false;
        }
        throw claimError("BusyError");
      }
      const timed = await withTimeout(() => group.granted, timeoutMs, wait);
      if (timed.kind !== "done") {
        throw claimError(timed.reason);
      }
      const isGranted = group.place < timed.value;
      if (!isGranted) {
        setLatest(usedUp, [linkId, version], MAX_USED_UP);
      }
      return isGranted;
    },
  };
}

/** Its name says what went wrong: it is what the log shows. */
function claimError(name: string): Error {
  return Object.assign(new Error("a use of a link with a strict cap could not be taken"), { name });
}

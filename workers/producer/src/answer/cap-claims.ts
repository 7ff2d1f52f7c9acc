/**
 * Claims uses of links with a strict cap, many to a statement: for all visitors who wait, and for those of the next four
 * seconds at the last second's rate (at most 1 % of what is left, so a small cap is exact). Unused ones are given back after
 * a second. With a claim for each visitor, many isolates would wait for each other at the link's row until most were refused.
 *
 * Uses in stock are lost with their request, or when the link is edited: fewer than the cap, never more. A link that is used
 * up is not asked for again until its version changes. A visitor waits for a claim that has begun for as long as they wait at
 * all; what it gets then is for others.
 */
import { setLatest } from "@hopline/edge-cache/set-latest";
import { Slots } from "@hopline/edge-cache/slots";
import { pollUntil } from "@hopline/edge-cache/poll-until";
import { type Wait, withTimeout } from "@hopline/edge-cache/with-timeout";
import type { UnusedUses, WantedUses } from "@hopline/db/links/claim-uses";
import type { CapClaims, Defer } from "../ports.ts";
import { SecondCounter } from "./second-counter.ts";

/** How long a visitor waits for a claim. */
const TURN_WAIT_MS = 500;
/** Between two claims for a link. After one that failed twice as long, and so on, give or take a half. */
const CLAIM_EVERY_MS = 50;
const CLAIM_EVERY_AT_MOST_MS = 800;
/** A claim waits so long for the one before it, which may be lost; then twice as long, and so on. */
const CLAIM_ALONE_MS = 200;
/** For so many seconds' visitors a claim takes uses, and keeps them so long at most. */
const KEPT_SECONDS = 4;

/** Claims of this isolate at once, of any links. */
const MAX_CLAIMS = 8;
const MAX_LINKS = 1_024;

/** Versions of links that are used up, by link. */
export type UsedUpLinks = Map<string, number>;

export type CapClaimDeps = {
  /** How many uses it got. */
  readonly claim: (wanted: WantedUses) => Promise<number>;
  readonly giveBack: (unused: UnusedUses) => Promise<void>;
  readonly timeoutMs: number;
  readonly usedUp: UsedUpLinks;
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly wait: Wait;
};

/** Settles once its uses are in the link's stock; plain data, which others wait for. */
type Claim = Promise<void>;

type Claimant = { readonly giveUpAtMs: number; claim: Claim | null };

type Stock = {
  readonly version: number;
  left: number;
  /** How many uses for visitors to come the last claim got. */
  spare: number;
  readonly visits: SecondCounter;
  readonly waiting: Set<Claimant>;
  /** Visitors for whom a claim was sent. They may still sleep when it lands, and those who come meanwhile must not take its uses. */
  readonly owed: Set<Claimant>;
  latest: Claim | null;
  nextAtMs: number;
  failures: number;
};

export function createCapClaims(deps: CapClaimDeps): CapClaims {
  const { usedUp, nowMs, wait } = deps;
  const slots = new Slots(MAX_CLAIMS, deps.timeoutMs);
  const stocks = new Map<string, Stock>();

  function stockOf(linkId: string, version: number, now: number): Stock {
    const held = stocks.get(linkId);
    if (held !== undefined && held.version >= version) {
      return held;
    }
    const visits = new SecondCounter(now);
    const state = { left: 0, spare: 0, latest: null, nextAtMs: -Infinity, failures: 0 };
    const stock: Stock = { version, ...state, visits, waiting: new Set(), owed: new Set() };
    setLatest(stocks, [linkId, stock], MAX_LINKS);
    return stock;
  }

  function sendIfDue(linkId: string, stock: Stock, defer: Defer): void {
    const now = nowMs();
    const slot = now < stock.nextAtMs ? null : slots.take(now);
    if (slot === null) {
      return;
    }
    // Not those whose requests were cut off meanwhile.
    const claimants = [...stock.waiting].filter(({ giveUpAtMs }) => now < giveUpAtMs);
    const wanted = claimants.length;
    const spare = Math.max(0, Math.floor(KEPT_SECONDS * stock.visits.count(now)) - stock.left);
    stock.failures += 1;
    stock.nextAtMs = now + Math.min(CLAIM_EVERY_AT_MOST_MS, CLAIM_ALONE_MS * 2 ** (stock.failures - 1));
    const land = (uses: number): void => {
      slots.release(slot);
      stock.failures = 0;
      stock.nextAtMs = now + CLAIM_EVERY_MS;
      stock.left += uses;
      stock.spare = uses - wanted;
      if (uses < wanted) {
        setLatest(usedUp, [linkId, stock.version], MAX_LINKS);
      }
    };
    const fail = (error: unknown): never => {
      slots.release(slot);
      const spacingMs = Math.min(CLAIM_EVERY_AT_MOST_MS, CLAIM_EVERY_MS * 2 ** stock.failures);
      stock.nextAtMs = nowMs() + spacingMs * (0.5 + deps.random());
      throw error;
    };
    const claim: Claim = deps.claim({ linkId, wanted, spare }).then(land, fail);
    stock.latest = claim;
    for (const claimant of claimants) {
      claimant.claim = claim;
      stock.owed.add(claimant);
    }
    stock.waiting.clear();
    // Kept alive beyond the visitor who sends it, because others wait for it.
    const later = () => giveBackLater(linkId, stock, claim);
    defer(claim.then(later, later));
  }

  async function giveBackLater(linkId: string, stock: Stock, claim: Claim): Promise<void> {
    for (let seconds = 0; seconds < KEPT_SECONDS; seconds += 1) {
      await wait(1_000);
      if (stock.latest !== claim || stock.visits.count(nowMs()) < 1) {
        break;
      }
    }
    const { left: unused, version } = stock;
    if (stock.latest === claim && unused > 0) {
      stock.left = 0;
      await deps.giveBack({ linkId, unused, version }).catch(() => undefined);
    }
  }

  function take(linkId: string, stock: Stock, claimant: Claimant, defer: Defer): boolean {
    for (const other of stock.owed) {
      if (nowMs() >= other.giveUpAtMs) {
        stock.owed.delete(other);
      }
    }
    if (stock.left <= (claimant.claim === null ? stock.owed.size : 0)) {
      return false;
    }
    stock.owed.delete(claimant);
    stock.left -= 1;
    // Before the last one is gone, so that no visitor has to wait.
    if (stock.left < stock.spare / 4) {
      sendIfDue(linkId, stock, defer);
    }
    return true;
  }

  return {
    async claim({ linkId, version }, { defer, untilMs }) {
      const startedAtMs = nowMs();
      const stock = stockOf(linkId, version, startedAtMs);
      stock.visits.add(startedAtMs);
      const giveUpAtMs = Math.min(untilMs, startedAtMs + TURN_WAIT_MS);
      const claimant: Claimant = { giveUpAtMs, claim: null };
      const isUsedUp = () => usedUp.get(linkId) === stock.version;
      let failure = "BusyError";
      while (!take(linkId, stock, claimant, defer)) {
        if (isUsedUp()) {
          return false;
        }
        if (nowMs() >= claimant.giveUpAtMs) {
          throw claimError(failure);
        }
        claimant.claim = null;
        stock.owed.delete(claimant);
        stock.waiting.add(claimant);
        await pollUntil({ untilMs: claimant.giveUpAtMs, nextAtMs: () => stock.nextAtMs, nowMs, wait }, () => {
          if (stock.left > stock.owed.size || isUsedUp()) {
            return true;
          }
          sendIfDue(linkId, stock, defer);
          return claimant.claim !== null;
        });
        stock.waiting.delete(claimant);
        const { claim } = claimant;
        if (claim !== null) {
          const timed = await withTimeout(() => claim, untilMs - nowMs(), wait);
          failure = timed.kind === "failed" ? timed.reason : failure;
        }
      }
      return true;
    },
  };
}

/** Its name says what went wrong: it is what the log shows. */
function claimError(name: string): Error {
  return Object.assign(new Error("a use of a link with a strict cap could not be taken"), { name });
}

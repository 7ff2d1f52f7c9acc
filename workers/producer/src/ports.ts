/** What the redirect needs of the world, in its own words. Adapters speak to the platform; nothing else does. */
import type { Click } from "@hopline/core/click/click";
import type { ReportedTier } from "@hopline/core/click/edge-report";
import type { LinkKey } from "@hopline/core/link/link-address";
import type { ReadThrough } from "@hopline/edge-cache/read-through";
import type { EdgeRecord } from "./edge-record.ts";

/** Finds links by address, and domains by `domainKeyOf` their host, through every tier. */
export type LinkDirectory = ReadThrough<LinkKey, EdgeRecord>;

/** Counts look-ups that reach the database, by visitor. */
export interface MissLimit {
  /** Whether a visitor from this network may cause one more. May reject or hang: then it does not count. */
  allows(network: string | null): Promise<boolean>;
}

/** Counts tries of a link's password, by visitor. */
export interface PasswordLimit {
  /** Whether one more is allowed. May reject or hang: then none is. */
  allows(linkId: string, network: string | null): Promise<boolean>;
}

/** Counts the uses of links with a strict cap. */
export interface CapClaims {
  /** Takes one use; false when none is left. Rejects when that can't be known: then nobody may be redirected. */
  claim(linkId: string): Promise<boolean>;
}

/** Takes a click off our hands. Never throws: a click that cannot be sent is kept elsewhere or reported. */
export interface ClickSink {
  /** Returns at once. What remains to be done, if anything, goes to `defer`; that work never rejects. */
  record(click: Click, defer: Defer): void;
}

/** Counts answers, for the metrics. Never throws. */
export interface AnswerCounter {
  /** An answer of this status. What remains to be done goes to the visit's `defer`. */
  count(status: number, from: AnsweredFrom, exchange: CountedExchange): void;
}

/** Which tier knew, and when the answer was there; epoch milliseconds. */
export type AnsweredFrom = { readonly tier: ReportedTier; readonly nowMs: number };

type CountedExchange = {
  readonly request: Request;
  /** Epoch milliseconds. */
  readonly startedAtMs: number;
  readonly visit: { readonly defer: Defer };
};

/** Keeps a sealed segment that no queue would take, until the consumer's scheduled job fetches it. */
export interface SegmentSpill {
  /** Rejects when it cannot be kept. The same key again replaces, with the same clicks. */
  put(key: string, sealedSegment: string): Promise<void>;
}

/** Keeps work alive after the response. Platform: ExecutionContext.waitUntil, 30 s at most. */
export type Defer = (work: Promise<unknown>) => void;

/** Hears of changes before the tiers show them. */
export interface ChangeFollower {
  /**
   * Called once a request, before the isolate's cache is trusted. `null`: answer now; a read of the feed that is due
   * happens behind the response. Otherwise wait for it, 50 ms at most; never rejects.
   */
  keepUp(host: string, nowMs: number, defer: Defer): Promise<void> | null;
}

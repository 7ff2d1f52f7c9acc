/** What the redirect needs of the world, in its own words. Adapters speak to the platform; nothing else does. */
import type { Click } from "@hopline/core/click";
import type { LinkKey } from "@hopline/core/link-address";
import type { LinkRecord } from "@hopline/core/link-record";
import type { Result } from "@hopline/core/result";

/** Where an answer came from, nearest first. */
export type Tier = "isolate" | "kv" | "db" | "negative";

/** A link that was looked up; `record: null` is knowledge too: no link has this address. */
export type FoundLink = { readonly record: LinkRecord | null; readonly tier: Tier };

export type LookupFailure = { readonly reason: "origin_unavailable" };

/** Finds links by address, through every tier. Never rejects. */
export interface LinkDirectory {
  find(key: LinkKey): Promise<Result<FoundLink, LookupFailure>>;
}

/** One tier below the isolate. `null`: this tier does not have the link. Rejects when the tier fails or is too slow. */
export interface LinkTier {
  load(key: LinkKey): Promise<string | null>;
}

/** A tier that can be filled from below. Rejects when the write fails. */
export interface FillableLinkTier extends LinkTier {
  fill(key: LinkKey, recordText: string): Promise<void>;
}

/** Takes a click off our hands. Never throws: a click that cannot be sent is kept elsewhere or reported. */
export interface ClickSink {
  /** Returns at once. What remains to be done, if anything, goes to `defer`; that work never rejects. */
  record(click: Click, defer: Defer): void;
}

/** Keeps a sealed segment that no queue would take, until the consumer's scheduled job fetches it. */
export interface SegmentSpill {
  /** Rejects when it cannot be kept. The same key again replaces, with the same clicks. */
  put(key: string, sealedSegment: string): Promise<void>;
}

/** Keeps work alive after the response. Platform: ExecutionContext.waitUntil, 30 s at most. */
export type Defer = (work: Promise<unknown>) => void;

/**
 * How far a link's newest version has spread, and when the last visitor gets it. `judgeSpread` is pure: versions and times in,
 * a verdict out.
 */
import { type LinkKey, linkKeyOf } from "@hopline/core/link/link-address";
import type { ChangeSink, EdgeStore } from "./edge-ports.ts";
import { findAddress } from "./outbox.ts";
import type { Database } from "../database.ts";

/** What each place holds of a link. Instants in epoch milliseconds; `null`: it has nothing, or does not answer. */
export type PublishedCopies = {
  readonly database: { readonly version: number; readonly changedAtMs: number };
  readonly kv: { readonly version: number; readonly writtenAtMs: number | null } | null;
  readonly feed: { readonly version: number; readonly announcedAtMs: number } | null;
  /** It is still in the outbox. */
  readonly isPending: boolean;
};

export type Spread = {
  readonly state: "pending" | "spreading" | "settled";
  /** With the feed: when every isolate that reads it is up to date. `null` while the feed has not announced it. */
  readonly expectedByMs: number | null;
  /** Without the feed: when all copies in KV and in isolates have expired. `null` while KV does not have it. */
  readonly worstCaseEndsAtMs: number | null;
};

/** Isolates read the feed once a second, through a cache that holds it for a second. */
const FEED_SPREADS_WITHIN_MS = 2_000;

/** A data centre caches what it read from KV for 60 s, an isolate what it loaded from there for another 60 s. */
const CACHES_OUTLIVED_AFTER_MS = 120_000;

export function judgeSpread({ database, kv, feed, isPending }: PublishedCopies, nowMs: number): Spread {
  const expectedByMs =
    feed !== null && feed.version >= database.version ? feed.announcedAtMs + FEED_SPREADS_WITHIN_MS : null;
  const worstCaseEndsAtMs =
    kv !== null && kv.version >= database.version
      ? (kv.writtenAtMs ?? database.changedAtMs) + CACHES_OUTLIVED_AFTER_MS
      : null;
  if (isPending || worstCaseEndsAtMs === null) {
    return { state: "pending", expectedByMs, worstCaseEndsAtMs };
  }
  return { state: worstCaseEndsAtMs <= nowMs ? "settled" : "spreading", expectedByMs, worstCaseEndsAtMs };
}

export type CacheStatusDeps = {
  readonly database: Database;
  readonly kv: EdgeStore;
  readonly feed: ChangeSink;
};

type PublishedLink = {
  readonly host: string;
  readonly slug: string;
  readonly version: number;
  readonly updatedAtMs: number;
};

/** Reads all copies at the same time. Rejects only when the database can't be reached. */
export async function readCopies(stored: PublishedLink, deps: CacheStatusDeps): Promise<PublishedCopies> {
  const key: LinkKey = linkKeyOf(stored.host, stored.slug);
  const [kv, feed, address] = await Promise.all([
    deps.kv.find(key).catch(() => null),
    deps.feed.find(key).catch(() => null),
    findAddress(deps.database, key),
  ]);
  // A link's own version is ahead where only its tags were renamed: nothing of that is published.
  const { version, isPending } = address ?? { version: stored.version, isPending: false };
  return { database: { version, changedAtMs: stored.updatedAtMs }, kv, feed, isPending };
}

/**
 * What the read-through needs of the world: two tiers below the isolate, a way to read what they hold, what was announced
 * lately, and the request on whose behalf it works; and what it gives back.
 */
import type { AbsenceBudgetLimits } from "./absence-budget.ts";
import type { CacheEntry } from "./cache-entry.ts";
import type { IsolateCache } from "./isolate-cache.ts";
import type { Wait } from "./with-timeout.ts";

/** KV, which others write. `null`: it does not have the key. Rejects when it fails; may hang. */
export interface PublishedTier<Key extends string> {
  load(key: Key): Promise<string | null>;
}

/** The database. One statement for all keys; those that it does not have are not in the answer. Rejects when it fails; may hang. */
export interface StoredTier<Key extends string> {
  load(keys: readonly Key[]): Promise<ReadonlyMap<Key, string>>;
}

/** What a stored text says: a value, a deletion, or nothing that can be read. */
export type Decoded<V> =
  | {
      readonly kind: "live";
      readonly value: V;
      /** Higher is newer. */
      readonly version: number;
      /** Estimated size of the value in memory, without its key. */
      readonly costBytes: number;
    }
  | { readonly kind: "negative"; readonly version: number; readonly costBytes: 0 }
  | { readonly kind: "rejected"; readonly field: string };

export type Readable<V> = Exclude<Decoded<V>, { kind: "rejected" }>;

/** Reads what a tier holds. Total. */
export type Decode<V> = (text: string) => Decoded<V>;

/** What was announced in the last minutes, and what a tier may not show yet. */
export interface Announcements<Key extends string> {
  /**
   * The newest announced text of a key whose version is above `version`. `null`: there is one, but its text is not known.
   * `undefined`: nothing newer is known.
   */
  newerThan(key: Key, version: number): string | null | undefined;
  /** The newest announced version, maybe of another key with the same hash; 0: none is known. */
  versionOf(key: Key): number;
  /** KV may lack changes of which this isolate does not know: the database decides, as far as it can be asked. */
  isKvDoubted(): boolean;
  /** All that was announced until then is known, but for what was announced before `missedUntilMs`; both epoch milliseconds. */
  heardUntilMs(): number;
  missedUntilMs(): number;
  /** Another number than before: keys like this one have come into being, and "there is none" may be outdated. */
  arrivals(key: Key): number;
}

export interface Visit {
  /** Keeps work alive after the response (`ExecutionContext.waitUntil`). */
  readonly defer: (work: Promise<unknown>) => void;
  /** When the visitor gets what there is by then, epoch milliseconds. */
  readonly untilMs: number;
  /** The answer has been given: nobody waits. */
  readonly isBehind?: true;
  /** Resolves, in bounded time, to whether the announcements are up to date; `null`: they are. Never rejects. */
  readonly announced: Promise<boolean> | null;
  /** Whether this visitor has asked for too much that does not exist: then only what the isolate or KV knows is answered. */
  readonly isRateLimited: () => boolean;
  /** Counts a key that this visitor asked for and that the database does not have. May reject or hang. */
  readonly chargeMiss: () => Promise<unknown>;
  /** Counts a key that this visitor asked for and that the database has. */
  readonly creditHit: () => void;
}

/** Which tier an answer came from. `stale`: held by the isolate beyond its fresh time. `negative`: a held absence. */
export type AnswerTier = "isolate" | "stale" | "negative" | "kv" | "db";

/** Why a key was not looked up: this visitor is rate-limited, too many look-ups waiting, or the budget for absent keys spent. */
export type RefusalReason = "visitor" | "busy" | "exhausted";

/** What a look-up comes to. Plain data: it is handed from one request to another. */
export type Answer<V> =
  | { readonly kind: "found"; readonly entry: CacheEntry<V>; readonly tier: AnswerTier }
  | { readonly kind: "refused"; readonly reason: RefusalReason }
  | { readonly kind: "unavailable" };

/** What a read-through tells about itself: a closed set, without keys, so that any of it may be counted or logged. */
export type ReadThroughEvent =
  | { readonly event: "followed" }
  | { readonly event: "leader_lost"; readonly reason: string }
  /** A load in the background, behind an answer that has been given. */
  | { readonly event: "refreshing" }
  | { readonly event: "load_failed"; readonly tier: "kv" | "db"; readonly reason: string }
  | { readonly event: "record_rejected"; readonly tier: "kv" | "db"; readonly field: string }
  /** KV is slow: the database was asked before it has answered. */
  | { readonly event: "hedged" }
  /** KV had an older version than the isolate, or may have: the database decides. */
  | { readonly event: "behind"; readonly tier: "kv" };

export interface ReadThroughPorts<Key extends string, V> {
  readonly cache: IsolateCache<V>;
  readonly kv: PublishedTier<Key>;
  readonly origin: StoredTier<Key>;
  readonly decode: Decode<V>;
  readonly announced: Announcements<Key>;
  /** Epoch milliseconds; the clock of `cache`. In workerd it only advances after I/O. */
  readonly nowMs: () => number;
  readonly wait: Wait;
  readonly emit: (event: ReadThroughEvent) => void;
}

export interface ReadThroughLimits {
  readonly kvTimeoutMs: number;
  readonly originTimeoutMs: number;
  /** Since it was stored: an older live entry is loaded anew before it is answered, in normal times. */
  readonly staleWhileRevalidateMs: number;
  /** Since it was stored: the oldest answer that is given while every tier below fails. */
  readonly staleIfErrorMs: number;
  /** Statements of this isolate that may run at once, and from the start of one to the start of the next. */
  readonly statements: number;
  readonly statementEveryMs: number;
  readonly maxWaitingKeys: number;
  readonly absences: AbsenceBudgetLimits;
}

/** Per isolate; a busy data centre runs several. */
export const DEFAULT_LIMITS: ReadThroughLimits = {
  kvTimeoutMs: 250,
  originTimeoutMs: 1_500,
  staleWhileRevalidateMs: 60_000,
  staleIfErrorMs: 24 * 60 * 60 * 1_000,
  statements: 4,
  statementEveryMs: 75,
  maxWaitingKeys: 1_000,
  absences: { burst: 100, perSecond: 5 },
};

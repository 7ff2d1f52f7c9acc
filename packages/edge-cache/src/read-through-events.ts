/**
 * What a read-through tells about itself: a closed set, without keys, so that any of it may be counted or logged.
 */

/** Which tier an answer came from. `stale`: held by the isolate beyond its fresh time. `negative`: a held absence. */
export type AnswerTier = "isolate" | "stale" | "negative" | "kv" | "db";

/** Why no answer was looked up: this visitor's limit, all database slots taken, or the budget for absent keys spent. */
export type RefusalReason = "visitor" | "busy" | "exhausted";

export type ReadThroughEvent =
  | { readonly event: "answered"; readonly tier: AnswerTier }
  | { readonly event: "refused"; readonly reason: RefusalReason }
  /** Both tiers failed and nothing was held. */
  | { readonly event: "unavailable" }
  /** Waits for another request's load of the same key. */
  | { readonly event: "followed" }
  /** That load rejected (`rejected`), or did not settle in time (`late`). */
  | { readonly event: "leader_lost"; readonly why: "rejected" | "late" }
  /** A load in the background, behind an answer that has been given. */
  | { readonly event: "refreshing" }
  | { readonly event: "timed_out"; readonly tier: "kv" | "db" }
  | { readonly event: "load_failed"; readonly tier: "kv" | "db"; readonly reason: string }
  | { readonly event: "record_rejected"; readonly tier: "kv" | "db"; readonly field: string }
  /** KV had an older version than the isolate: the database decides. */
  | { readonly event: "behind"; readonly tier: "kv" }
  | { readonly event: "filled"; readonly tier: "isolate" | "kv" }
  | { readonly event: "fill_failed"; readonly tier: "kv"; readonly reason: string };

export type Emit = (event: ReadThroughEvent) => void;

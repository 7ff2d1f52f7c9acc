// What goes into the isolate cache and what comes out: live records, and absences.
//
// Types only. Whether an entry may still be served is the read-through's decision, from the times it carries.

interface Entry {
  readonly key: string;
  readonly version: number;
  readonly storedAtMs: number;
  readonly freshUntilMs: number;
  /** With the fixed overhead. */
  readonly costBytes: number;
}

/** A known link. Never changes once returned: an update makes a new entry. */
export interface LiveEntry<V> extends Entry {
  readonly kind: "live";
  readonly value: V;
}

/** A key known not to exist, or a link deleted in `version`. */
export interface NegativeEntry extends Entry {
  readonly kind: "negative";
}

export type CacheEntry<V> = LiveEntry<V> | NegativeEntry;

export type CacheInput<V> = {
  /** A flat string: a slice of a URL would keep the whole URL alive behind the budget's back. */
  readonly key: string;
  /** Higher is newer; of an absence, the version of the deletion, and 0 where nothing but the absence is known. */
  readonly version: number;
  /** Estimated size in memory of key and value together, without the fixed overhead. */
  readonly costBytes: number;
  /** A newer version may have been announced unheard: held, but not fresh. */
  readonly isDoubted?: boolean;
} & ({ readonly kind: "live"; readonly value: V } | { readonly kind: "negative" });

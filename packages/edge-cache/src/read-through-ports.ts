/**
 * What the read-through needs of the world: two tiers below the isolate, a way to read what they hold, and the
 * request on whose behalf it works. Types only.
 */

/** A tier below the isolate. `null`: it does not have the key. Rejects when the tier fails; may hang. */
export interface ReadTier<Key extends string> {
  load(key: Key): Promise<string | null>;
}

/** A tier that can be filled from below. Rejects when the write fails; may hang. */
export interface FillableTier<Key extends string> extends ReadTier<Key> {
  fill(key: Key, text: string): Promise<unknown>;
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
  | { readonly kind: "negative"; readonly version: number }
  | { readonly kind: "rejected"; readonly field: string };

/** Reads what a tier holds. Total; a promise only where the reader has to be loaded first, and one that never rejects. */
export type Decode<V> = (text: string) => Decoded<V> | Promise<Decoded<V>>;

/** The request that asks. */
export interface Visit {
  /** Keeps work alive after the response (`ExecutionContext.waitUntil`). */
  readonly defer: (work: Promise<unknown>) => void;
  /**
   * Whether this visitor may cost a database query. Asked only for a key that neither the isolate nor KV knows. A
   * rejection or no answer counts as yes.
   */
  readonly admit: () => Promise<boolean>;
}

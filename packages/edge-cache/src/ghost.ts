/**
 * The ghost queue of S3-FIFO: which keys left the small queue last, without their values. "In the ghost" means "among the
 * last `window` keys to leave", as in the paper's own description (Yang et al., SOSP 2023, section 4.2: a hash table with
 * insertion times). Holds fingerprints: two keys share one by chance once in about 10^9, and then one of them skips the
 * small queue, which asking for it twice does as well.
 */
export class Ghost {
  readonly #capacity: number;
  /** The number of its insertion, by fingerprint, oldest first. */
  readonly #insertions = new Map<number, number>();
  /** One iterator for ever: a new one would step over all that was deleted since V8 last compacted the map (25 µs). */
  readonly #oldest = this.#insertions.keys();
  #inserted = 0;

  constructor(capacity: number) {
    this.#capacity = Math.max(1, capacity);
  }

  /** Remembers a key as the newest; beyond the capacity the oldest is forgotten. */
  add(key: string): void {
    const fingerprint = fingerprintOf(key);
    this.#inserted += 1;
    this.#insertions.delete(fingerprint);
    this.#insertions.set(fingerprint, this.#inserted);
    if (this.#insertions.size > this.#capacity) {
      this.#insertions.delete(this.#oldest.next().value ?? fingerprint);
    }
  }

  /** True when `key` is among the last `window` that were added; it is then forgotten. */
  take(key: string, window: number): boolean {
    const fingerprint = fingerprintOf(key);
    const insertion = this.#insertions.get(fingerprint) ?? -Infinity;
    return this.#inserted - insertion < window && this.#insertions.delete(fingerprint);
  }

  get size(): number {
    return this.#insertions.size;
  }
}

/** FNV-1a over UTF-16 units, folded to 30 bits: a small integer in V8 with and without pointer compression. */
function fingerprintOf(key: string): number {
  let hash = 0x811c_9dc5;
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x0100_0193);
  }
  return (hash ^ (hash >>> 30)) & 0x3fff_ffff;
}

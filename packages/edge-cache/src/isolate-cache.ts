// What this isolate knows about keys: live entries under S3-FIFO, absences in a region of their own.
//
// Not shared: each isolate has its own copy, and it ends with the isolate. No timers (workerd cancels them with the
// request) and no expiry: a stale entry is still returned, and the read-through decides whether it may be
// served, refreshed or must be loaded again. It owns version order, so that no caller can put an old record over a new one.

import type { CacheEntry, LiveEntry, LiveInput, NegativeEntry, NegativeInput } from "./cache-entry.ts";
import { fingerprint } from "./fingerprint.ts";
import { NegativeRegion, type NegativeNode } from "./negative-region.ts";
import { S3Fifo, type S3FifoNode } from "./s3-fifo.ts";

/** 16 MiB of the isolate's 128. */
export const DEFAULT_BUDGET_BYTES: number = 16 * 1024 * 1024;

/** About 3,000 absences: more only help a scanner that repeats itself within the 10 s they are trusted. */
export const DEFAULT_NEGATIVE_BUDGET_BYTES: number = 1024 * 1024;

/**
 * What an entry costs beside its key and value: its object with two boxed times, its slot in a Map that doubles, its
 * share of the ghost. Measured 2026-11 in Node 24 at 20,000 to 50,000 entries: 208 to 257 bytes of heap and up to 16
 * of the ghost; the rest is room for a Map that has just doubled. Not measured in workerd, whose V8 is the same engine.
 */
export const ENTRY_OVERHEAD_BYTES = 320;

/** Fresh for 30 s; an absence for 10 s. */
export const DEFAULT_FRESH_FOR_MS: number = 30_000;
export const DEFAULT_NEGATIVE_FRESH_FOR_MS: number = 10_000;

/** Share of the fresh time that jitter may take away: entries filled in one burst do not refresh in one. */
export const DEFAULT_JITTER_SHARE: number = 0.1;

export interface IsolateCacheOptions {
  /** Epoch milliseconds. In workerd the clock only advances after I/O, which is precise enough here. */
  readonly nowMs: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly budgetBytes?: number;
  readonly negativeBudgetBytes?: number;
  /** Added to the cost of each entry. */
  readonly overheadBytes?: number;
  readonly freshForMs?: number;
  readonly negativeFreshForMs?: number;
  readonly jitterShare?: number;
}

/** Sizes now, and counts since the isolate began. */
export interface IsolateCacheStats {
  readonly liveEntries: number;
  readonly liveBytes: number;
  readonly negativeEntries: number;
  readonly negativeBytes: number;
  readonly ghosts: number;
  readonly liveHits: number;
  readonly negativeHits: number;
  readonly misses: number;
  readonly evicted: number;
  readonly promoted: number;
  readonly readmitted: number;
  readonly refusedTooLarge: number;
  readonly refusedOlder: number;
}

interface LiveNode<V> extends LiveEntry<V>, S3FifoNode<LiveNode<V>> {
  readonly key: string;
  readonly costBytes: number;
}

interface AbsentNode extends NegativeEntry, NegativeNode<AbsentNode> {
  readonly key: string;
  readonly costBytes: number;
}

/** A class because it is mutable state with an invariant: a key is live or absent, never both, within both budgets. */
export class IsolateCache<V> {
  readonly #nowMs: () => number;
  readonly #random: () => number;
  readonly #overheadBytes: number;
  readonly #freshForMs: number;
  readonly #negativeFreshForMs: number;
  readonly #jitterShare: number;
  readonly #live: S3Fifo<LiveNode<V>>;
  readonly #absent: NegativeRegion<AbsentNode>;
  #staleUntilMs = Number.NEGATIVE_INFINITY;
  #liveHits = 0;
  #negativeHits = 0;
  #misses = 0;
  #refusedTooLarge = 0;
  #refusedOlder = 0;

  /** Throws when a budget is not a positive whole number, or the overhead not a whole number: a wrong configuration. */
  constructor(options: IsolateCacheOptions) {
    const budgetBytes = wholeBytes("budgetBytes", options.budgetBytes ?? DEFAULT_BUDGET_BYTES, 1);
    const negativeBudgetBytes = options.negativeBudgetBytes ?? DEFAULT_NEGATIVE_BUDGET_BYTES;
    this.#nowMs = options.nowMs;
    this.#random = options.random;
    this.#overheadBytes = wholeBytes("overheadBytes", options.overheadBytes ?? ENTRY_OVERHEAD_BYTES, 0);
    this.#freshForMs = options.freshForMs ?? DEFAULT_FRESH_FOR_MS;
    this.#negativeFreshForMs = options.negativeFreshForMs ?? DEFAULT_NEGATIVE_FRESH_FOR_MS;
    this.#jitterShare = options.jitterShare ?? DEFAULT_JITTER_SHARE;
    this.#live = new S3Fifo(budgetBytes, Math.max(1, this.#overheadBytes));
    this.#absent = new NegativeRegion(wholeBytes("negativeBudgetBytes", negativeBudgetBytes, 1));
  }

  /**
   * What is known of `key`, fresh or stale: compare `freshUntilMs` with the clock. `undefined` when nothing is.
   *
   * A live hit is one look-up and one counter: nothing is moved, nothing allocated.
   */
  get(key: string): CacheEntry<V> | undefined {
    const live = this.#live.hit(key);
    if (live !== undefined) {
      this.#liveHits += 1;
      return live.storedAtMs > this.#staleUntilMs ? live : { ...toLiveEntry(live), freshUntilMs: 0 };
    }
    const absent = this.#absent.find(key);
    if (absent === undefined) {
      this.#misses += 1;
      return undefined;
    }
    this.#negativeHits += 1;
    return absent.storedAtMs > this.#staleUntilMs ? absent : { ...toNegativeEntry(absent), freshUntilMs: 0 };
  }

  /** From now on `get` returns what is held so far as stale. For when changes may have been missed. */
  markAllStale(): void {
    this.#staleUntilMs = this.#nowMs();
  }

  /** What is held of `key`, as `get`, but not counted as a use of it. */
  peek(key: string): CacheEntry<V> | undefined {
    return this.#live.peek(key) ?? this.#absent.find(key);
  }

  /**
   * Stores a loaded record, unless what is held is newer. The same version again renews the freshness.
   *
   * @returns the entry that won, which is the one to answer with. A record that is too large (above a tenth of the
   * budget) or whose cost is not a number wins but is not kept, and what was held under its key is dropped.
   */
  put(input: LiveInput<V>): CacheEntry<V> {
    const held = this.#live.peek(input.key);
    const newer = this.#newerThan(input.version, held ?? this.#absent.find(input.key));
    if (newer !== undefined) {
      return newer;
    }
    const node = this.#liveNode(input);
    this.#absent.delete(input.key);
    if (!(node.costBytes <= this.#live.maxEntryBytes)) {
      this.#refusedTooLarge += 1;
      this.delete(input.key);
    } else if (held === undefined) {
      this.#live.add(node);
    } else {
      this.#live.replace(held, node);
    }
    return node;
  }

  /**
   * Stores that `key` does not exist, unless what is held is newer. An absence without a version (0) thus never
   * displaces a live link: where the database itself said so, `delete` first.
   *
   * @returns the entry that won, as for `put`.
   */
  putNegative(input: NegativeInput): CacheEntry<V> {
    const live = this.#live.peek(input.key);
    const newer = this.#newerThan(input.version, live ?? this.#absent.find(input.key));
    if (newer !== undefined) {
      return newer;
    }
    if (live !== undefined) {
      this.#live.remove(live);
    }
    const node = this.#absentNode(input);
    this.#absent.add(node);
    return node;
  }

  /** Forgets `key`, whatever its version. True when something was held. */
  delete(key: string): boolean {
    const live = this.#live.peek(key);
    if (live === undefined) {
      return this.#absent.delete(key);
    }
    this.#live.remove(live);
    return true;
  }

  /**
   * Forgets the absences under keys that begin with `prefix`: something was made there. Tombstones (absences with a
   * version) stay, because whatever comes after one is announced by its own key.
   */
  forgetAbsences(prefix: string): void {
    this.#absent.deleteWhere(({ key, version }) => version === 0 && key.startsWith(prefix));
  }

  /** Number of live entries. */
  get size(): number {
    return this.#live.size;
  }

  /** Cost of the live entries: never above the budget. */
  get bytes(): number {
    return this.#live.bytes;
  }

  stats(): IsolateCacheStats {
    return {
      liveEntries: this.#live.size,
      liveBytes: this.#live.bytes,
      negativeEntries: this.#absent.size,
      negativeBytes: this.#absent.bytes,
      ghosts: this.#live.ghosts,
      liveHits: this.#liveHits,
      negativeHits: this.#negativeHits,
      misses: this.#misses,
      ...this.#live.counts,
      refusedTooLarge: this.#refusedTooLarge,
      refusedOlder: this.#refusedOlder,
    };
  }

  #newerThan(version: number, held: CacheEntry<V> | undefined): CacheEntry<V> | undefined {
    if (held === undefined || held.version <= version) {
      return undefined;
    }
    this.#refusedOlder += 1;
    return held;
  }

  #liveNode(input: LiveInput<V>): LiveNode<V> {
    const storedAtMs = this.#nowMs();
    return {
      kind: "live",
      key: input.key,
      value: input.value,
      version: input.version,
      storedAtMs,
      freshUntilMs: storedAtMs + this.#jittered(this.#freshForMs),
      costBytes: this.#cost(input.costBytes),
      fingerprint: fingerprint(input.key),
      frequency: 0,
      isInMain: false,
      older: undefined,
      newer: undefined,
    };
  }

  #absentNode(input: NegativeInput): AbsentNode {
    const storedAtMs = this.#nowMs();
    return {
      kind: "negative",
      key: input.key,
      version: input.version,
      storedAtMs,
      freshUntilMs: storedAtMs + this.#jittered(this.#negativeFreshForMs),
      costBytes: this.#cost(input.costBytes),
      older: undefined,
      newer: undefined,
    };
  }

  /** Jitter only shortens, so the fresh time stays a bound. */
  #jittered(forMs: number): number {
    return forMs * (1 - this.#jitterShare * this.#random());
  }

  /** Whole bytes, so that sums stay exact; at least 1, so that the number of entries stays bounded. */
  #cost(costBytes: number): number {
    return costBytes >= 0 ? Math.max(1, Math.ceil(costBytes) + this.#overheadBytes) : Number.NaN;
  }
}

function toLiveEntry<V>({
  kind,
  key,
  value,
  version,
  storedAtMs,
  freshUntilMs,
  costBytes,
}: LiveEntry<V>): LiveEntry<V> {
  return { kind, key, value, version, storedAtMs, freshUntilMs, costBytes };
}

function toNegativeEntry({
  kind,
  key,
  version,
  storedAtMs,
  freshUntilMs,
  costBytes,
}: NegativeEntry): NegativeEntry {
  return { kind, key, version, storedAtMs, freshUntilMs, costBytes };
}

function wholeBytes(name: string, bytes: number, least: number): number {
  if (!Number.isSafeInteger(bytes) || bytes < least) {
    throw new RangeError(`isolate cache: ${name} must be a whole number of at least ${least}, not ${bytes}`);
  }
  return bytes;
}

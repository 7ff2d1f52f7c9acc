// What this isolate knows about keys: live entries under S3-FIFO, absences in a region of their own.
//
// Not shared: each isolate has its own copy, and it ends with the isolate. No timers (workerd cancels them with the
// request) and no expiry: a stale entry is still returned, and the read-through decides whether it may be
// served, refreshed or must be loaded again. It owns version order, so that no caller can put an old record over a new one.

import type { CacheEntry, CacheInput, LiveEntry, NegativeEntry } from "./cache-entry.ts";
import { S3Fifo, type S3FifoNode } from "./s3-fifo.ts";

/** 16 MiB of the isolate's 128. */
export const DEFAULT_BUDGET_BYTES: number = 16 * 1024 * 1024;

/** About 3,000 absences: more only help a scanner that repeats itself within the 10 s they are trusted. */
export const DEFAULT_NEGATIVE_BUDGET_BYTES: number = 1024 * 1024;

/**
 * What an entry costs beside its key and value: its object with two boxed times, its slot in a Map that doubles, its
 * share of the ghost. Measured 2026-11 in Node 24 at 20,000 to 50,000 entries: 208 to 257 bytes of heap, and up to 70
 * of the ghost. Not measured in workerd, whose V8 is the same engine.
 */
export const ENTRY_OVERHEAD_BYTES = 320;

/** Fresh for 30 s; an absence for 10 s. */
export const FRESH_FOR_MS = 30_000;
export const NEGATIVE_FRESH_FOR_MS = 10_000;

/** Share of the fresh time that jitter may take away: entries filled in one burst do not refresh in one. */
export const JITTER_SHARE = 0.1;

export interface IsolateCacheOptions {
  /** Epoch milliseconds. In workerd the clock only advances after I/O, which is precise enough here. */
  readonly nowMs: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly budgetBytes?: number;
  readonly negativeBudgetBytes?: number;
  /** Added to the cost of each entry. */
  readonly overheadBytes?: number;
}

interface LiveNode<V> extends LiveEntry<V>, S3FifoNode<LiveNode<V>> {
  readonly key: string;
  readonly costBytes: number;
}

/** A class because it is mutable state with an invariant: a key is live or absent, never both, within both budgets. */
export class IsolateCache<V> {
  readonly #nowMs: () => number;
  readonly #random: () => number;
  readonly #overheadBytes: number;
  readonly #negativeBudgetBytes: number;
  readonly #live: S3Fifo<LiveNode<V>>;
  /**
   * The oldest first, with a budget of its own: a scan of made-up slugs can only push out other made-up slugs. An absence
   * lives for seconds, so the order of arrival is as good as any.
   */
  readonly #absent = new Map<string, NegativeEntry>();
  #absentBytes = 0;
  #staleUntilMs = -Infinity;

  constructor({
    nowMs,
    random,
    budgetBytes = DEFAULT_BUDGET_BYTES,
    negativeBudgetBytes = DEFAULT_NEGATIVE_BUDGET_BYTES,
    overheadBytes = ENTRY_OVERHEAD_BYTES,
  }: IsolateCacheOptions) {
    this.#nowMs = nowMs;
    this.#random = random;
    this.#overheadBytes = overheadBytes;
    this.#negativeBudgetBytes = negativeBudgetBytes;
    this.#live = new S3Fifo(budgetBytes, Math.max(1, overheadBytes));
  }

  /**
   * What is known of `key`, fresh or stale: compare `freshUntilMs` with the clock. `undefined` when nothing is.
   *
   * A live hit is one look-up and one counter: nothing is moved, nothing allocated.
   */
  get(key: string): CacheEntry<V> | undefined {
    const live = this.#live.hit(key);
    if (live !== undefined && live.storedAtMs > this.#staleUntilMs) {
      return live;
    }
    if (live !== undefined) {
      // Without its neighbours: an entry that is held must not keep others alive.
      const stale: LiveNode<V> = { ...live, freshUntilMs: 0, older: undefined, newer: undefined };
      return stale;
    }
    const absent = this.#absent.get(key);
    return absent === undefined || absent.storedAtMs > this.#staleUntilMs
      ? absent
      : { ...absent, freshUntilMs: 0 };
  }

  /**
   * From now on `get` returns what is held so far as stale since ever (`freshUntilMs` 0). For when changes may have been missed.
   */
  markAllStale(): void {
    this.#staleUntilMs = this.#nowMs();
  }

  peek(key: string): CacheEntry<V> | undefined {
    return this.#live.peek(key) ?? this.#absent.get(key);
  }

  /**
   * Stores a record or an absence, unless what is held is newer. The same version again renews the freshness. An absence
   * without a version (0) thus never displaces a live link: where the database itself said so, `delete` first.
   *
   * @returns the entry that won, which is the one to answer with. One that is too large (a record above a tenth of the
   * budget) wins but is not kept, and what was held under its key is dropped.
   */
  put(input: CacheInput<V>): CacheEntry<V> {
    const { key, version } = input;
    const held = this.#live.peek(key);
    const known = held ?? this.#absent.get(key);
    if (known !== undefined && known.version > version) {
      return known;
    }
    const storedAtMs = this.#nowMs();
    // Jitter only shortens, so the fresh time stays a bound.
    const freshShare = input.isDoubted === true ? 0 : 1 - JITTER_SHARE * this.#random();
    // Whole bytes, so that sums stay exact; at least 1, so that the number of entries stays bounded.
    const costBytes = Math.max(1, Math.ceil(input.costBytes) + this.#overheadBytes);
    if (input.kind === "negative") {
      const freshUntilMs = storedAtMs + NEGATIVE_FRESH_FOR_MS * freshShare;
      return this.#putAbsence({ kind: "negative", key, version, storedAtMs, freshUntilMs, costBytes });
    }
    const node: LiveNode<V> = {
      kind: "live",
      key,
      value: input.value,
      version,
      storedAtMs,
      freshUntilMs: storedAtMs + FRESH_FOR_MS * freshShare,
      costBytes,
      frequency: 0,
      isInMain: false,
      older: undefined,
      newer: undefined,
    };
    if (costBytes > this.#live.maxEntryBytes) {
      this.#live.refusals += 1;
      this.delete(key);
    } else if (held === undefined) {
      this.#deleteAbsent(key);
      this.#live.add(node);
    } else {
      this.#live.replace(held, node);
    }
    return node;
  }

  #putAbsence(absence: NegativeEntry): NegativeEntry {
    this.delete(absence.key);
    if (absence.costBytes <= this.#negativeBudgetBytes) {
      this.#absent.set(absence.key, absence);
      this.#absentBytes += absence.costBytes;
    }
    for (const oldest of this.#absent.keys()) {
      if (this.#absentBytes <= this.#negativeBudgetBytes) {
        break;
      }
      this.#deleteAbsent(oldest);
    }
    return absence;
  }

  /** Forgets `key`, whatever its version. True when something was held. */
  delete(key: string): boolean {
    const live = this.#live.peek(key);
    if (live === undefined) {
      return this.#deleteAbsent(key);
    }
    this.#live.remove(live);
    return true;
  }

  /** Forgets what `isUnwanted` says of all that is held. */
  deleteWhere(isUnwanted: (entry: CacheEntry<V>) => boolean): void {
    for (const entries of [this.#live.nodes(), this.#absent.values()]) {
      for (const entry of entries) {
        if (isUnwanted(entry)) {
          this.delete(entry.key);
        }
      }
    }
  }

  /** Links that lost their place to others since the last call, and those that were not let in or never asked for again. */
  takePressure(): { readonly evictions: number; readonly refused: number } {
    const { evictions, refusals } = this.#live;
    this.#live.evictions = 0;
    this.#live.refusals = 0;
    return { evictions, refused: refusals };
  }

  /** Neither cost is ever above its budget. */
  sizes(): {
    readonly liveEntries: number;
    readonly liveBytes: number;
    readonly negativeEntries: number;
    readonly negativeBytes: number;
    readonly ghosts: number;
  } {
    return {
      liveEntries: this.#live.size,
      liveBytes: this.#live.bytes,
      negativeEntries: this.#absent.size,
      negativeBytes: this.#absentBytes,
      ghosts: this.#live.ghosts,
    };
  }

  #deleteAbsent(key: string): boolean {
    this.#absentBytes -= this.#absent.get(key)?.costBytes ?? 0;
    return this.#absent.delete(key);
  }
}

// S3-FIFO eviction (Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023) over a byte budget.
//
// New keys enter a small queue; only what is asked for again reaches the main queue, so a scan of never-seen keys
// washes through the small tenth and leaves the rest alone. A hit moves nothing and allocates nothing: it raises a
// counter. Knows nothing of time, versions or absence: see `isolate-cache.ts`.

import { Fifo, type FifoNode } from "./fifo.ts";
import { Ghost } from "./ghost.ts";

/** Share of the budget of the small queue: the paper's 10 %. */
const SMALL_SHARE = 0.1;

/** Hits in the small queue that earn a place in the main queue: more than one, as in the paper. */
const PROMOTION_HITS = 2;

/** The counter has two bits: an entry survives at most three rounds of the main queue without a hit. */
const MAX_FREQUENCY = 3;

/**
 * Length of the ghost as a share of the entries held now. The paper wants as many ghosts as the main queue has
 * entries, which is nine tenths of them; a share of all entries also works while the main queue is still empty.
 */
const GHOST_SHARE = 0.9;

/** Ceiling of the ghost whatever the budget and overhead: 4 MB at most. */
const MAX_GHOSTS = 65_536;

/** What the queues need of an entry. The entry itself carries it: one object for each key, one look-up for a hit. */
export interface S3FifoNode<N> extends FifoNode<N> {
  readonly key: string;
  frequency: number;
  isInMain: boolean;
}

/** A class because it is mutable state with an invariant: after each call the queues hold at most `budgetBytes`. */
export class S3Fifo<N extends S3FifoNode<N>> {
  readonly maxEntryBytes: number;
  readonly maxGhosts: number;
  readonly #budgetBytes: number;
  readonly #mainBudgetBytes: number;
  readonly #nodes = new Map<string, N>();
  readonly #small = new Fifo<N>();
  readonly #main = new Fifo<N>();
  readonly #ghost: Ghost;
  #hasEvicted = false;
  /** How many lost their place in the main queue, and how many never had one. */
  evictions = 0;
  refusals = 0;

  /** @param minEntryBytes the least that an entry can cost, at least 1: it bounds the number of entries. */
  constructor(budgetBytes: number, minEntryBytes: number) {
    const smallBudgetBytes = Math.max(1, Math.floor(budgetBytes * SMALL_SHARE));
    this.#budgetBytes = budgetBytes;
    this.#mainBudgetBytes = budgetBytes - smallBudgetBytes;
    this.maxEntryBytes = smallBudgetBytes;
    this.maxGhosts = Math.min(MAX_GHOSTS, ghostWindow(Math.floor(budgetBytes / minEntryBytes)));
    this.#ghost = new Ghost(this.maxGhosts);
  }

  /** The node of `key`, counted as asked for once more. */
  hit(key: string): N | undefined {
    const node = this.#nodes.get(key);
    if (node !== undefined && node.frequency < MAX_FREQUENCY) {
      node.frequency += 1;
    }
    return node;
  }

  peek(key: string): N | undefined {
    return this.#nodes.get(key);
  }

  nodes(): Iterable<N> {
    return this.#nodes.values();
  }

  /** Takes in a node whose key is not held and whose cost is at most `maxEntryBytes`; others leave to make room. */
  add(node: N): void {
    const isReturning = this.#ghost.take(node.key, ghostWindow(this.size));
    while (this.bytes + node.costBytes > this.#budgetBytes) {
      this.#evict();
    }
    // Until something had to leave, the room of the main queue would lie idle: as libCacheSim, fill it at once.
    const isFilling = !this.#hasEvicted && this.#small.bytes + node.costBytes > this.maxEntryBytes;
    node.isInMain = isReturning || isFilling;
    (node.isInMain ? this.#main : this.#small).push(node);
    this.#nodes.set(node.key, node);
  }

  /** Puts `next` at the place of `held`, with its history; entries leave (even `next`) if it costs too much more. */
  replace(held: N, next: N): void {
    next.frequency = held.frequency;
    next.isInMain = held.isInMain;
    (held.isInMain ? this.#main : this.#small).replace(held, next);
    this.#nodes.set(next.key, next);
    while (this.bytes > this.#budgetBytes) {
      this.#evict();
    }
  }

  /** Drops a held node without leaving a ghost: it did not lose its place to others. */
  remove(node: N): void {
    (node.isInMain ? this.#main : this.#small).remove(node);
    this.#nodes.delete(node.key);
  }

  get size(): number {
    return this.#nodes.size;
  }

  get bytes(): number {
    return this.#small.bytes + this.#main.bytes;
  }

  get ghosts(): number {
    return this.#ghost.size;
  }

  #evict(): void {
    this.#hasEvicted = true;
    const isMainOver = this.#main.bytes > this.#mainBudgetBytes;
    if (isMainOver || this.#small.oldest === undefined) {
      this.#evictFromMain();
    } else {
      this.#evictFromSmall();
    }
  }

  /** Walks the small queue from its oldest node: promotes what was asked for, until one had to leave. */
  #evictFromSmall(): void {
    for (let node = this.#small.oldest; node !== undefined; node = this.#small.oldest) {
      if (node.frequency < PROMOTION_HITS) {
        this.remove(node);
        this.#ghost.add(node.key);
        this.refusals += 1;
        return;
      }
      this.#small.remove(node);
      node.frequency = 0;
      node.isInMain = true;
      this.#main.push(node);
    }
  }

  /** Walks the main queue from its oldest node: each hit buys one more round. Ends because each round costs a hit. */
  #evictFromMain(): void {
    for (let node = this.#main.oldest; node !== undefined; node = this.#main.oldest) {
      if (node.frequency === 0) {
        this.remove(node);
        this.evictions += 1;
        return;
      }
      this.#main.remove(node);
      node.frequency -= 1;
      this.#main.push(node);
    }
  }
}

function ghostWindow(entries: number): number {
  return Math.floor(entries * GHOST_SHARE);
}

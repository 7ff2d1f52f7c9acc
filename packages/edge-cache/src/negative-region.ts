// Keys known not to exist, in a first-in first-out region with its own byte budget.
//
// Kept apart from the live entries so that a scan of made-up slugs can only push out other made-up slugs. No
// frequency: an absence lives for seconds, so the order of arrival is as good as any.

import { Fifo, type FifoNode } from "./fifo.ts";

/** What the region needs of an entry. */
export interface NegativeNode<N> extends FifoNode<N> {
  readonly key: string;
}

/** A class because it is mutable state with an invariant: after each call it holds at most `budgetBytes`. */
export class NegativeRegion<N extends NegativeNode<N>> {
  readonly #budgetBytes: number;
  readonly #nodes = new Map<string, N>();
  readonly #queue = new Fifo<N>();

  constructor(budgetBytes: number) {
    this.#budgetBytes = budgetBytes;
  }

  find(key: string): N | undefined {
    return this.#nodes.get(key);
  }

  /** Takes in `node` as the newest, in place of one with the same key. A node above the whole budget (or of no known cost) is not kept. */
  add(node: N): void {
    this.delete(node.key);
    if (!(node.costBytes <= this.#budgetBytes)) {
      return;
    }
    this.#queue.push(node);
    this.#nodes.set(node.key, node);
    for (
      let old = this.#queue.oldest;
      old !== undefined && this.bytes > this.#budgetBytes;
      old = this.#queue.oldest
    ) {
      this.delete(old.key);
    }
  }

  /** True when `key` was held. */
  delete(key: string): boolean {
    const node = this.#nodes.get(key);
    if (node === undefined) {
      return false;
    }
    this.#queue.remove(node);
    return this.#nodes.delete(key);
  }

  /** Forgets every node that `isGone` says so of, in one pass. */
  deleteWhere(isGone: (node: N) => boolean): void {
    for (const node of this.#nodes.values()) {
      if (isGone(node)) {
        this.delete(node.key);
      }
    }
  }

  get size(): number {
    return this.#nodes.size;
  }

  get bytes(): number {
    return this.#queue.bytes;
  }
}

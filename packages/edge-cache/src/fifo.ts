// First-in first-out queue of nodes that carry their own links, with the sum of their costs.
//
// Links inside the nodes make removal from the middle (delete, version change) O(1) and need no second allocation.
// It does not decide what leaves: see `s3-fifo.ts`.

/** What a queue needs to find in its nodes. A node is in at most one queue at a time. */
export interface FifoNode<N> {
  readonly costBytes: number;
  older: N | undefined;
  newer: N | undefined;
}

/** A class because it is mutable state with an invariant: `length` and `bytes` always describe the linked nodes. */
export class Fifo<N extends FifoNode<N>> {
  oldest: N | undefined = undefined;
  newest: N | undefined = undefined;
  length = 0;
  bytes = 0;

  push(node: N): void {
    this.#join(this.newest, node);
    this.#join(node, undefined);
    this.length += 1;
    this.bytes += node.costBytes;
  }

  /** Unlinks `node`, which must be in this queue, and clears its links so that a held entry keeps no neighbour alive. */
  remove(node: N): void {
    this.#join(node.older, node.newer);
    node.older = undefined;
    node.newer = undefined;
    this.length -= 1;
    this.bytes -= node.costBytes;
  }

  /** Puts `next` at the place of `node`, which must be in this queue: an updated value keeps its age. */
  replace(node: N, next: N): void {
    this.#join(node.older, next);
    this.#join(next, node.newer);
    node.older = undefined;
    node.newer = undefined;
    this.bytes += next.costBytes - node.costBytes;
  }

  /** Makes neighbours of two nodes; `undefined` stands for an end of the queue. */
  #join(older: N | undefined, newer: N | undefined): void {
    if (older === undefined) {
      this.oldest = newer;
    } else {
      older.newer = newer;
    }
    if (newer === undefined) {
      this.newest = older;
    } else {
      newer.older = older;
    }
  }
}

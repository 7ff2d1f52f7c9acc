// The isolate cache as the plain text of S3-FIFO says it: arrays, whole keys instead of fingerprints, linear searches.
//
// Slow and obvious on purpose. It shares no code with `src`, so both must be wrong in the same way to agree.

export interface ModelEntry {
  readonly kind: "live" | "negative";
  readonly key: string;
  readonly version: number;
  readonly value?: string;
  readonly storedAtMs: number;
  readonly freshUntilMs: number;
  readonly costBytes: number;
}

interface Place {
  entry: ModelEntry;
  hits: number;
}

export interface ModelLimits {
  readonly budgetBytes: number;
  readonly negativeBudgetBytes: number;
  readonly overheadBytes: number;
}

/** The model; each function takes entries whose cost and times are already worked out by the test. */
export function createModel(limits: ModelLimits) {
  const smallLimit = Math.max(1, Math.floor(limits.budgetBytes / 10));
  let small: Place[] = [];
  let main: Place[] = [];
  let negatives: ModelEntry[] = [];
  const ghost: string[] = [];
  let hasEvicted = false;
  /** What the histories have led through. The cache agrees with the model, so it has been there too. */
  const seen = { promoted: 0, readmitted: 0, evicted: 0, refusedTooLarge: 0, refusedOlder: 0 };

  const bytes = (places: readonly Place[]) => places.reduce((sum, place) => sum + place.entry.costBytes, 0);
  const negativeBytes = () => negatives.reduce((sum, entry) => sum + entry.costBytes, 0);
  const liveBytes = () => bytes(small) + bytes(main);
  const place = (key: string) => [...small, ...main].find((candidate) => candidate.entry.key === key);
  const negative = (key: string) => negatives.find((candidate) => candidate.key === key);

  function drop(key: string): void {
    small = small.filter((candidate) => candidate.entry.key !== key);
    main = main.filter((candidate) => candidate.entry.key !== key);
    negatives = negatives.filter((candidate) => candidate.key !== key);
  }

  function evictOne(): void {
    hasEvicted = true;
    if (bytes(main) <= limits.budgetBytes - smallLimit && small.length > 0) {
      for (let first = small.shift(); first !== undefined; first = small.shift()) {
        if (first.hits < 2) {
          forgetGhost(first.entry.key);
          ghost.push(first.entry.key);
          seen.evicted += 1;
          return;
        }
        main.push({ entry: first.entry, hits: 0 });
        seen.promoted += 1;
      }
      return;
    }
    for (let first = main.shift(); first !== undefined; first = main.shift()) {
      if (first.hits === 0) {
        seen.evicted += 1;
        return;
      }
      main.push({ entry: first.entry, hits: first.hits - 1 });
    }
  }

  function forgetGhost(key: string): void {
    const index = ghost.lastIndexOf(key);
    if (index >= 0) {
      ghost[index] = "";
    }
  }

  function insert(entry: ModelEntry): void {
    const window = Math.floor(0.9 * (small.length + main.length));
    const isGhost = window > 0 && ghost.slice(-window).includes(entry.key);
    if (isGhost) {
      forgetGhost(entry.key);
      seen.readmitted += 1;
    }
    while (liveBytes() + entry.costBytes > limits.budgetBytes) {
      evictOne();
    }
    const smallIsFull = bytes(small) + entry.costBytes > smallLimit;
    const queue = isGhost || (smallIsFull && !hasEvicted) ? main : small;
    queue.push({ entry, hits: 0 });
  }

  return {
    get(key: string): ModelEntry | undefined {
      const found = place(key);
      if (found === undefined) {
        return negative(key);
      }
      found.hits = Math.min(3, found.hits + 1);
      return found.entry;
    },
    put(entry: ModelEntry): ModelEntry {
      const held = place(entry.key);
      const current = held?.entry ?? negative(entry.key);
      if (current !== undefined && current.version > entry.version) {
        seen.refusedOlder += 1;
        return current;
      }
      if (entry.costBytes > smallLimit) {
        seen.refusedTooLarge += 1;
        drop(entry.key);
      } else if (held === undefined) {
        drop(entry.key);
        insert(entry);
      } else {
        held.entry = entry;
        while (liveBytes() > limits.budgetBytes) {
          evictOne();
        }
      }
      return entry;
    },
    putNegative(entry: ModelEntry): ModelEntry {
      const current = place(entry.key)?.entry ?? negative(entry.key);
      if (current !== undefined && current.version > entry.version) {
        return current;
      }
      drop(entry.key);
      if (entry.costBytes <= limits.negativeBudgetBytes) {
        negatives.push(entry);
      }
      while (negativeBytes() > limits.negativeBudgetBytes) {
        negatives.shift();
      }
      return entry;
    },
    delete(key: string): boolean {
      const isHeld = place(key) !== undefined || negative(key) !== undefined;
      drop(key);
      return isHeld;
    },
    seen,
    sizes: () => ({
      liveEntries: small.length + main.length,
      liveBytes: liveBytes(),
      negativeEntries: negatives.length,
      negativeBytes: negativeBytes(),
    }),
  };
}

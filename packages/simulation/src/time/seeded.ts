/** Randomness that a seed decides (mulberry32). Each part of a life has a stream of its own, so that one that asks more often moves no other. */
export type Seeded = {
  /** In [0, 1). */
  readonly next: () => number;
  /** A whole number in [from, to]. */
  readonly between: (from: number, to: number) => number;
  readonly chance: (share: number) => boolean;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  /** Another stream, by name. */
  readonly fork: (name: string) => Seeded;
};

export function createSeeded(seed: number): Seeded {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (share) => next() < share,
    pick(items) {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) {
        throw new RangeError("nothing to pick from");
      }
      return item;
    },
    fork: (name) => createSeeded(hashOf(`${seed} ${name}`)),
  };
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return hash;
}

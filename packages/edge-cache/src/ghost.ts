// The ghost queue of S3-FIFO: fingerprints of the keys that left the small queue last, without their values.
//
// A ring in insertion order with a chained hash index over its places, all in typed arrays made once: its memory is
// fixed for ever (12 to 16 bytes a place), and neither a look-up nor an insertion allocates. A fingerprint that was taken leaves a hole that
// still ages, so "in the ghost" means "among the last `window` keys to leave", as in the paper's own description
// (Yang et al., SOSP 2023, section 4.2: a hash table with insertion times).

const NONE = -1;

export interface Ghost {
  /** Remembers a fingerprint as the newest, and forgets the one that is `capacity` insertions old. */
  add(fingerprint: number): void;
  /** True when `fingerprint` is among the last `window` that were added; it is then forgotten. */
  take(fingerprint: number, window: number): boolean;
  count(): number;
}

/** A ghost of at most `capacity` fingerprints (non-negative integers below 2^31). */
export function createGhost(capacity: number): Ghost {
  const places = Math.max(1, capacity);
  const bucketMask = 2 ** Math.ceil(Math.log2(places)) - 1;
  const fingerprints = new Int32Array(places).fill(NONE);
  const nextInBucket = new Int32Array(places).fill(NONE);
  const buckets = new Int32Array(bucketMask + 1).fill(NONE);
  let cursor = 0;
  let count = 0;

  function find(fingerprint: number): number {
    let place = buckets[fingerprint & bucketMask] ?? NONE;
    while (place !== NONE && fingerprints[place] !== fingerprint) {
      place = nextInBucket[place] ?? NONE;
    }
    return place;
  }

  function forget(place: number): void {
    const bucket = (fingerprints[place] ?? NONE) & bucketMask;
    const next = nextInBucket[place] ?? NONE;
    let before = buckets[bucket] ?? NONE;
    if (before === place) {
      buckets[bucket] = next;
    } else {
      while (nextInBucket[before] !== place) {
        before = nextInBucket[before] ?? NONE;
      }
      nextInBucket[before] = next;
    }
    fingerprints[place] = NONE;
    count -= 1;
  }

  return {
    add(fingerprint) {
      const earlier = find(fingerprint);
      if (earlier !== NONE) {
        forget(earlier);
      }
      if (fingerprints[cursor] !== NONE) {
        forget(cursor);
      }
      const bucket = fingerprint & bucketMask;
      fingerprints[cursor] = fingerprint;
      nextInBucket[cursor] = buckets[bucket] ?? NONE;
      buckets[bucket] = cursor;
      cursor = cursor + 1 === places ? 0 : cursor + 1;
      count += 1;
    },
    take(fingerprint, window) {
      const place = find(fingerprint);
      if (place === NONE) {
        return false;
      }
      const age = cursor > place ? cursor - place : cursor - place + places;
      if (age > window) {
        return false;
      }
      forget(place);
      return true;
    },
    count: () => count,
  };
}

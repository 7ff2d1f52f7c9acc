// Request sequences for hit-rate tests and benchmarks: the recorded web trace and seeded synthetic ones.
//
// Everything here is repeatable: the same arguments give the same keys on every machine.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

import { IsolateCache } from "../src/isolate-cache.ts";

/** Source of numbers in [0, 1), seeded: Mulberry32, 32 bits of state, plenty for workloads. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The recorded trace `name` of `test/traces` (format: see the README there), one key for each request. */
export function readTrace(name: string): readonly string[] {
  const bytes = gunzipSync(readFileSync(join(import.meta.dirname, `traces/${name}.trace.gz`)));
  const keys: string[] = [];
  for (let offset = 0; offset < bytes.length; offset += 4) {
    keys.push(`k${bytes.readUInt32BE(offset)}`);
  }
  return keys;
}

export interface ZipfOptions {
  readonly keys: number;
  readonly requests: number;
  readonly exponent: number;
  readonly seed: number;
}

/** Independent requests where the key of rank r is asked for in proportion to 1 / r^exponent. */
export function zipfKeys(options: ZipfOptions): readonly string[] {
  const random = createRandom(options.seed);
  const cumulative = new Float64Array(options.keys);
  let total = 0;
  for (let rank = 0; rank < options.keys; rank += 1) {
    total += 1 / (rank + 1) ** options.exponent;
    cumulative[rank] = total;
  }
  return Array.from({ length: options.requests }, () => `z${firstAbove(cumulative, random() * total)}`);
}

/** `organic` with a never-seen key after each request: a scanner as busy as all visitors together. */
export function* withScan(organic: readonly string[]): Generator<string> {
  let scanned = 0;
  for (const key of organic) {
    yield key;
    yield `scan${scanned}`;
    scanned += 1;
  }
}

/** A cache of `entries` keys of cost 1, whose clock stands still. */
export function createUnitCostCache(entries: number): IsolateCache<true> {
  return new IsolateCache({ nowMs: () => 0, random: () => 0, budgetBytes: entries, overheadBytes: 0 });
}

/**
 * Asks a unit-cost cache of `entries` for each key and fills it on a miss, as the read-through does.
 *
 * @returns percent of the requests counted by `isCounted` that were hits.
 */
export function hitRatePercent(
  keys: Iterable<string>,
  entries: number,
  isCounted: (key: string) => boolean = () => true,
): number {
  const cache = createUnitCostCache(entries);
  let hits = 0;
  let requests = 0;
  for (const key of keys) {
    const isHit = cache.get(key) !== undefined;
    if (!isHit) {
      cache.put({ kind: "live", key, value: true, version: 1, costBytes: 1 });
    }
    if (isCounted(key)) {
      requests += 1;
      hits += isHit ? 1 : 0;
    }
  }
  return (100 * hits) / requests;
}

/** Index of the first of the ascending `values` that is above `target`. */
function firstAbove(values: Float64Array, target: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) > target) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

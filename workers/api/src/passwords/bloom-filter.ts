/**
 * A set of texts in few bits: says "no" for certain, and "yes" wrongly for one text in a thousand. Two hashes make all positions
 * (Kirsch and Mitzenmacher, "Less hashing, same performance", 2006).
 */
import { hash32 } from "@hopline/core/rules/evaluate/hash32";

/** For one wrong "yes" in a thousand. */
const BITS_A_TEXT = 14.4;
const HASHES = 10;

export function makeFilter(texts: readonly string[]): Uint8Array<ArrayBuffer> {
  const filter = new Uint8Array(Math.ceil((texts.length * BITS_A_TEXT) / 8));
  for (const text of texts) {
    for (const position of positionsOf(text, filter.length * 8)) {
      filter[position >> 3] = (filter[position >> 3] ?? 0) | (1 << (position & 7));
    }
  }
  return filter;
}

export function isInFilter(text: string, filter: Uint8Array): boolean {
  return positionsOf(text, filter.length * 8).every(
    (position) => ((filter[position >> 3] ?? 0) & (1 << (position & 7))) !== 0,
  );
}

function positionsOf(text: string, bits: number): readonly number[] {
  const [first, step] = [hash32(text, 1), hash32(text, 2) | 1];
  return Array.from({ length: HASHES }, (_none, index) => (first + index * (step >>> 0)) % bits);
}

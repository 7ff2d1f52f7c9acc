/**
 * A 32-bit hash of a text: MurmurHash3 x86_32 over its UTF-16LE bytes. Fast and evenly spread, not cryptographic:
 * it shares out visitors, it hides nothing. Algorithm and constants: Austin Appleby, public domain,
 * https://github.com/aappleby/smhasher/wiki/MurmurHash3. Its values decide who sees which variant: never change them.
 */

/** Hashes `text` under `seed`; an unsigned 32-bit integer. */
export function hash32(text: string, seed: number): number {
  let hash = seed | 0;
  const paired = text.length & ~1;
  for (let index = 0; index < paired; index += 2) {
    hash ^= scramble(text.charCodeAt(index) | (text.charCodeAt(index + 1) << 16));
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  if (paired !== text.length) {
    hash ^= scramble(text.charCodeAt(paired));
  }
  return finalise32(hash ^ (text.length * 2));
}

/** Spreads every bit of `value` over all 32 (the finaliser of MurmurHash3). A bijection on 32-bit integers. */
export function finalise32(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function scramble(block: number): number {
  const mixed = Math.imul(block, 0xcc9e2d51);
  return Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
}

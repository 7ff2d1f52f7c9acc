// Hash of a key for the ghost queue: FNV-1a over UTF-16 units (http://www.isthe.com/chongo/tech/comp/fnv/), then the
// finaliser of MurmurHash3 (https://github.com/aappleby/smhasher), because the ghost buckets by the low bits.
//
// Unseeded on purpose: a collision only lets a key skip the small queue, which asking for it twice does as well.

/** 30 bits: a small integer in V8 with and without pointer compression, so nothing is boxed. */
const FINGERPRINT_MASK = 0x3fff_ffff;

/** 30-bit fingerprint of `key`. Two keys share one by chance once in about 10^9. */
export function fingerprint(key: string): number {
  let hash = 0x811c_9dc5;
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x0100_0193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) & FINGERPRINT_MASK;
}

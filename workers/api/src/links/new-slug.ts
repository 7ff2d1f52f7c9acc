/**
 * Generated slugs: seven characters without look-alikes (no 0/O, 1/l/I), so that a person can read one aloud.
 * 54^7 = 1.3 * 10^12 addresses; a collision is met by asking again with new randomness.
 */

const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz";
const SLUG_LENGTH = 7;

/** Makes a slug from random bytes; asks for more when a byte would favour some letters over others. */
export function newSlug(randomBytes: (count: number) => Uint8Array): string {
  const largestFairByte = 256 - (256 % ALPHABET.length);
  let slug = "";
  while (slug.length < SLUG_LENGTH) {
    for (const byte of randomBytes(SLUG_LENGTH)) {
      if (byte < largestFairByte && slug.length < SLUG_LENGTH) {
        slug += ALPHABET.charAt(byte % ALPHABET.length);
      }
    }
  }
  return slug;
}

/**
 * Generated slugs: seven characters without look-alikes (no 0/O, 1/l/I), so that a person can read one aloud.
 * 54^7 = 1.3 * 10^12 addresses; after a collision another one is generated.
 */
import { randomText } from "../random-text.ts";

const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz";
const SLUG_LENGTH = 7;

export function newSlug(randomBytes: (count: number) => Uint8Array): string {
  return randomText(ALPHABET, SLUG_LENGTH, randomBytes);
}

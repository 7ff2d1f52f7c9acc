/**
 * Generated slugs. Seven characters without look-alikes (no 0/O, 1/l/I), so that a person can read one aloud, unless defaults say
 * otherwise: 54^7 = 1.3 * 10^12 addresses. After a collision another one is generated.
 */
import { isReservedSlug } from "@hopline/core/link/link-address";
import type { LinkDefaults } from "../link-defaults-shape.ts";
import { randomText } from "../random-text.ts";

const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz";
const SLUG_LENGTH = 7;

export function newSlug(
  randomBytes: (count: number) => Uint8Array,
  { length = SLUG_LENGTH, alphabet = ALPHABET, prefix = "" }: NonNullable<LinkDefaults["slug"]> = {},
): string {
  const slug = `${prefix}${randomText(alphabet, length, randomBytes)}`;
  return isReservedSlug(slug) ? newSlug(randomBytes, { length, alphabet, prefix }) : slug;
}

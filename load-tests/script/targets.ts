/**
 * The links of a load test and how often each is visited, by formula: link 42 has a code of 12 mixed-case characters and
 * leads to `https://example.com/landing/42`. So a script needs no file, a run in k6's cloud needs no upload, and the import
 * and the visits agree. Pure: k6 and Node both run it.
 */

export const DEFAULT_LINK_COUNT = 20_000;

export const MAX_LINK_COUNT = 100_000;

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** One link in five takes four requests in five. */
const HOT_LINK_SHARE = 0.2;
const HOT_REQUEST_SHARE = 0.8;

/** The code of link `index`: 12 characters, as other products generate them. No two links share one. */
export function slugOf(index: number): string {
  // Odd factors permute the 32-bit numbers, so that the first half alone is unique.
  return (
    toSixCharacters(Math.imul(index + 1, 0x9e3779b1)) + toSixCharacters(Math.imul(index + 1, 0x85ebca6b))
  );
}

/** 62^6 is above 2^32. */
function toSixCharacters(number: number): string {
  let rest = number >>> 0;
  let text = "";
  while (text.length < 6) {
    text += ALPHABET[rest % 62] ?? "";
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** Where link `index` leads; exactly this text is in the Location header. */
export function destinationOf(index: number): string {
  return `https://example.com/landing/${index}`;
}

/** The whole data set as a file for `POST /api/v1/links/import`. */
export function toCsv(linkCount: number): string {
  const rows = Array.from({ length: linkCount }, (_, index) => `${slugOf(index)},${destinationOf(index)}`);
  return ["slug,url", ...rows].join("\n");
}

/** How many of `linkCount` links are hot: those with the lowest numbers. At least one. */
export function hotLinkCount(linkCount: number): number {
  return Math.max(1, Math.round(linkCount * HOT_LINK_SHARE));
}

/** The link of the next request. `random` gives numbers in [0, 1). */
export function pickLink(linkCount: number, random: () => number): number {
  const hot = hotLinkCount(linkCount);
  if (hot === linkCount || random() < HOT_REQUEST_SHARE) {
    return Math.floor(random() * hot);
  }
  return hot + Math.floor(random() * (linkCount - hot));
}

/** Every link as often as any other. */
export function pickAnyLink(linkCount: number, random: () => number): number {
  return Math.floor(random() * linkCount);
}

/** A slug that no link has, and that was never requested before: one of 36^8. */
export function unknownSlug(random: () => number): string {
  let slug = "x";
  while (slug.length < 9) {
    slug += Math.floor(random() * 36).toString(36);
  }
  return slug;
}

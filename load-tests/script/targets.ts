/**
 * The links of a load test and how often each is asked for, by formula: link `i` is `/l00042` and leads to
 * `https://example.com/landing/42`. So a script needs no file, a run in k6 cloud needs no upload, and whoever imports
 * the links agrees with whoever asks for them. Pure: k6 and Node both run it.
 */

export const DEFAULT_LINK_COUNT = 20_000;

/** Slugs have five digits. */
export const MAX_LINK_COUNT = 100_000;

/** One link in five takes four requests in five. */
const HOT_LINK_SHARE = 0.2;
const HOT_REQUEST_SHARE = 0.8;

/** `l00042`: the slug of link 42. */
export function slugOf(index: number): string {
  return `l${String(index).padStart(5, "0")}`;
}

/** Where link `index` leads; exactly this text is in the Location header. */
export function destinationOf(index: number): string {
  return `https://example.com/landing/${index}`;
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

/** A slug that no link has, and that was never asked for before: eight further letters, 36^8 of them. */
export function unknownSlug(random: () => number): string {
  let slug = "x";
  while (slug.length < 9) {
    slug += Math.floor(random() * 36).toString(36);
  }
  return slug;
}

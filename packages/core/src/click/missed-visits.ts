/**
 * Visits for which a domain had no link: to its root, to links that have ended, to slugs that lead nowhere. Part of an isolate's report
 * (edge-report.ts), field `m`, with the slugs that were asked for most. Counts and slugs only: nothing says who came, when, or from where.
 */
import { normaliseSlug } from "../link/link-address.ts";

export const MISS_KINDS = ["root", "ended", "unknown"] as const;
export type MissKind = (typeof MISS_KINDS)[number];

/** Under what a domain's visits of a kind are counted, beside slugs: no slug begins with a slash. */
export const nameOfKind = (kind: MissKind): string => `/${kind}`;

/** As on the wire. The slugs are some of the unknown. */
export type MissedVisits = readonly [
  domainId: string,
  root: number,
  ended: number,
  unknown: number,
  slugs: readonly (readonly [slug: string, visits: number])[],
];

/** Bytes of the misses in a report: with the rest of it they fit beside 60 KB of clicks into one message of a queue. */
export const MAX_MISSES_BYTES = 1_400;

const MAX_KEPT_LENGTH = 40;
const MAX_DIGITS = 6;

/** A run of twelve letters and digits with a digit before a letter, or of 25, is no word; `summersale2026` is one. */
const TOKEN = /(?=[\p{L}\p{Nd}]{12})\p{L}*\p{Nd}+\p{L}|[\p{L}\p{Nd}]{25}/u;

/** What programs look for on any host: `wp-login.php`, `backup.zip`. */
const PROBE = /^wp-|\.[a-z]{2,4}$/i;

/**
 * Whether a slug that leads nowhere is kept, as something that a person may have read somewhere and typed. Not what looks like a token, a
 * telephone number or an account's (more than six digits), nor a program's probe. No slug has an `@`, so an email address is none.
 */
export function isKeptSlug(slug: string): boolean {
  return (
    slug.length <= MAX_KEPT_LENGTH &&
    (slug.match(/\p{Nd}/gu)?.length ?? 0) <= MAX_DIGITS &&
    !TOKEN.test(slug) &&
    !PROBE.test(slug)
  );
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Reads what a report has of misses. None of them, where one can't be read. @param isCount whether it is a whole number of ours. */
export function decodeMisses(
  wire: unknown,
  isCount: (value: unknown) => value is number,
): readonly MissedVisits[] {
  const misses = Array.isArray(wire) ? wire.map((item) => decodeOne(item, isCount)) : [];
  return misses.every((one) => one !== null) ? misses : [];
}

function decodeOne(wire: unknown, isCount: (value: unknown) => value is number): MissedVisits | null {
  const [domainId, root, ended, unknown, list]: readonly unknown[] = Array.isArray(wire) ? wire : [];
  const slugs = (Array.isArray(list) ? list : []).map((item: unknown) => {
    const [slug, visits]: readonly unknown[] = Array.isArray(item) ? item : [];
    const isSlug = typeof slug === "string" && isKeptSlug(slug) && normaliseSlug(slug) === slug;
    return isSlug && isCount(visits) ? ([slug, visits] as const) : null;
  });
  return typeof domainId === "string" &&
    UUID.test(domainId) &&
    isCount(root) &&
    isCount(ended) &&
    isCount(unknown) &&
    slugs.every((slug) => slug !== null)
    ? [domainId, root, ended, unknown, slugs]
    : null;
}

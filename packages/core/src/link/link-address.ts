/**
 * Where a link lives: `host + "/" + slug`. Owns the slug alphabet and the splitting of a request URL, by slicing: on
 * the redirect path a `new URL` costs more than everything else that is decided there.
 */

declare const linkKeyBrand: unique symbol;

/** `host/slug`, host in lower case, slug percent-decoded and NFC-normalised. The name of a link in every tier. */
export type LinkKey = string & { readonly [linkKeyBrand]: true };

/** Slugs longer than this (in characters, after decoding) do not exist. */
export const MAX_SLUG_LENGTH = 128;

/** A percent-encoded slug can be twelve bytes a character (`%F0%9F%98%80`); anything longer is not worth decoding. */
const MAX_ENCODED_SLUG_LENGTH: number = MAX_SLUG_LENGTH * 12;

const ASCII_SLUG = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * One or more parts with a slash between them: letters with their marks, digits, `-`, `_`, `~`, `+`, `.`, and emoji with what
 * joins and tints them. None begins with a dot, so no browser takes it for a step, and `/.well-known/` stays free.
 */
const UNICODE_SLUG =
  // oxlint-disable-next-line no-misleading-character-class -- the joiner and the variation selector are meant one by one
  /^(?!\/)(?:(?:^|\/)(?!\.)[\p{L}\p{M}\p{Nd}\p{Extended_Pictographic}\u{1f3fb}-\u{1f3ff}\u{1f1e6}-\u{1f1ff}\u200d\ufe0f_.~+-]+)+$/u;

/** What we or Cloudflare answer: the API, what browsers and crawlers ask of each host. In any case: a domain may ignore it. */
const RESERVED_SLUG = /^(?:(?:api|cdn-cgi)(?:\/|$)|(?:robots\.txt|favicon\.ico)$)/i;

/** The end of a slug whose link forwards what follows: `docs/*`. */
export const FORWARDING_END = "/*";

/** The parts of a request URL as they stand in it: nothing decoded, `query` without its `?`. */
export type RequestAddress = { readonly host: string; readonly path: string; readonly query: string };

/**
 * Cuts an absolute URL into host (lower case, with its port), path (from `/`) and query. A fragment never reaches a
 * server, so none is looked for.
 */
export function splitRequestUrl(url: string): RequestAddress {
  const hostStart = url.indexOf("://") + 3;
  const queryMark = url.indexOf("?", hostStart);
  const end = queryMark === -1 ? url.length : queryMark;
  const slash = url.indexOf("/", hostStart);
  const hostEnd = slash === -1 || slash > end ? end : slash;
  return {
    host: url.slice(hostStart, hostEnd).toLowerCase(),
    path: hostEnd === end ? "/" : url.slice(hostEnd, end),
    query: queryMark === -1 ? "" : url.slice(queryMark + 1),
  };
}

/**
 * Reads the slug from a path of the form `/slug` or `/slug/`. `null` when the path cannot name a link: empty, a
 * malformed percent escape, a character outside the alphabet, an empty part, too long, or reserved.
 */
export function parseSlug(path: string): string | null {
  const end = path.length > 2 && path.endsWith("/") ? path.length - 1 : path.length;
  const raw = path.slice(1, end);
  if (ASCII_SLUG.test(raw)) {
    return raw;
  }
  if (raw.length > MAX_ENCODED_SLUG_LENGTH) {
    return null;
  }
  const decoded = percentDecode(raw);
  return decoded === null || isForwardingSlug(decoded) || isReservedSlug(decoded)
    ? null
    : normaliseSlug(decoded);
}

/**
 * Brings a slug given in clear text (an API body) to the form in which it is stored and looked up. `null` when it is
 * empty, too long or holds a character outside the alphabet. It may end in `/*`.
 */
export function normaliseSlug(text: string): string | null {
  if (text.length > MAX_SLUG_LENGTH * 4) {
    return null;
  }
  const slug = text.normalize("NFC");
  return UNICODE_SLUG.test(withoutForwarding(slug)) && Array.from(slug).length <= MAX_SLUG_LENGTH
    ? slug
    : null;
}

export function isForwardingSlug(slug: string): boolean {
  return slug.endsWith(FORWARDING_END);
}

/** Without the `/*` of one that forwards. */
export function withoutForwarding(slug: string): string {
  return isForwardingSlug(slug) ? slug.slice(0, -FORWARDING_END.length) : slug;
}

/** Whether no link may have it, because it is the address of something else. */
export function isReservedSlug(slug: string): boolean {
  return RESERVED_SLUG.test(slug);
}

/** A slug as it stands in a URL's path. Of a forwarding one, the address at which nothing follows. */
export function encodeSlug(slug: string): string {
  return encodeURIComponent(withoutForwarding(slug)).replaceAll(/%2F|%2B/g, (escape) =>
    escape === "%2F" ? "/" : "+",
  );
}

/** The slug under which a domain that ignores case stores and looks up all its spellings. */
export function foldSlug(slug: string): string {
  return slug.toLowerCase().normalize("NFC");
}

/** The same of a whole key: its host is in lower case already. */
export function foldKey(key: LinkKey): LinkKey {
  return foldSlug(key) as LinkKey;
}

/** Names a link. `slug` must come from `parseSlug` or `normaliseSlug`. */
export function linkKeyOf(host: string, slug: string): LinkKey {
  return `${host}/${slug}` as LinkKey;
}

/**
 * KV refuses keys over 512 bytes (Cloudflare, KV limits) and an address can be longer: 128 emoji behind a long host. No link
 * gets such a one, and KV is not asked for it. A UTF-16 unit takes at most three bytes, so 170 of them always fit.
 */
export function fitsKvKey(key: LinkKey): boolean {
  return key.length <= 170 || utf8Length(key) <= MAX_KV_KEY_BYTES;
}

const MAX_KV_KEY_BYTES = 512;

/** Each byte of a character outside of ASCII is one escape. */
function utf8Length(text: string): number {
  return encodeURIComponent(text).replaceAll(/%../g, "-").length;
}

declare function decodeURIComponent(encoded: string): string;

/** `null` for a malformed escape, and bytes that are no UTF-8. */
export function percentDecode(raw: string): string | null {
  if (!raw.includes("%")) {
    return raw;
  }
  try {
    return decodeURIComponent(raw);
  } catch {
    // A malformed escape is an address that no link has, not a fault of ours.
    return null;
  }
}

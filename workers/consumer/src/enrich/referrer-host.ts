/**
 * The site a click came from: the host of the Referer header and nothing else of it (no path, query or credentials).
 *
 * The host is kept as it is, "www." too: m.example.com and www.example.com are different pages to some, and folding
 * is a decision for the reader of the numbers. Link rules match on the same text.
 */

// The host ends within this prefix: a host name has at most 253 characters (RFC 1035).
const MAX_REFERRER_CHARS = 1_024;
const MAX_HOST_CHARS = 253;
const PROTOCOLS: ReadonlySet<string> = new Set(["http:", "https:", "android-app:", "ios-app:"]);
const HOST = /^[a-z0-9._-]+$|^\[[0-9a-f:.]+\]$/;

/**
 * Host in lower case and punycode, without port or final dot; the package name for "android-app://" (in lower case);
 * `null` when there is no such host. Total: never throws.
 */
export function referrerHost(referrer: string | null): string | null {
  if (referrer === null) {
    return null;
  }
  const url = parseUrl(referrer.slice(0, MAX_REFERRER_CHARS).trim());
  if (url === null || !PROTOCOLS.has(url.protocol)) {
    return null;
  }
  const name = url.hostname.toLowerCase();
  const host = name.endsWith(".") ? name.slice(0, -1) : name;
  return host.length <= MAX_HOST_CHARS && HOST.test(host) ? host : null;
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

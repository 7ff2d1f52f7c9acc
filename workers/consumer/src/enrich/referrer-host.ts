/**
 * The site a click came from: the host of the Referer header and nothing else (no path, query or credentials).
 *
 * The host stays as it is, "www." included: m.example.com and www.example.com can be different sites, and merging them
 * is up to the reader of the numbers. Link rules match the same text.
 */

// The host ends within this prefix: a host name has at most 253 characters (RFC 1035).
const MAX_REFERRER_CHARS = 1_024;
const MAX_HOST_CHARS = 253;
const PROTOCOLS: ReadonlySet<string> = new Set(["http:", "https:", "android-app:", "ios-app:"]);
const HOST = /^[a-z0-9._-]+$|^\[[0-9a-f:.]+\]$/;

/**
 * Host in lower case and punycode, without port or final dot; for "android-app://" the package name, in lower case.
 * `null` if there is no such host. Never throws.
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

/**
 * Referrer hosts. A rule names a host exactly, or the subdomains of one as `*.host`. The wildcard does not match the bare
 * host, as in certificates and in Content-Security-Policy: `*.example.com` and `example.com` are two entries of one
 * list, and who wants only the subdomains can say so.
 */

/** The host of a Referer header in lower case, without user, port or trailing dot. `null` when there is none. */
export function referrerHostOf(referrer: string | null): string | null {
  const schemeEnd = referrer === null ? -1 : referrer.indexOf("://");
  if (referrer === null || schemeEnd < 1) {
    return null;
  }
  const start = schemeEnd + 3;
  const length = referrer.slice(start).search(/[/?#\\]/);
  const authority = length === -1 ? referrer.slice(start) : referrer.slice(start, start + length);
  const host = authority
    .slice(authority.lastIndexOf("@") + 1)
    .replace(/:\d*$/, "")
    .replace(/\.$/, "")
    .toLowerCase();
  return host === "" ? null : host;
}

/** True when `host` is `pattern`, or lies below it where the pattern starts with `*.`. Both in lower case. */
export function matchesHost(host: string, pattern: string): boolean {
  return pattern.startsWith("*.")
    ? host.length >= pattern.length && host.endsWith(pattern.slice(1))
    : host === pattern;
}

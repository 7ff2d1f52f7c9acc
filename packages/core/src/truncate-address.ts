/**
 * Cuts a visitor's address down to its network before anything else sees it: IPv4 to /24, IPv6 to /48.
 *
 * Runs at the edge, once per click, so it is one pass over the characters: no regular expression, no split.
 * The output is canonical (RFC 5952), so equal networks are equal strings and truncating twice changes nothing.
 */

// The longest textual IPv6 address, with an embedded IPv4 tail (INET6_ADDRSTRLEN less its NUL).
const MAX_ADDRESS_CHARS = 45;
const MAX_ZONE_CHARS = 64;
const DOT = 0x2e;
const COLON = 0x3a;

/**
 * The network of an address: "203.0.113.0" for IPv4 (/24), "2001:db8:1::" for IPv6 (/48), `null` for anything else.
 *
 * An IPv4-mapped IPv6 address, dotted or in hexadecimal, follows the IPv4 rule: it is the same visitor. A zone
 * id ("%eth0") is dropped. Ports, brackets, leading zeros in IPv4 and surrounding blanks make it invalid.
 */
export function truncateAddress(address: string): string | null {
  if (address.length > MAX_ADDRESS_CHARS + 1 + MAX_ZONE_CHARS) return null;
  if (!address.includes(":")) {
    const bits = parseIpv4(address, 0);
    return bits === null ? null : formatIpv4Network(bits);
  }
  const zoneAt = address.indexOf("%");
  if (zoneAt === address.length - 1) return null;
  return truncateIpv6(zoneAt === -1 ? address : address.slice(0, zoneAt));
}

function formatIpv4Network(bits: number): string {
  return `${bits >>> 24}.${(bits >>> 16) & 0xff}.${(bits >>> 8) & 0xff}.0`;
}

/** The 32 bits of the dotted quad that fills `address` from `from` to its end, or `null`. */
function parseIpv4(address: string, from: number): number | null {
  let bits = 0;
  let octet = 0;
  let digits = 0;
  let dots = 0;
  for (let at = from; at < address.length; at++) {
    const code = address.charCodeAt(at);
    if (code === DOT) {
      if (digits === 0 || ++dots > 3) return null;
      bits = bits * 256 + octet;
      octet = 0;
      digits = 0;
      continue;
    }
    const digit = code - 0x30;
    if (digit < 0 || digit > 9 || (digits > 0 && octet === 0)) return null;
    octet = octet * 10 + digit;
    digits++;
    if (octet > 255) return null;
  }
  if (dots !== 3 || digits === 0) return null;
  return bits * 256 + octet;
}

function truncateIpv6(address: string): string | null {
  const groups = parseIpv6(address);
  if (groups === null) return null;
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  if (a === 0 && b === 0 && c === 0 && d === 0 && e === 0 && f === 0xffff) {
    return formatIpv4Network(g * 0x10000 + h);
  }
  if (c !== 0) return `${a.toString(16)}:${b.toString(16)}:${c.toString(16)}::`;
  if (b !== 0) return `${a.toString(16)}:${b.toString(16)}::`;
  return a !== 0 ? `${a.toString(16)}::` : "::";
}

/** All eight groups, or `null`. `::` stands for one group or more (RFC 4291 2.2), and may appear once. */
function parseIpv6(address: string): readonly number[] | null {
  const groups: number[] = [];
  let gapAt = -1;
  let at = 0;
  if (address.startsWith("::")) {
    gapAt = 0;
    at = 2;
  }
  while (at < address.length) {
    const end = groupEnd(address, at);
    if (end < address.length && address.charCodeAt(end) === DOT) {
      const tail = parseIpv4(address, at);
      if (tail === null || groups.length > 6) return null;
      groups.push(tail >>> 16, tail & 0xffff);
      break;
    }
    if (end === at || end - at > 4 || groups.length === 8) return null;
    groups.push(Number.parseInt(address.slice(at, end), 16));
    if (end === address.length) break;
    if (address.charCodeAt(end) !== COLON || end + 1 === address.length) return null;
    at = end + 1;
    if (address.charCodeAt(at) === COLON) {
      if (gapAt !== -1) return null;
      gapAt = groups.length;
      at++;
    }
  }
  return fillGap(groups, gapAt);
}

function fillGap(groups: readonly number[], gapAt: number): readonly number[] | null {
  if (gapAt === -1) return groups.length === 8 ? groups : null;
  const missing = 8 - groups.length;
  if (missing < 1) return null;
  return [...groups.slice(0, gapAt), ...Array<number>(missing).fill(0), ...groups.slice(gapAt)];
}

/** Index of the first character at or after `at` that is no hexadecimal digit. */
function groupEnd(address: string, at: number): number {
  let end = at;
  while (end < address.length && isHexDigit(address.charCodeAt(end))) end++;
  return end;
}

function isHexDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}

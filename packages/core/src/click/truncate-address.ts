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
  if (address.length > MAX_ADDRESS_CHARS + 1 + MAX_ZONE_CHARS) {
    return null;
  }
  if (!address.includes(":")) {
    const bits = parseIpv4(address, 0);
    return bits === null ? null : formatIpv4Network(bits);
  }
  const zoneAt = address.indexOf("%");
  if (zoneAt === address.length - 1) {
    return null;
  }
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
      if (digits === 0 || ++dots > 3) {
        return null;
      }
      bits = bits * 256 + octet;
      octet = 0;
      digits = 0;
      continue;
    }
    const digit = code - 0x30;
    if (digit < 0 || digit > 9 || (digits > 0 && octet === 0)) {
      return null;
    }
    octet = octet * 10 + digit;
    digits++;
    if (octet > 255) {
      return null;
    }
  }
  if (dots !== 3 || digits === 0) {
    return null;
  }
  return bits * 256 + octet;
}

/** The groups that are written out, and where among them "::" stands (-1: nowhere). */
type Ipv6Text = { readonly groups: readonly number[]; readonly gapAt: number };

function truncateIpv6(address: string): string | null {
  const text = parseIpv6(address);
  if (text === null) {
    return null;
  }
  const a = groupAt(text, 0);
  const b = groupAt(text, 1);
  const c = groupAt(text, 2);
  if (c !== 0) {
    return `${a.toString(16)}:${b.toString(16)}:${c.toString(16)}::`;
  }
  if (b !== 0) {
    return `${a.toString(16)}:${b.toString(16)}::`;
  }
  if (a !== 0) {
    return `${a.toString(16)}::`;
  }
  const isMapped = groupAt(text, 3) === 0 && groupAt(text, 4) === 0 && groupAt(text, 5) === 0xffff;
  return isMapped ? formatIpv4Network(groupAt(text, 6) * 0x10000 + groupAt(text, 7)) : "::";
}

/** Group `index` of the eight, without building them: what "::" stands for is zero. */
function groupAt({ groups, gapAt }: Ipv6Text, index: number): number {
  if (gapAt === -1 || index < gapAt) {
    return groups[index] ?? 0;
  }
  const fromEnd = 8 - index;
  return fromEnd > groups.length - gapAt ? 0 : (groups[groups.length - fromEnd] ?? 0);
}

/** `null` unless the text is a whole address. "::" stands for one group or more (RFC 4291 2.2), and only once. */
function parseIpv6(address: string): Ipv6Text | null {
  const groups: number[] = [];
  let gapAt = address.startsWith("::") ? 0 : -1;
  let at = gapAt === 0 ? 2 : 0;
  while (at < address.length) {
    let end = at;
    let value = 0;
    for (let digit = hexDigit(address, end); digit !== -1; digit = hexDigit(address, ++end)) {
      value = value * 16 + digit;
    }
    if (end < address.length && address.charCodeAt(end) === DOT) {
      const tail = parseIpv4(address, at);
      if (tail === null || groups.length > 6) {
        return null;
      }
      groups.push(tail >>> 16, tail & 0xffff);
      break;
    }
    if (end === at || end - at > 4 || groups.length === 8) {
      return null;
    }
    groups.push(value);
    if (end === address.length) {
      break;
    }
    if (address.charCodeAt(end) !== COLON || end + 1 === address.length) {
      return null;
    }
    at = end + 1;
    if (address.charCodeAt(at) === COLON) {
      if (gapAt !== -1) {
        return null;
      }
      gapAt = groups.length;
      at++;
    }
  }
  return (gapAt === -1 ? groups.length === 8 : groups.length < 8) ? { groups, gapAt } : null;
}

/** Value of the hexadecimal digit at `at`; -1 for any other character and past the end. */
function hexDigit(address: string, at: number): number {
  const code = at < address.length ? address.charCodeAt(at) : 0;
  if (code >= 0x30 && code <= 0x39) {
    return code - 0x30;
  }
  if (code >= 0x61 && code <= 0x66) {
    return code - 0x57;
  }
  return code >= 0x41 && code <= 0x46 ? code - 0x37 : -1;
}

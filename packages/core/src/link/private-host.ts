/**
 * Whether a host is one that the public internet cannot reach, or must not. Takes the `hostname` of a parsed http(s) URL:
 * there every spelling of an IPv4 address (hex, octal, one number) is dotted decimal and IPv6 is in brackets.
 * Ranges: IANA special-purpose address registries (RFC 6890 and its updates); names: RFC 6761, 6762, 8375, 9476 and the
 * ICANN reservation of .internal.
 */
import { toIpv6Groups } from "./ipv6-groups.ts";

/** True for loopback, private, link-local and other special addresses, for local names and names without a dot. */
export function isPrivateHost(hostname: string): boolean {
  if (hostname.startsWith("[")) {
    return isPrivateIpv6(toIpv6Groups(hostname));
  }
  if (/^\d+\.\d+\.\d+\.\d+$/.test(hostname)) {
    return isPrivateIpv4(toIpv4Number(hostname));
  }
  return isPrivateName(hostname.replace(/\.$/, ""));
}

const PRIVATE_SUFFIXES: readonly string[] =
  "localhost localdomain local internal home.arpa lan intranet onion alt".split(" ");

function isPrivateName(name: string): boolean {
  return (
    !name.includes(".") || PRIVATE_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))
  );
}

/** [first address, prefix length] */
const PRIVATE_IPV4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

function isPrivateIpv4(address: number): boolean {
  return PRIVATE_IPV4.some(
    ([first, prefix]) => address >>> (32 - prefix) === toIpv4Number(first) >>> (32 - prefix),
  );
}

function toIpv4Number(dotted: string): number {
  return dotted.split(".").reduce((address, octet) => ((address << 8) | Number(octet)) >>> 0, 0);
}

function isPrivateIpv6(groups: readonly number[]): boolean {
  const [first = 0, second = 0, third = 0] = groups;
  const tail = groups.slice(6);
  const [high = 0, low = 0] = tail;
  if (first === 0x64 && second === 0xff9b && third === 0) {
    return isPrivateIpv4(((high << 16) | low) >>> 0); // NAT64: an IPv4 address in other clothes
  }
  if (first === 0x2002) {
    return isPrivateIpv4(((second << 16) | third) >>> 0); // 6to4, likewise
  }
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return isPrivateIpv4(((high << 16) | low) >>> 0); // IPv4-mapped, likewise
  }
  // What is left is public only within 2000::/3, less Teredo and its neighbours (2001::/23) and documentation.
  const isGlobalUnicast = first >>> 13 === 1;
  const isProtocolAssignment = first === 0x2001 && second < 0x200;
  const isDocumentation = (first === 0x2001 && second === 0xdb8) || (first === 0x3fff && second < 0x1000);
  return !isGlobalUnicast || isProtocolAssignment || isDocumentation;
}

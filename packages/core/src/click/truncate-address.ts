/**
 * Cuts a visitor's address down to its network before anything else sees it: IPv4 to /24, IPv6 to /48. The output is
 * canonical (RFC 5952), so equal networks are equal strings and truncating twice changes nothing.
 */
import { toIpv6Groups } from "../link/ipv6-groups.ts";

const OCTET = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;
const IPV4 = new RegExp(String.raw`^(${OCTET}\.${OCTET}\.${OCTET})\.${OCTET}$`);
/** What may be in one, with its zone; the URL parser says whether it is one. */
const IPV6 = /^([\da-f:.]{2,45})(?:%.{1,64})?$/i;

/**
 * The network of an address: "203.0.113.0" for IPv4 (/24), "2001:db8:1::" for IPv6 (/48), `null` for anything else.
 *
 * An IPv4-mapped IPv6 address, dotted or in hexadecimal, follows the IPv4 rule: it is the same visitor. A zone
 * id ("%eth0") is dropped. Ports, brackets, leading zeros in IPv4 and surrounding blanks make it invalid.
 */
export function truncateAddress(address: string): string | null {
  const network = IPV4.exec(address)?.[1];
  if (network !== undefined) {
    return `${network}.0`;
  }
  const url = `http://[${IPV6.exec(address)?.[1]}]`;
  return URL.canParse(url) ? truncateIpv6(toIpv6Groups(new URL(url).hostname)) : null;
}

function truncateIpv6(groups: readonly number[]): string {
  const [a = 0, b = 0, c = 0, , , mapped, high = 0, low = 0] = groups;
  if (mapped === 0xffff && groups.slice(0, 5).every((group) => group === 0)) {
    return `${high >> 8}.${high & 0xff}.${low >> 8}.0`;
  }
  const kept = c !== 0 ? [a, b, c] : b !== 0 ? [a, b] : a !== 0 ? [a] : [];
  return `${kept.map((group) => group.toString(16)).join(":")}::`;
}

/**
 * The eight groups of the `hostname` of a parsed URL that is an IPv6 address: in brackets, `::` for its zeros. The URL parser
 * left no dotted part in it.
 */
export function toIpv6Groups(hostname: string): readonly number[] {
  const [head = "", tail = ""] = hostname.slice(1, -1).split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
}

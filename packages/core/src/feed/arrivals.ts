/**
 * The change that names no link: "links came to this host". It travels in the change feed under a key that no link can
 * have, without a record; its version counts such times, host by host. An isolate that reads it forgets which slugs of the host it
 * held for unknown. That is how 20,000 imported links are announced with one change, and without a write to KV.
 */
import { type LinkKey, linkKeyOf } from "../link/link-address.ts";

/** No slug is `*` alone. */
export const ANY_SLUG = "*";

export function arrivalsKeyOf(host: string): LinkKey {
  return linkKeyOf(host, ANY_SLUG);
}

export function isArrivalsKey(key: LinkKey): boolean {
  return key.endsWith(`/${ANY_SLUG}`) && key.indexOf("/") === key.length - 2;
}

/** What the keys of all links of the same host begin with. */
export function hostPrefixOf(key: LinkKey): string {
  return key.slice(0, key.indexOf("/") + 1);
}

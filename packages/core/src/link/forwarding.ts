/** Which link of a domain forwards a path: the one with the longest slug that the path begins with. */
import type { DomainRecord } from "./domain-record.ts";
import { foldSlug, FORWARDING_END, MAX_SLUG_LENGTH, percentDecode } from "./link-address.ts";

export type Forwarding = {
  /** Of the link, with its `/*`. */
  readonly slug: string;
  /** What follows it in the path, as it stands there, without the slash between; "" if nothing does. */
  readonly rest: string;
};

/** A character of two units, composed of two. Longer than this begins with no slug. */
const MAX_LENGTH: number = MAX_SLUG_LENGTH * 4;

/** `null`: no link does. A slash that is percent-encoded divides nothing. */
export function findForwarding(
  path: string,
  { forwards, ignoresCase }: Pick<DomainRecord, "forwards" | "ignoresCase">,
): Forwarding | null {
  if (forwards === undefined) {
    return null;
  }
  let found: Forwarding | null = null;
  let slug = "";
  for (let start = 1; start <= path.length;) {
    const slash = path.indexOf("/", start);
    const end = slash === -1 ? path.length : slash;
    const part = end - start > MAX_LENGTH * 3 ? null : percentDecode(path.slice(start, end));
    if (part === null || slug.length + part.length > MAX_LENGTH) {
      break;
    }
    const named = ignoresCase ? foldSlug(part) : part.normalize("NFC");
    slug = start === 1 ? named : `${slug}/${named}`;
    if (forwards.includes(slug)) {
      found = { slug: slug + FORWARDING_END, rest: path.slice(end + 1) };
    }
    start = end + 1;
  }
  return found;
}

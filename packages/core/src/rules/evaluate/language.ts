/**
 * Languages of a visitor and of a rule. A rule's language is a BCP-47 prefix (basic filtering of RFC 4647, section
 * 3.3.1): `en` matches `en-GB`, `zh-Hant` matches `zh-Hant-TW` and not `zh-Hans`.
 *
 * Only the visitor's most preferred language counts. Nearly every Accept-Language ends in `en;q=0.5` or so: were the whole
 * list to match, an English rule standing first would match almost every visitor, and the order of the rules would
 * overrule the visitor's.
 */

/** A header longer than this is no browser's; what stands after it is not read. */
const MAX_HEADER_LENGTH = 512;

/** The language with the highest quality, the first of equals, in lower case; `en_US` is read as `en-us`. `null` when none is named. */
export function preferredLanguage(acceptLanguage: string | null): string | null {
  if (acceptLanguage === null) {
    return null;
  }
  let best: string | null = null;
  let bestQuality = 0;
  for (const entry of acceptLanguage.slice(0, MAX_HEADER_LENGTH).split(",")) {
    // Nothing is preferred to 1, and browsers give it to the first: reading on was a fifth of ten rules' time.
    if (bestQuality === 1) {
      break;
    }
    const semicolon = entry.indexOf(";");
    const tag = (semicolon === -1 ? entry : entry.slice(0, semicolon)).trim();
    const quality = semicolon === -1 ? 1 : readQuality(entry.slice(semicolon));
    if (quality > bestQuality && tag !== "" && tag !== "*") {
      best = tag.toLowerCase().replaceAll("_", "-");
      bestQuality = quality;
    }
  }
  return best;
}

/** True when `language` is `prefix` or continues it with a further subtag. Both in lower case. */
export function matchesLanguage(language: string, prefix: string): boolean {
  return (
    language.startsWith(prefix) && (language.length === prefix.length || language[prefix.length] === "-")
  );
}

/** RFC 9110, section 12.4.2. 0, "not acceptable", for a quality that cannot be read too, as in the consumer's statistics. */
function readQuality(parameters: string): number {
  const match = /^;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$/i.exec(parameters);
  return match === null ? 0 : Number(match[1]);
}

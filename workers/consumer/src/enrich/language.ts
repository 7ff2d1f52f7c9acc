/**
 * The language a visitor prefers, from Accept-Language (RFC 9110 12.5.4), as language[-Script][-REGION] (RFC 5646).
 * Variants and extensions are dropped: they split one audience into many, and help to identify a person.
 */

const MAX_HEADER_CHARS = 512;
const TAG = /^([a-z]{2,3})(?:-[a-z]{3})?(?:-([a-z]{4}))?(?:-([a-z]{2}|\d{3}))?(?:-[a-z0-9-]+)?$/i;
const QUALITY = /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;

/**
 * The tag with the highest quality, or the first of equals, in canonical case ("zh-Hant-TW"). "en_US" counts as "en-US".
 * `null` if there is none, for "*" and for nonsense. Malformed entries are skipped. Never throws.
 */
export function preferredLanguage(acceptLanguage: string | null): string | null {
  if (acceptLanguage === null) {
    return null;
  }
  let best: string | null = null;
  let bestQuality = 0;
  for (const entry of acceptLanguage.slice(0, MAX_HEADER_CHARS).split(",")) {
    const [tag = "", ...parameters] = entry.split(";");
    const quality = qualityOf(parameters);
    const language = quality > bestQuality ? canonicalTag(tag.trim()) : null;
    if (language !== null) {
      best = language;
      bestQuality = quality;
    }
  }
  return best;
}

/** 0 to 1. A malformed quality is 0, "not acceptable". */
function qualityOf(parameters: readonly string[]): number {
  const [parameter] = parameters;
  if (parameter === undefined) {
    return 1;
  }
  const text = parameter.replaceAll(" ", "");
  return parameters.length === 1 && QUALITY.test(text) ? Number(text.slice(2)) : 0;
}

function canonicalTag(tag: string): string | null {
  const match = TAG.exec(tag.replaceAll("_", "-"));
  if (match === null) {
    return null;
  }
  const [, language = "", script, region] = match;
  const parts = [language.toLowerCase()];
  if (script !== undefined) {
    parts.push(script.charAt(0).toUpperCase() + script.slice(1).toLowerCase());
  }
  if (region !== undefined) {
    parts.push(region.toUpperCase());
  }
  return parts.join("-");
}

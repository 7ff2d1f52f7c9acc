/** Whether a client would rather read JSON than HTML, by its Accept header (RFC 9110, 12.5.1). */

type Preference = { readonly quality: number; readonly specificity: number };

const NOT_NAMED: Preference = { quality: 0, specificity: -1 };

/**
 * By quality; at equal quality by the more specific range (`application/json` beats what is only meant by `*`), and
 * HTML where neither says more. No header, or one that accepts neither, is HTML.
 */
export function prefersJson(accept: string | null): boolean {
  if (accept === null || !/application\//i.test(accept)) {
    return false;
  }
  const ranges = accept.toLowerCase().split(",");
  const json = preferenceFor(ranges, "application", "json");
  const html = preferenceFor(ranges, "text", "html");
  return json.quality === html.quality
    ? json.quality > 0 && json.specificity > html.specificity
    : json.quality > html.quality;
}

/** The most specific range that covers a media type decides about it. */
function preferenceFor(ranges: readonly string[], type: string, subtype: string): Preference {
  let preference = NOT_NAMED;
  for (const range of ranges) {
    const semicolon = range.indexOf(";");
    const name = (semicolon === -1 ? range : range.slice(0, semicolon)).trim();
    const specificity =
      name === `${type}/${subtype}` ? 2 : name === `${type}/*` ? 1 : name === "*/*" ? 0 : -1;
    if (specificity > preference.specificity) {
      preference = { quality: semicolon === -1 ? 1 : readQuality(range), specificity };
    }
  }
  return preference;
}

/** 0 to 1; 1 when none is given. A quality that is no number counts as none. */
function readQuality(range: string): number {
  const quality = /;\s*q=(\d(?:\.\d{0,3})?)\s*(?:;|$)/.exec(range)?.[1];
  return quality === undefined ? 1 : Math.min(1, Number(quality));
}

/** Whether a client would rather read JSON than HTML, by the qualities in its Accept header (RFC 9110, 12.5.1). */

const JSON_RANGE = rangeOf("application", "json");
const HTML_RANGE = rangeOf("text", "html");

function rangeOf(type: string, subtype: string): RegExp {
  return new RegExp(`(?<=^|,)\\s*${type}/(?:${subtype}|\\*)(?=\\s*(?:[;,]|$))[^,]*`, "i");
}

/** HTML where neither is preferred: without a header, or for one that only says that anything goes. */
export function prefersJson(accept: string | null): boolean {
  return accept !== null && qualityIn(accept, JSON_RANGE) > qualityIn(accept, HTML_RANGE);
}

/** 0 to 1; 1 where the range gives none. */
function qualityIn(accept: string, range: RegExp): number {
  const named = range.exec(accept)?.[0];
  return named === undefined ? 0 : Number(/;\s*q=([\d.]+)/i.exec(named)?.[1] ?? 1);
}

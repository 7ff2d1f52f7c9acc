/**
 * Query strings as they stand in a URL. Names and values are decoded only to be compared; the text itself is never
 * rebuilt, so that nothing is encoded twice and `+` and `%20` stay what the sender wrote.
 */

/** One `name=value` piece. `raw` is the text as it stood; `name` is decoded. */
export type RawParameter = { readonly raw: string; readonly name: string };

/** A parameter as an HTML form means it: both sides decoded. */
export type QueryParameter = { readonly name: string; readonly value: string };

/** Cuts a query (without its `?`) into its pieces, in order; empty pieces (`a&&b`) are left out. */
export function splitQuery(query: string): readonly RawParameter[] {
  const parameters: RawParameter[] = [];
  for (const raw of query === "" ? [] : query.split("&")) {
    if (raw !== "") {
      parameters.push({ raw, name: nameOf(raw) });
    }
  }
  return parameters;
}

/** Reads a query (without its `?`) into decoded names and values; a piece without `=` has the value "". */
export function readQuery(query: string): readonly QueryParameter[] {
  return splitQuery(query).map(({ raw, name }) => ({ name, value: valueOf(raw) }));
}

/** The decoded value of one raw piece; "" when it has none. */
export function valueOf(raw: string): string {
  const equals = raw.indexOf("=");
  return equals === -1 ? "" : decodeFormText(raw.slice(equals + 1));
}

function nameOf(raw: string): string {
  const equals = raw.indexOf("=");
  return decodeFormText(equals === -1 ? raw : raw.slice(0, equals));
}

/** Decodes `+` and percent escapes. Total: an escape that is malformed or no UTF-8 stays as it was written. */
function decodeFormText(text: string): string {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  return spaced.includes("%") ? spaced.replace(/(?:%[0-9a-f]{2})+/gi, decodeEscapes) : spaced;
}

function decodeEscapes(escapes: string): string {
  try {
    return decodeURIComponent(escapes);
  } catch {
    return escapes;
  }
}

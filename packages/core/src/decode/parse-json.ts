/** JSON as a value; `undefined`, which no JSON text means, where the text is none. For decoders, which may not throw. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

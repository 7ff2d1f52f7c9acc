/**
 * Turns a text cell into the JSON value that Neon sends when raw text was not asked for.
 *
 * Booleans, small integers, finite floats and JSON become themselves, arrays become arrays of those, and everything
 * else (bigint and numeric included: JSON numbers would lose digits) stays text. Type numbers: pg_type.dat.
 */

const BOOL = 16;
const JSON_TYPES = new Set([114, 3802]);
/** int2, int4, float4, float8. */
const NUMBERS = new Set([21, 23, 700, 701]);

/** Array type to element type, for the types people store in arrays. */
const ELEMENT_OF: ReadonlyMap<number, number> = new Map([
  [1000, 16],
  [1001, 17],
  [1005, 21],
  [1007, 23],
  [1009, 25],
  [1015, 1043],
  [1016, 20],
  [1021, 700],
  [1022, 701],
  [1115, 1114],
  [1182, 1082],
  [1185, 1184],
  [1231, 1700],
  [199, 114],
  [2951, 2950],
  [3807, 3802],
]);

export function textToJson(text: string, typeId: number): unknown {
  const element = ELEMENT_OF.get(typeId);
  if (element !== undefined) {
    return parseArray(text, element);
  }
  if (typeId === BOOL) {
    return text === "t";
  }
  if (NUMBERS.has(typeId)) {
    const number = Number(text);
    return Number.isFinite(number) ? number : text;
  }
  return JSON_TYPES.has(typeId) ? JSON.parse(text) : text;
}

/** A token of an array literal: bracket or comma, quoted text, or bare text. */
const TOKEN = /([{},])|"((?:[^"\\]|\\.)*)"|([^{},"]+)/gs;

function parseArray(text: string, element: number): unknown {
  // `[2:3]={a,b}` carries its bounds in front; JSON has no place for them.
  const literal = text.startsWith("[") ? text.slice(text.indexOf("=") + 1) : text;
  const root: unknown[] = [];
  const open: unknown[][] = [root];
  for (const [, mark, quoted, bare] of literal.matchAll(TOKEN)) {
    const innermost = open.at(-1) ?? root;
    if (mark === "{") {
      const nested: unknown[] = [];
      innermost.push(nested);
      open.push(nested);
    } else if (mark === "}") {
      open.pop();
    } else if (quoted !== undefined) {
      innermost.push(textToJson(quoted.replace(/\\(.)/gs, "$1"), element));
    } else if (bare !== undefined) {
      innermost.push(bare === "NULL" ? null : textToJson(bare, element));
    }
  }
  return root[0];
}

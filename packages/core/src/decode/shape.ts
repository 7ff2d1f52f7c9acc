/**
 * Shapes of values that came as JSON, for total decoders: what a value must be, written down as data. Nothing is copied and
 * no exception is thrown.
 */

/** `null`: the value has the shape. Otherwise where it does not, `[2].when.os` for example; "" for the value itself. */
export type Shape = (value: unknown) => string | null;
export type Fields = { readonly [field: string]: Shape };

export const anyText: Shape = shapeOf((value) => typeof value === "string");
export const text: Shape = shapeOf((value) => typeof value === "string" && value !== "");
export const integer: Shape = shapeOf(Number.isSafeInteger);
export const count: Shape = integerFrom(0);
export const positive: Shape = integerFrom(1);

export function shapeOf(holds: (value: unknown) => boolean): Shape {
  return (value) => (holds(value) ? null : "");
}

function integerFrom(least: number): Shape {
  return shapeOf((value) => Number.isSafeInteger(value) && Number(value) >= least);
}

export function oneOf(...values: readonly unknown[]): Shape {
  return shapeOf((value) => values.includes(value));
}

/** An array that is not empty. */
export function listOf(item: Shape, maxItems: number = Infinity): Shape {
  return (value) => {
    if (!Array.isArray(value) || value.length === 0 || value.length > maxItems) {
      return "";
    }
    const faults: readonly (string | null)[] = value.map(item);
    const index = faults.findIndex((fault) => fault !== null);
    return index === -1 ? null : `[${index}]${faults[index]}`;
  };
}

/**
 * An object with all the `needed` fields and any of the `optional` ones.
 *
 * @param isIgnored whether another field may be there. By default none may: it could be a condition or a limit.
 */
export function objectOf(
  needed: Fields,
  optional: Fields = {},
  isIgnored: (field: string) => boolean = () => false,
): Shape {
  const shapes: ReadonlyMap<string, Shape> = new Map(Object.entries({ ...needed, ...optional }));
  const neededFields = Object.keys(needed);
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return "";
    }
    for (const [field, item] of Object.entries(value)) {
      const shape = shapes.get(field);
      const fault = shape === undefined ? (isIgnored(field) ? null : "") : shape(item);
      if (fault !== null) {
        return `.${field}${fault}`;
      }
    }
    const absent = neededFields.find((field) => !Object.hasOwn(value, field));
    return absent === undefined ? null : `.${absent}`;
  };
}

/** The name of the first field that is not as it should be; `(whole)` where there are no fields. */
export function fieldOf(fault: string): string {
  return fault === "" ? "(whole)" : fault.slice(1);
}

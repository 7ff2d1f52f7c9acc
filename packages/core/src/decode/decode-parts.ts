/**
 * The small total readers from which decode-rules.ts is made. Each takes an unknown value and its path; where the value is
 * not what it should be, the reader notes the path and returns a stand-in, and the whole is thrown away at the end. No
 * exceptions, and no path is put together for a field that is absent.
 */

/** Paths of what was not as it should be, in the order in which they were met. */
export type Faults = string[];
export type Read<Value> = (value: unknown, path: string, faults: Faults) => Value;

type Fields = { readonly [field: string]: unknown };

const NO_FIELDS: Fields = Object.freeze({});

/** Makes a reader for an object; where `known` fields are named, any other one is a fault. */
export function fieldsOf(known?: ReadonlySet<string>): Read<Fields> {
  return (value, path, faults) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      faults.push(path);
      return NO_FIELDS;
    }
    for (const field of known === undefined ? [] : Object.keys(value)) {
      if (known?.has(field) === false) {
        faults.push(`${path}.${field}`);
      }
    }
    return value as Fields;
  };
}

export type ListReading<Item> = {
  readonly read: Read<Item>;
  readonly faults: Faults;
  readonly maxItems?: number;
};

/** The items of an array that must not be empty. */
export function readList<Item>(value: unknown, path: string, reading: ListReading<Item>): readonly Item[] {
  const { read, faults, maxItems = Infinity } = reading;
  if (!Array.isArray(value) || value.length === 0 || value.length > maxItems) {
    faults.push(path);
    return [];
  }
  return value.map((item: unknown, index) => read(item, `${path}[${index}]`, faults));
}

/** A text that says something. */
export function readText(value: unknown, path: string, faults: Faults): string {
  if (typeof value === "string" && value !== "") {
    return value;
  }
  faults.push(path);
  return "";
}

/** Any text, the empty one included. */
export function readAnyText(value: unknown, path: string, faults: Faults): string {
  if (typeof value === "string") {
    return value;
  }
  faults.push(path);
  return "";
}

/** A safe integer of either sign. */
export function readInteger(value: unknown, path: string, faults: Faults): number {
  if (typeof value === "number" && Number.isSafeInteger(value)) {
    return value;
  }
  faults.push(path);
  return 0;
}

/** Makes a reader for the names of one list. */
export function nameIn<Name extends string>(names: readonly [Name, ...Name[]]): Read<Name> {
  return (value, path, faults) => {
    const name = names.find((known) => known === value);
    if (name === undefined) {
      faults.push(path);
    }
    return name ?? names[0];
  };
}

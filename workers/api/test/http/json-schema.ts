/** As much of JSON Schema as our document uses: values that a schema allows, and what is wrong with a value. */
import fc from "fast-check";

export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly maxLength?: number;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly example?: unknown;
};
type Schemas = { readonly [name: string]: Schema };

/** Mostly values that the schema allows; texts that only a format would tell from good ones are among them. */
export function valuesOf(schema: Schema, schemas: Schemas): fc.Arbitrary<unknown> {
  const known = resolve(schema, schemas);
  const choices = known.anyOf ?? known.oneOf;
  if (choices !== undefined) {
    return fc.oneof(...choices.map((choice) => valuesOf(choice, schemas)));
  }
  if (known.allOf !== undefined) {
    const parts = known.allOf.map((part) => valuesOf(part, schemas));
    return fc.tuple(...parts).map((values) => Object.assign({}, ...values) as unknown);
  }
  if (known.enum !== undefined || known.const !== undefined) {
    return fc.constantFrom(...(known.enum ?? [known.const]));
  }
  const types = Array.isArray(known.type) ? known.type : [known.type];
  return fc.oneof(...types.map((type: unknown) => valuesOfType(String(type), known, schemas)));
}

function valuesOfType(type: string, schema: Schema, schemas: Schemas): fc.Arbitrary<unknown> {
  switch (type) {
    case "string":
      return textsOf(schema);
    case "integer":
    case "number":
      return fc.integer({ min: (schema.minimum ?? 0) - 1, max: (schema.maximum ?? 1_000) + 1 });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(valuesOf(schema.items ?? {}, schemas), {
        minLength: Math.min(schema.minItems ?? 0, 3),
        maxLength: Math.min(schema.maxItems ?? 3, 3),
      });
    case "object": {
      const properties = Object.entries(schema.properties ?? {});
      const record = Object.fromEntries(properties.map(([name, one]) => [name, valuesOf(one, schemas)]));
      return fc.record(record, { requiredKeys: [...(schema.required ?? [])] });
    }
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function textsOf(schema: Schema): fc.Arbitrary<string> {
  const example =
    typeof schema.example === "string" ? [{ weight: 6, arbitrary: fc.constant(schema.example) }] : [];
  if (schema.format === "uri") {
    return fc.oneof(
      { weight: 3, arbitrary: fc.webUrl({ withQueryParameters: true, withFragments: true }) },
      ...example,
    );
  }
  if (schema.format === "date-time") {
    return fc
      .date({
        min: new Date("0001-01-01T00:00:00Z"),
        max: new Date("9999-12-31T00:00:00Z"),
        noInvalidDate: true,
      })
      .map((date) => date.toISOString());
  }
  return fc.oneof(
    { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 20 }) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: (schema.maxLength ?? 20) + 1 }) },
    ...example,
  );
}

/** What is wrong with a value, by path; nothing when it has the schema's form. Formats are not looked at. */
export function conformsTo(value: unknown, schema: Schema, schemas: Schemas, path = "$"): readonly string[] {
  const known = resolve(schema, schemas);
  const choices = known.anyOf ?? known.oneOf;
  if (choices !== undefined) {
    return choices.some((choice) => conformsTo(value, choice, schemas, path).length === 0)
      ? []
      : [`${path} is none of the choices`];
  }
  const types = known.type === undefined ? [] : [known.type].flat();
  const actual = typeOf(value);
  if (types.length > 0 && !types.includes(actual) && !(actual === "integer" && types.includes("number"))) {
    return [`${path} is ${actual}, not ${types.join(" or ")}`];
  }
  if (known.enum !== undefined && !known.enum.includes(value)) {
    return [`${path} is not in its enum`];
  }
  if (Array.isArray(value)) {
    return value.flatMap((one, index) => conformsTo(one, known.items ?? {}, schemas, `${path}[${index}]`));
  }
  return actual === "object" ? objectFaults(value as object, known, schemas, path) : [];
}

function objectFaults(value: object, schema: Schema, schemas: Schemas, path: string): readonly string[] {
  const entries = Object.entries(value);
  const names = entries.map(([name]) => name);
  const missing = (schema.required ?? []).filter((name) => !names.includes(name));
  const unknown =
    schema.properties === undefined ? [] : names.filter((name) => !(name in (schema.properties ?? {})));
  return [
    ...missing.map((name) => `${path}.${name} is missing`),
    ...unknown.map((name) => `${path}.${name} is not documented`),
    ...entries.flatMap(([name, one]) =>
      conformsTo(one, schema.properties?.[name] ?? {}, schemas, `${path}.${name}`),
    ),
  ];
}

function typeOf(value: unknown): string {
  if (value === null) {
    return "null";
  }
  if (Array.isArray(value)) {
    return "array";
  }
  return Number.isInteger(value) ? "integer" : typeof value;
}

function resolve(schema: Schema, schemas: Schemas): Schema {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : (schemas[name] ?? {});
}

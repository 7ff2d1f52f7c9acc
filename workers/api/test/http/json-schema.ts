/** JSON Schema in tests: values that a schema of our document allows, and what is wrong with a value. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
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
  readonly not?: Schema;
  /** Of the JSON in a text. */
  readonly contentSchema?: Schema;
};
type Schemas = { readonly [name: string]: Schema };

/** Mostly values that the schema allows, and some that only a check of formats would refuse. */
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

/** Checks values against schemas by ajv. An object may have only documented properties; formats are not checked. */
export function createChecker(components: { readonly schemas: Schemas }) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } });
  // One by one: ajv compiles what has a name of its own once, and a part of a larger schema again for each use.
  for (const [name, schema] of Object.entries(components.schemas)) {
    ajv.addSchema(Object(close(schema, true)), name);
  }
  const compiled = new Map<Schema, ValidateFunction>();
  /** What is wrong with a value; empty if nothing is. */
  return (value: unknown, schema: Schema): readonly string[] => {
    const validate = compiled.get(schema) ?? ajv.compile(Object(close(schema)));
    compiled.set(schema, validate);
    validate(value);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}

/** Refuses undocumented properties wherever a schema is used: not in its definition, which may be a part of others. */
function close(part: unknown, isOpen = false): unknown {
  if (typeof part !== "object" || part === null) {
    return part;
  }
  if (Array.isArray(part)) {
    return part.map((one) => close(one, isOpen));
  }
  const fields = Object.entries(part).map(([name, value]: [string, unknown]) => [
    name,
    name === "$ref" ? nameOf(String(value)) : close(value, name === "allOf"),
  ]);
  const isObject = "$ref" in part || "properties" in part || "allOf" in part;
  return { ...Object.fromEntries(fields), ...(isObject && !isOpen ? { unevaluatedProperties: false } : {}) };
}

function resolve({ $ref, ...schema }: Schema, schemas: Schemas): Schema {
  return $ref === undefined ? schema : (schemas[nameOf($ref)] ?? {});
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

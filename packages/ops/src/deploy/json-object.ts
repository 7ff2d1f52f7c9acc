/** Reads loosely typed JSON: what is missing or of another type is empty, so that a reader decides what that means. */
import { parse, type ParseError } from "jsonc-parser";

import { Failure } from "@hopline/testkit/console/failure";

export type JsonObject = { readonly [key: string]: unknown };

/** The object a JSON-with-comments file holds; a `Failure` that names `path` when it holds none. */
export function parseJsonObject(text: string, path: string): JsonObject {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split("\n").length;
    throw new Failure(`${path} line ${line} is not JSON.`);
  }
  if (!isJsonObject(value)) {
    throw new Failure(`${path} does not hold an object.`);
  }
  return value;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value itself, or an empty object where it is none. */
export function toJsonObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The object under `key`, empty where there is none. */
export function objectAt(object: JsonObject, key: string): JsonObject {
  return toJsonObject(object[key]);
}

/** The objects of the list under `key`. */
export function objectsAt(object: JsonObject, key: string): readonly JsonObject[] {
  const value = object[key];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The text under `key`, or null. */
export function textAt(object: JsonObject, key: string): string | null {
  const value = object[key];
  return typeof value === "string" ? value : null;
}

/** The texts of the list under `key`. */
export function textsAt(object: JsonObject, key: string): readonly string[] {
  const value = object[key];
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
}

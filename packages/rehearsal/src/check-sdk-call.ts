/** Compares a call of our SDK with what Cloudflare publishes of the operation; says what is wrong with it. */
import { Ajv } from "ajv";

import { OPERATIONS } from "./sdk-operations.ts";

const ajv = new Ajv();
const operations = new Map(
  OPERATIONS.map(({ kind, query = [], body }) => [
    kind,
    { query, hasExpected: body === undefined ? null : ajv.compile(body) },
  ]),
);

/** Null where the call is as described. `json`: its body, where it is JSON. */
export function checkSdkCall(kind: string, query: URLSearchParams, json: unknown): string | null {
  const operation = operations.get(kind);
  if (operation === undefined) {
    return `${kind} is not among the operations of sdk-operations.ts`;
  }
  const [unknown] = [...query.keys()].filter((name) => !operation.query.includes(name));
  if (unknown !== undefined) {
    return `${kind} has no query parameter ${unknown}`;
  }
  const { hasExpected } = operation;
  return hasExpected === null || hasExpected(json) ? null : `${kind}: ${ajv.errorsText(hasExpected.errors)}`;
}

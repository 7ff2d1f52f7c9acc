/**
 * The operations as the API's own document lists them, and requests made from their examples: what holds for every
 * route is tested on this list, so that no route can be forgotten.
 */
import type { Stage } from "../stage.ts";

export type DocumentedOperation = {
  readonly name: string;
  readonly method: string;
  /** With `{parameters}`. */
  readonly path: string;
  /** The scope of the API key it asks for; `null` where no key is needed, or something else is. */
  readonly scope: string | null;
  /** Body of a request that is accepted, with its type; `null` where there is none. */
  readonly body: { readonly type: string; readonly text: string } | null;
  readonly maxBodyBytes: number;
  /** `query cursor`: place and name. */
  readonly parameters: readonly string[];
  /** Of a 200 answer in JSON. */
  readonly answerFields: readonly string[];
  readonly statuses: readonly string[];
};

type Json = { readonly [name: string]: unknown };

/** No request is larger unless the document says so. */
const MAX_BODY_BYTES = 1_000_000;

export async function listDocumentedOperations(stage: Stage): Promise<readonly DocumentedOperation[]> {
  const document = (await (await stage.app.request("/api/openapi.json")).json()) as {
    paths: Json;
    components: { schemas: Json };
  };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Json).map(([method, operation]) =>
      toOperation(`${method.toUpperCase()} ${path}`, operation as Json, document.components.schemas),
    ),
  );
}

function toOperation(name: string, operation: Json, schemas: Json): DocumentedOperation {
  const [method = "", path = ""] = name.split(" ", 2);
  const security = operation["security"] as readonly { readonly apiKey?: readonly string[] }[] | undefined;
  const content = (operation["requestBody"] as { content?: Json } | undefined)?.content;
  const [type, media] = Object.entries(content ?? {})[0] ?? [];
  const example = (media as Json | undefined)?.["example"];
  return {
    name,
    method,
    path,
    scope: security?.[0]?.apiKey?.[0] ?? null,
    body:
      type === undefined
        ? null
        : { type, text: typeof example === "string" ? example : JSON.stringify(example) },
    maxBodyBytes: Number(operation["x-max-body-bytes"] ?? MAX_BODY_BYTES),
    parameters: ((operation["parameters"] ?? []) as readonly { in: string; name: string }[]).map(
      (parameter) => `${parameter.in} ${parameter.name}`,
    ),
    answerFields: listAnswerFields(operation["responses"] as Json, schemas),
    statuses: Object.keys(operation["responses"] as Json),
  };
}

function listAnswerFields(responses: Json, schemas: Json): readonly string[] {
  const ok = responses["200"] as { content?: { [type: string]: { schema?: Json } } } | undefined;
  const schema = ok?.content?.["application/json"]?.schema ?? {};
  const name =
    String(schema["$ref"] ?? "")
      .split("/")
      .at(-1) ?? "";
  const named = (schemas[name] as Json | undefined) ?? schema;
  return Object.keys((named["properties"] ?? {}) as Json);
}

/** What an operation does not answer without. */
const QUERIES: { readonly [name: string]: string } = {
  "GET /api/v1/analytics/breakdown": "?dimension=country",
  "GET /api/v1/analytics/values": "?dimension=country",
};

/** The request's path with an object of `ids` in the place of each parameter. */
export function pathOf(
  operation: DocumentedOperation,
  ids: { readonly [parameter: string]: string },
): string {
  const path = operation.path.replaceAll(/\{(.+?)\}/g, (_whole, parameter: string) => {
    const id = ids[parameter];
    if (id === undefined) {
      throw new Error(`Say in objectsOf() how the tests make a ${parameter}.`);
    }
    return id;
  });
  return path + (QUERIES[operation.name] ?? "");
}

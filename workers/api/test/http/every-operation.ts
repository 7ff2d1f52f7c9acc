/**
 * The operations that the API's own document lists, and requests from their examples. What holds for every route is tested on
 * this list, so that no route is forgotten.
 */
import type { ApiApp } from "../../src/app.ts";
import { APP_ORIGIN } from "../people/people-stage.ts";
import { aPng } from "../qr/a-png.ts";
import type { Stage } from "../stage.ts";

export type DocumentedOperation = {
  readonly name: string;
  readonly method: string;
  /** With `{parameters}`. */
  readonly path: string;
  /** The scope that its API key needs; `null` if it needs none, or something other than a key. */
  readonly scope: string | null;
  /** Whether a session may call it. */
  readonly isForPeople: boolean;
  /** The roles that may call it; none where every person may. */
  readonly roles: readonly string[];
  /** Whether a person's sign-in has to be fresh. */
  readonly isFresh: boolean;
  /** A body that is accepted, with its type; `null` if it has none. */
  readonly body: { readonly type: string; readonly text: string | Uint8Array<ArrayBuffer> } | null;
  /** The fields of its JSON body. */
  readonly bodyFields: readonly string[];
  readonly maxBodyBytes: number;
  /** `query cursor`: place and name. */
  readonly parameters: readonly string[];
  /** Names of those in the query that take one value. */
  readonly singles: readonly string[];
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
  const security = (operation["security"] ?? []) as readonly {
    readonly [scheme: string]: readonly string[];
  }[];
  const content = (operation["requestBody"] as { content?: Json } | undefined)?.content;
  const [type, media] = Object.entries(content ?? {})[0] ?? [];
  const example = (media as Json | undefined)?.["example"];
  const parameters = (operation["parameters"] ?? []) as readonly { in: string; name: string; schema: Json }[];
  return {
    name,
    method,
    path,
    scope: security[0]?.["apiKey"]?.[0] ?? null,
    isForPeople: security.some((scheme) => "session" in scheme),
    roles: (operation["x-roles"] ?? []) as readonly string[],
    isFresh: operation["x-fresh-sign-in"] === true,
    body:
      type === undefined
        ? null
        : { type, text: PICTURES[type] ?? (typeof example === "string" ? example : JSON.stringify(example)) },
    bodyFields: listFields((media as Json | undefined)?.["schema"] as Json | undefined, schemas),
    maxBodyBytes: Number(operation["x-max-body-bytes"] ?? MAX_BODY_BYTES),
    parameters: parameters.map((parameter) => `${parameter.in} ${parameter.name}`),
    singles: parameters
      .filter(({ in: place, schema }) => place === "query" && schema["type"] !== "array")
      .map((parameter) => parameter.name),
    answerFields: listAnswerFields(operation["responses"] as Json, schemas),
    statuses: Object.keys(operation["responses"] as Json),
  };
}

function listAnswerFields(responses: Json, schemas: Json): readonly string[] {
  const ok = responses["200"] as { content?: { [type: string]: { schema?: Json } } } | undefined;
  return listFields(ok?.content?.["application/json"]?.schema, schemas);
}

function listFields(schema: Json = {}, schemas: Json): readonly string[] {
  const name = String(schema["$ref"] ?? "").replace("#/components/schemas/", "");
  return Object.keys(((schemas[name] as Json | undefined) ?? schema)["properties"] ?? {});
}

/** Bodies that are no text, which a document can't show. */
const PICTURES: { readonly [type: string]: Uint8Array<ArrayBuffer> } = { "image/png": aPng(2, 2) };

/** Required queries. */
const QUERIES: { readonly [name: string]: string } = {
  "GET /api/v1/analytics/breakdown": "?dimension=country",
  "GET /api/v1/analytics/lines": "?dimension=country",
  "GET /api/v1/analytics/values": "?dimension=country",
  "GET /api/v1/links/available": "?slug=spring",
};

/** Ids by the name of the path's parameter. */
export type Ids = { readonly [parameter: string]: string };

/** The request's path with ids in place of its parameters. */
export function pathOf(operation: DocumentedOperation, ids: Ids): string {
  const path = operation.path.replaceAll(/\{(.+?)\}/g, (_whole, parameter: string) => {
    const id = parameter === "version" ? (ids[parameter] ?? "1") : ids[parameter];
    if (id === undefined) {
      throw new Error(`Say in addObjects() of stage.ts how tests create a ${parameter}.`);
    }
    return id;
  });
  return path + (QUERIES[operation.name] ?? "");
}

export type Variation = {
  readonly app: Pick<ApiApp, "request">;
  readonly ids: Ids;
  /** `null`: no Authorization header. */
  readonly key: string | null;
  /** The cookie of a session, from the application's own pages: sent in place of a key where only people may call. */
  readonly person?: string | null;
  /** Appended to the path's own. */
  readonly query?: string;
  /** Replaces the example: an object as JSON, or text. */
  readonly body?: unknown;
  readonly text?: string;
  readonly type?: string;
  readonly headers?: { readonly [name: string]: string };
};

function toCredentials({ scope, isForPeople, path }: DocumentedOperation, { key, person }: Variation) {
  if (path.startsWith("/api/auth/")) {
    return { origin: APP_ORIGIN };
  }
  if (key !== null && scope === null && isForPeople && typeof person === "string") {
    return { cookie: person, origin: APP_ORIGIN };
  }
  return key === null ? {} : { authorization: `Bearer ${key}` };
}

/** Sends an operation's example with what the variation changes. */
export async function sendOperation(operation: DocumentedOperation, variation: Variation): Promise<Response> {
  const { app, ids, query, headers } = variation;
  const path = pathOf(operation, ids);
  const shown = operation.body?.text;
  // A link that is there.
  const example =
    typeof shown === "string"
      ? shown.replace(/(?<="from":\s*")lnk_\w+/, ids["linkId"]?.slice(0, 100) ?? "$&")
      : shown;
  const text = variation.body === undefined ? (variation.text ?? example) : JSON.stringify(variation.body);
  return app.request(query === undefined ? path : `${path}${path.includes("?") ? "&" : "?"}${query}`, {
    method: operation.method,
    headers: {
      ...toCredentials(operation, variation),
      ...(operation.body === null ? {} : { "content-type": variation.type ?? operation.body.type }),
      ...headers,
    },
    ...(operation.body === null || text === undefined ? {} : { body: text }),
  });
}

/**
 * Holds every test to the API's document: a request fails where its answer has a status, a type or a body that the document
 * does not give its operation, a problem has a code that is not listed for it, or a body is accepted that the document
 * refuses.
 */
import type { ApiApp } from "../../src/app.ts";
import { createChecker, type Schema } from "./json-schema.ts";

type Media = { readonly schema?: Schema; readonly examples?: object };
type Content = { readonly [type: string]: Media };
type Operation = {
  readonly requestBody?: { readonly content: Content };
  readonly responses: { readonly [status: string]: { readonly content?: Content } };
};
export type Document = {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  readonly components: { readonly schemas: { readonly [name: string]: Schema } };
};

/** By name: `GET /api/v1/links/{linkId}`. */
type Operations = ReadonlyMap<string, Operation>;

/** The codes of each operation. */
export function listDocumentedCodes(document: Document): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(Array.from(listOperations(document), ([name, one]) => [name, codesOf(one)]));
}

function listOperations({ paths }: Document): Operations {
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => [`${method.toUpperCase()} ${path}`, one] as const),
    ),
  );
}

function codesOf({ responses }: Operation): ReadonlySet<string> {
  return new Set(
    Object.values(responses).flatMap(({ content }) =>
      Object.keys(content?.["application/problem+json"]?.examples ?? {}),
    ),
  );
}

/** The same application; its `request` rejects where the document is not kept. */
export function holdToDocument(app: ApiApp): ApiApp {
  const request = app.request;
  app.request = async (input, init, ...rest) => {
    const sent = input instanceof Request ? input.clone() : null;
    const response = await request(input, init, ...rest);
    rules ??= Promise.resolve(request("/api/openapi.json"))
      .then((answer) => answer.json())
      .then((document) => createRules(document as Document));
    const held = await rules;
    const url = sent?.url ?? String(new URL(String(input), "http://api"));
    const method = sent?.method ?? init?.method ?? "GET";
    const name = findOperation(held.operations, method === "HEAD" ? "GET" : method, url);
    const text = typeof init?.body === "string" ? init.body : ((await sent?.text()) ?? "");
    const faults = [
      ...(await held.faultsOfAnswer(name, response)),
      ...(response.ok && name !== null ? held.faultsOfRequest(name, text) : []),
    ];
    if (faults.length > 0) {
      throw new Error(`${name ?? url} answered ${response.status}: ${faults.join("; ")}`);
    }
    return response;
  };
  return app;
}

/** All stages have the same document; making it and compiling its schemas takes a while. */
let rules: Promise<ReturnType<typeof createRules>> | undefined;

/** What is wrong with an item is said in its result. */
const WITH_ITEMS = ["", "/update", "/delete", "/restore"].map((end) => `POST /api/v1/links/bulk${end}`);

const JSON_TYPES = new Set(["application/json", "application/problem+json"]);

function createRules(document: Document) {
  const operations = listOperations(document);
  const faultsOf = createChecker(document.components);
  const problem = document.components.schemas["Problem"] ?? {};

  /** What is documented for the answer's status and type; what is wrong with these. */
  const findMedia = (name: string | null, response: Response, type: string): Media | string => {
    const operation = name === null ? undefined : operations.get(name);
    // No operation of its own: a path that does not exist, a method that it does not have.
    if (operation === undefined || response.status === 405) {
      return type === "application/problem+json" ? { schema: problem } : {};
    }
    const documented = operation.responses[response.status];
    if (documented === undefined) {
      return "The status is not documented.";
    }
    return (documented.content ?? { "": {} })[type] ?? `The type "${type}" is not documented.`;
  };

  return {
    operations,
    async faultsOfAnswer(name: string | null, response: Response): Promise<readonly string[]> {
      const type = response.headers.get("content-type")?.split(";")[0] ?? "";
      const media = findMedia(name, response, type);
      if (typeof media === "string") {
        return [media];
      }
      // The answer to a HEAD has a type and no body.
      if (media.schema === undefined || response.body === null || !JSON_TYPES.has(type)) {
        return [];
      }
      const body = (await response.clone().json()) as { readonly code?: string; readonly requestId?: string };
      const faults = [...faultsOf(body, media.schema)];
      if (type === "application/problem+json") {
        if (media.examples !== undefined && !(String(body.code) in media.examples)) {
          faults.push(`The code ${body.code} is not documented.`);
        }
        if (body.requestId !== response.headers.get("x-request-id")) {
          faults.push("The body has another request id than the header.");
        }
      }
      return faults;
    },
    /** Of a body that was accepted. */
    faultsOfRequest(name: string, text: string): readonly string[] {
      if (WITH_ITEMS.includes(name)) {
        return [];
      }
      const schema = operations.get(name)?.requestBody?.content["application/json"]?.schema;
      return schema?.type === undefined && schema?.$ref === undefined
        ? []
        : faultsOf(JSON.parse(text), schema).map((fault) => `The body was accepted: ${fault}`);
    },
  };
}

/** `null` if there is no such operation. */
function findOperation(operations: Operations, method: string, url: string): string | null {
  const segments = new URL(url).pathname.split("/");
  const paths = Array.from(operations.keys(), (name) => name.slice(name.indexOf(" ") + 1)).filter((path) => {
    const its = path.split("/");
    return (
      its.length === segments.length &&
      its.every((segment, index) => segment.startsWith("{") || segment === segments[index])
    );
  });
  // `links/export` also matches `links/{linkId}`; the literal path is the one.
  const [path] = paths.toSorted((left, right) => left.split("{").length - right.split("{").length);
  return operations.has(`${method} ${path}`) ? `${method} ${path}` : null;
}

/**
 * Checks every answer in every test against the API's document: a problem whose code is not documented for its operation fails
 * the test that got it.
 */
import type { ApiApp } from "../../src/app.ts";

export type DocumentedCodes = ReadonlyMap<string, ReadonlySet<string>>;

type Document = {
  readonly paths: {
    readonly [path: string]: {
      readonly [method: string]: {
        readonly responses: {
          readonly [status: string]: {
            readonly content?: { readonly [type: string]: { readonly examples?: object } };
          };
        };
      };
    };
  };
};

/** The codes of each operation, by its name: `GET /api/v1/links/{linkId}`. */
export function listDocumentedCodes(document: Document): DocumentedCodes {
  return new Map(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => {
        const codes = Object.values(responses).flatMap(({ content }) =>
          Object.keys(content?.["application/problem+json"]?.examples ?? {}),
        );
        return [`${method.toUpperCase()} ${path}`, new Set(codes)] as const;
      }),
    ),
  );
}

/** The same application; its `request` rejects if an answer's code is not documented. */
export function holdToDocument(app: ApiApp): ApiApp {
  const request = app.request;
  let codes: Promise<DocumentedCodes> | undefined;
  app.request = async (input, init, ...rest) => {
    const response = await request(input, init, ...rest);
    // The answer to a HEAD has a type and no body.
    if (response.body !== null && response.headers.get("content-type") === "application/problem+json") {
      codes ??= Promise.resolve(request("/api/openapi.json"))
        .then((answer) => answer.json())
        .then((document) => listDocumentedCodes(document as Document));
      const { code } = (await response.clone().json()) as { readonly code: string };
      const asked =
        input instanceof Request ? input : new Request(new URL(String(input), "http://api"), init);
      const name = findOperation(await codes, asked);
      if (name !== null && !(await codes).get(name)?.has(code)) {
        throw new Error(`${name} answered ${code}, which is not documented.`);
      }
    }
    return response;
  };
  return app;
}

/** `null` if there is no such operation. */
function findOperation(codes: DocumentedCodes, { method, url }: Request): string | null {
  const segments = new URL(url).pathname.split("/");
  const paths = Array.from(codes.keys(), (name) => name.slice(name.indexOf(" ") + 1)).filter((path) => {
    const its = path.split("/");
    return (
      its.length === segments.length &&
      its.every((segment, index) => segment.startsWith("{") || segment === segments[index])
    );
  });
  // `links/export` also matches `links/{linkId}`; the literal path is the one.
  const [path] = paths.toSorted((left, right) => left.split("{").length - right.split("{").length);
  return codes.has(`${method} ${path}`) ? `${method} ${path}` : null;
}

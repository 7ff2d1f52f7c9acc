/** The parts of the OpenAPI document that are not operations, and its answer. */
import { hashTag } from "./entity-tag.ts";

export const OPENAPI_PATH = "/api/openapi.json";

export const OPENAPI_INFO = {
  openapi: "3.1.0",
  info: {
    title: "Hopline",
    version: "1",
    description:
      "Short links and their statistics. Send an API key with every request: `Authorization: Bearer hop_…`.\n\nErrors are `application/problem+json` (RFC 9457) with a `code` from a closed set; their `type` is the address of a page about the code (all: `/api/problems`), and their `requestId`, also in the `X-Request-Id` of every answer, is what to quote when you report one.\n\nLists are `{data, nextCursor}`. A parameter or field that an operation does not have is refused with `invalid`. A filter that is sent several times matches any of its values, of analytics `name.not` none of them, and different filters have to match together; any other parameter is sent once.\n\nA method that a path does not have is answered with 405 `method_not_allowed`, with or without a key; `Allow` lists the methods it has, and so does OPTIONS.",
    license: { name: "MIT", identifier: "MIT" },
  },
  servers: [{ url: "/" }],
};

export const API_KEY_SCHEME = {
  type: "http",
  scheme: "bearer",
  description:
    "An API key (`hop_…`), or a session's JWT if the deployment accepts those. Each operation lists the scopes it needs; `admin` includes all of them.",
} as const;

export const SESSION_SCHEME = {
  type: "apiKey",
  in: "cookie",
  name: "__Host-hopline_session",
  description:
    "The session of a person who has signed in at the deployment's APP_ORIGIN. A request says in `Hopline-Workspace` (a GET also in `workspace`, a path in its own place) which workspace it is of; what is the person's own needs none. What it may do depends on the person's role in that workspace: `x-roles` lists those that an operation allows, and none where every person may; `operator` is the person who runs the deployment, in no workspace's role. Requests that change something need that Origin.",
} as const;

export const METRICS_TOKEN_SCHEME = {
  type: "http",
  scheme: "bearer",
  description: "The deployment's METRICS_TOKEN, a secret of the API Worker.",
} as const;

/** Answers with a document that is read with the first request for it, and never changes. */
export function serveOnce(read: () => Promise<string>): () => Promise<Response> {
  let kept: { readonly text: string; readonly tag: string } | undefined;
  return async () => {
    if (kept === undefined) {
      const text = await read();
      kept = { text, tag: await hashTag(new TextEncoder().encode(text)) };
    }
    const headers = { "content-type": "application/json", etag: kept.tag };
    return new Response(kept.text, { headers });
  };
}

/** What the OpenAPI document says besides the operations themselves. */

export const OPENAPI_PATH = "/api/openapi.json";

export const OPENAPI_INFO = {
  openapi: "3.1.0",
  info: {
    title: "Hopline",
    version: "1",
    description:
      "Short links and their statistics. Send an API key with every request: `Authorization: Bearer hop_…`. Errors are `application/problem+json` (RFC 9457) with a `code` from a closed set. A path that is asked with a method it does not have answers 405 `method_not_allowed`, with or without a key, and `Allow` lists those that it has; OPTIONS asks for the same list.",
    license: { name: "MIT", identifier: "MIT" },
  },
  servers: [{ url: "/" }],
};

export const API_KEY_SCHEME = {
  type: "http",
  scheme: "bearer",
  description:
    "An API key (`hop_…`), or a session's JWT where the deployment accepts those. The names beside an operation are the scopes it asks for; `admin` includes all.",
} as const;

export const METRICS_TOKEN_SCHEME = {
  type: "http",
  scheme: "bearer",
  description: "The deployment's METRICS_TOKEN, a secret of the API Worker.",
} as const;

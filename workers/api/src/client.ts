/**
 * The typed client of the API: every route, its parameters and its answers by status, derived from the routes. For code in this
 * repository; others have the OpenAPI document. Imports only types from the API.
 *
 *     const { api } = createApiClient({ baseUrl: "https://go.example.com", key: "hop_…" });
 *     const response = await api.v1.links.$post({ json: { url: "https://example.com/" }, header: {} });
 *     if (response.status === 201) {
 *       const { shortUrl } = await response.json(); // a link; with any other status, a problem
 *     }
 */
import { hc } from "hono/client";
import type { ApiApp } from "./app.ts";

export type ApiClientOptions = {
  /** The API's origin: `https://go.example.com`. */
  readonly baseUrl: string;
  /** An API key or a session's token. */
  readonly key: string;
  /** Replaces the global fetch. */
  readonly fetch?: (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;
};

export function createApiClient({ baseUrl, key, fetch }: ApiClientOptions) {
  return hc<ApiApp>(baseUrl, {
    headers: { authorization: `Bearer ${key}` },
    ...(fetch === undefined ? {} : { fetch }),
  });
}

export type ApiClient = ReturnType<typeof createApiClient>;

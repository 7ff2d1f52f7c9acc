/**
 * The typed client of the API: every route, its parameters and its answers, derived from the routes themselves. For
 * code in this repository; everyone else has the OpenAPI document.
 */
import { hc } from "hono/client";
import type { ApiApp } from "./app.ts";

export type ApiClientOptions = {
  /** Where the API is: `https://go.example.com`. */
  readonly baseUrl: string;
  /** An API key or a session's token. */
  readonly key: string;
  /** Another way to send requests than the global fetch. */
  readonly fetch?: (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;
};

export function createApiClient({ baseUrl, key, fetch }: ApiClientOptions) {
  return hc<ApiApp>(baseUrl, {
    headers: { authorization: `Bearer ${key}` },
    ...(fetch === undefined ? {} : { fetch }),
  });
}

export type ApiClient = ReturnType<typeof createApiClient>;

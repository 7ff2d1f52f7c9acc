/** The stack of visitors.test.ts, and what its parts do with it. Opened before the first part, closed after the last. */
import { afterAll, beforeAll, expect } from "vitest";
import { type LocalStack, openLocalStack } from "../local-stack.ts";

export let stack: LocalStack;

beforeAll(async () => {
  stack = await openLocalStack({ vars: { APP_SCHEMES: "myapp" } });
});

afterAll(() => stack.close());

/** For `vi.waitFor`: a bound against hanging, not a verdict. */
export const POLL = { timeout: 30_000, interval: 50 };

export type Link = {
  readonly id: string;
  readonly slug: string;
  readonly shortUrl: string;
  readonly clicks: { readonly total: number };
  readonly cap: { readonly used: number } | null;
};

export function createLink(change: object = {}): Promise<Link> {
  return callApi("POST", "/api/v1/links", { url: "https://example.com/", ...change });
}

export function readLink({ id }: Link): Promise<Link> {
  return callApi("GET", `/api/v1/links/${id}`);
}

export async function callApi<Body>(method: string, path: string, body?: object): Promise<Body> {
  const response = await requestApi(method, path, body);
  expect([path, response.ok]).toEqual([path, true]);
  return response.json() as Promise<Body>;
}

export function requestApi(method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${stack.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${stack.demo.apiKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

export function visit(slug: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${stack.url}/${slug}`, { redirect: "manual", ...init });
}

/** The stack of visitors.test.ts, and what its parts do with it. Opened before the first part, closed after the last. */
import type { CreateLink } from "@hopline/client/openapi";
import { findFreePort } from "@hopline/testkit/postgres/free-port";
import { afterAll, beforeAll } from "vitest";
import { type LocalStack, openLocalStack } from "../local-stack.ts";

export let stack: LocalStack;
/** Where the dashboard is, and people sign in. */
export let appOrigin: string;

beforeAll(async () => {
  // The time-out is a bound against hanging here: where other tests run beside it, a statement may take more than 1.5 s.
  const dashboardPort = await findFreePort();
  appOrigin = `http://localhost:${dashboardPort}`;
  stack = await openLocalStack({
    vars: { APP_SCHEMES: "myapp", DATABASE_TIMEOUT_MS: "10000", APP_ORIGIN: appOrigin, SIGN_UP: "invited" },
    dashboardPort,
  });
});

afterAll(() => stack.close());

/** For `vi.waitFor`: a bound against hanging, not a verdict. */
export const POLL = { timeout: 30_000, interval: 50 };

export const createLink = (change: Partial<CreateLink> = {}) =>
  stack.hopline.createLink({ body: { url: "https://example.com/", ...change } });

export function visit(slug: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${stack.url}/${slug}`, { redirect: "manual", ...init });
}

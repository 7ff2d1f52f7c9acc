/** The stack of visitors.test.ts, and what its parts do with it. Opened before the first part, closed after the last. */
import type { CreateLink } from "@hopline/client/openapi";
import { type Mailbox, openMailbox } from "@hopline/ops/dev/mailbox";
import { findFreePort } from "@hopline/testkit/postgres/free-port";
import { afterAll, beforeAll, vi } from "vitest";
import { type LocalStack, openLocalStack } from "../local-stack.ts";

export let stack: LocalStack;
/** Where the dashboard is, and people sign in. */
export let appOrigin: string;
let mailbox: Mailbox;
/** As `pnpm dev` prints them, line by line. */
const emails: string[] = [];

beforeAll(async () => {
  // The time-out is a bound against hanging here: where other tests run beside it, a statement may take more than 1.5 s.
  const dashboardPort = await findFreePort();
  mailbox = await openMailbox((line) => emails.push(line));
  appOrigin = `http://localhost:${dashboardPort}`;
  stack = await openLocalStack({
    vars: {
      APP_SCHEMES: "myapp",
      DATABASE_TIMEOUT_MS: "10000",
      APP_ORIGIN: appOrigin,
      SIGN_UP: "invited",
      EMAIL_FROM: "hopline@example.com",
      EMAIL_WEBHOOK_URL: mailbox.url,
    },
    dashboardPort,
  });
});

afterAll(async () => {
  await stack.close();
  await mailbox.stop();
});

/** The link in the latest email to this address, once it is there. */
export function linkInEmailTo(address: string): Promise<string> {
  return vi.waitFor(() => {
    const at = emails.findLastIndex((line) => line.includes(`Email to ${address}:`));
    const link = emails.slice(at + 1).find((line) => line.trim().startsWith(appOrigin));
    if (at === -1 || link === undefined) {
      throw new Error(`No email to ${address} yet.`);
    }
    return link.trim();
  }, POLL);
}

/** For `vi.waitFor`: a bound against hanging, not a verdict. */
export const POLL = { timeout: 30_000, interval: 50 };

export const createLink = (change: Partial<CreateLink> = {}) =>
  stack.hopline.createLink({ body: { url: "https://example.com/", ...change } });

export function visit(slug: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${stack.url}/${slug}`, { redirect: "manual", ...init });
}

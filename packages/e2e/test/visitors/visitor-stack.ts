/** The stack of visitors.test.ts, and what its parts do with it. Opened before the first part, closed after the last. */
import type { CreateLink } from "@hopline/client/openapi";
import { type Mailbox, openMailbox } from "@hopline/ops/dev/mailbox";
import { findFreePort } from "@hopline/testkit/postgres/free-port";
import { type IdentityProvider, startIdentityProvider } from "@hopline/testkit/stack/identity-provider";
import { afterAll, beforeAll, vi } from "vitest";
import { type FakeResolver, startFakeResolver } from "../isolates/fake-resolver.ts";
import { type LocalStack, openLocalStack } from "../local-stack.ts";

export let stack: LocalStack;
/** Where the dashboard is, and people sign in. */
export let appOrigin: string;
/** Of a front end of one's own, whose pages may call the API. */
export let frontEndOrigin: string;
/** `Acme`, whose accounts people may sign in with. */
export let provider: IdentityProvider;
/** Where the API looks up the records that prove hosts. */
export let dns: FakeResolver;
let mailbox: Mailbox;
/** As `pnpm dev` prints them, line by line. */
const emails: string[] = [];

beforeAll(async () => {
  const dashboardPort = await findFreePort();
  frontEndOrigin = `http://localhost:${await findFreePort()}`;
  dns = await startFakeResolver();
  mailbox = await openMailbox((line) => emails.push(line));
  appOrigin = `http://localhost:${dashboardPort}`;
  provider = await startIdentityProvider([`${appOrigin}/api/auth/provider/acme/callback`]);
  const { issuer, clientId, clientSecret } = provider;
  stack = await openLocalStack({
    vars: {
      APP_SCHEMES: "myapp",
      APP_ORIGIN: appOrigin,
      CORS_ORIGINS: frontEndOrigin,
      SIGN_UP: "invited",
      EMAIL_FROM: "hopline@example.com",
      EMAIL_WEBHOOK_URL: mailbox.url,
      DNS_RESOLVER_URL: dns.url,
      HOSTS_POINT_TO: "origin.hopline.example",
      SIGN_IN_PROVIDERS: JSON.stringify([{ id: "acme", name: "Acme", issuer, clientId, clientSecret }]),
    },
    dashboardPort,
  });
});

afterAll(async () => {
  await stack.close();
  await mailbox.stop();
  await dns.close();
  await provider.stop();
});

/** The link to that page in the latest email with one to this address, once it is there. */
export function linkInEmailTo(address: string, page: string): Promise<string> {
  return vi.waitFor(() => {
    const isLink = (line: string) => line.trim().startsWith(`${appOrigin}${page}?`);
    const isToThem = (at: number) =>
      emails
        .slice(0, at)
        .findLast((line) => line.includes("Email to "))
        ?.includes(`Email to ${address}:`) === true;
    const found = emails.findLast((line, at) => isLink(line) && isToThem(at));
    if (found === undefined) {
      throw new Error(`No email to ${address} with a link to ${page} yet.`);
    }
    return found.trim();
  }, POLL);
}

export function countEmailsTo(address: string): number {
  return emails.filter((line) => line.includes(`Email to ${address}:`)).length;
}

/** For `vi.waitFor`: a bound against hanging, not a verdict. */
export const POLL = { timeout: 60_000, interval: 50 };

export const createLink = (change: Partial<CreateLink> = {}) =>
  stack.hopline.createLink({ body: { url: "https://example.com/", ...change } });

export function visit(slug: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${stack.url}/${slug}`, { redirect: "manual", ...init });
}

/**
 * The stack of isolates.test.ts: three isolates of the production bundle over one KV and one change feed, and a fourth
 * that does not read the feed. What the three show and the fourth does not, they have from the feed.
 */
import type { CreateLink, Link } from "@hopline/client/openapi";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { type LocalStack, openLocalStack } from "../local-stack.ts";
import { type FakeResolver, startFakeResolver } from "./fake-resolver.ts";
import { type IsolateAnswer, visitIsolate } from "../visit-isolate.ts";

export let stack: LocalStack;
/** The three. */
export let isolates: readonly string[];
/** The fourth: what it knows, it knows from the record alone. */
export let deaf: string;

/** Where the API looks up the records that prove hosts; those that end in .example need none. */
export let dns: FakeResolver;

beforeAll(async () => {
  dns = await startFakeResolver();
  stack = await openLocalStack({
    furtherIsolates: [{}, {}, { CHANGE_FEED_MODE: "off" }],
    vars: { VOUCHED_SUFFIXES: "example", DNS_RESOLVER_URL: dns.url },
  });
  const { producerUrl, furtherUrls } = stack.runtime;
  isolates = [producerUrl, ...furtherUrls.slice(0, 2)];
  deaf = furtherUrls[2] ?? "";
});

afterAll(() => stack.close());
afterAll(() => dns.close());

/**
 * Bounds against hanging, below the 30 s after which an isolate asks KV again anyway: what is seen sooner came by way
 * of the feed. How long the feed takes is decided in workers/producer/src/find/feed/plan-read.ts and tested there.
 */
export const POLL = { timeout: 20_000, interval: 50 };

export const FIRST = "https://example.com/first";

export const createLink = (change: Partial<CreateLink> = {}) =>
  stack.hopline.createLink({ body: { url: FIRST, ...change } });

export function visit(origin: string, slug: string): Promise<IsolateAnswer> {
  return visitIsolate({ origin, host: stack.demo.host, path: `/${slug}` });
}

/** Status, and destination if there is one. */
export async function describeVisit(origin: string, slug: string): Promise<string> {
  const { status, location } = await visit(origin, slug);
  return location === null ? `${status}` : `${status} ${location}`;
}

export async function expectEverywhere(slug: string, expected: string): Promise<void> {
  await vi.waitFor(async () => {
    const answers = await Promise.all(isolates.map((isolate) => describeVisit(isolate, slug)));
    expect(answers).toEqual(isolates.map(() => expected));
  }, POLL);
}

export function keyOf({ slug }: Pick<Link, "slug">): string {
  return `${stack.demo.host}/${slug}`;
}

/** As Postgres reads it. */
export function uuidOf({ id }: Pick<Link, "id">): string {
  return id.slice(4).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

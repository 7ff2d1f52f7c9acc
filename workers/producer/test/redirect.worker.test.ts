/**
 * The producer in workerd with real KV and queue bindings. The database is played by a stand-in for the driver's
 * fetch, because what matters here is what the Worker makes of its answers.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { LinkRecord } from "@hopline/core/link/link-record";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import worker from "../src/index.ts";
import { aDomainText, aFakeNeon, aRecordText } from "./fake-neon.ts";

const HOST = "go.example.com";
let linksMade = 0;
const neon = aFakeNeon();

beforeEach(() => {
  neon.records.clear();
  neon.instead = null;
  neon.queries = 0;
  vi.spyOn(globalThis, "fetch").mockImplementation(neon.answer);
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("GET /<slug>", () => {
  it("redirects from Postgres, then from the isolate, and leaves KV to its one writer", async () => {
    const slug = store({ url: "https://example.com/a?b=c#d" });
    const first = await visit(slug);
    const second = await visit(slug);

    expect([first.status, first.headers.get("location")]).toEqual([302, "https://example.com/a?b=c#d"]);
    expect([tierOf(first), tierOf(second)]).toEqual(["db", "isolate"]);
    expect(await env.LINKS.get(`${HOST}/${slug}`)).toBeNull();
    expect(neon.queries).toBe(1);
  });

  it("redirects from KV without asking Postgres", async () => {
    const slug = newSlug();
    await env.LINKS.put(`${HOST}/${slug}`, aRecordText({ url: "https://example.com/kv" }));
    const response = await visit(slug);

    expect([response.status, response.headers.get("location")]).toEqual([302, "https://example.com/kv"]);
    expect([tierOf(response), neon.queries]).toEqual(["kv", 0]);
  });

  it("asks that nothing stores or indexes the redirect", async () => {
    const response = await visit(store({}));
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "cache-control": "private, no-store",
      "x-robots-tag": "noindex",
    });
    expect(await response.text()).toBe("");
  });

  it("lets browsers keep a permanent redirect for a minute only", async () => {
    const response = await visit(store({ redirectStatus: 308 }));
    expect([response.status, response.headers.get("cache-control")]).toEqual([308, "private, max-age=60"]);
  });

  it("keeps redirecting from KV when the database is down", async () => {
    const slug = newSlug();
    await env.LINKS.put(`${HOST}/${slug}`, aRecordText({}));
    neon.instead = refuse;
    expect((await visit(slug)).status).toBe(302);
  });

  it("answers 503 with Retry-After when the database is down and nothing is cached", async () => {
    const slug = store({});
    neon.instead = refuse;
    const response = await visit(slug);
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    neon.instead = null;
    expect((await visit(slug)).status).toBe(302);
  });

  it("takes a damaged value in KV for a miss", async () => {
    const slug = store({});
    await env.LINKS.put(`${HOST}/${slug}`, "{damaged");
    expect(tierOf(await visit(slug))).toBe("db");
  });

  it("answers 404 to an unknown slug and asks the database about it once", async () => {
    const slug = newSlug();
    const first = await visit(slug);
    const second = await visit(slug);
    expect([first.status, second.status, neon.queries]).toEqual([404, 404, 1]);
    expect([tierOf(first), tierOf(second)]).toEqual(["db", "negative"]);
  });

  it("answers 404 for a link of another host", async () => {
    const slug = store({});
    expect((await visit(slug, { host: "other.example.com" })).status).toBe(404);
  });

  it("answers 410 for a disabled link and 404 for a deleted one", async () => {
    expect((await visit(store({ state: "disabled" }))).status).toBe(410);
    expect((await visit(store({ state: "deleted" }))).status).toBe(404);
  });
});

describe("what is not there", () => {
  it("is counted by domain and slug, in the report that goes with the next click, and in no message of its own", async () => {
    const sent: string[] = [];
    const shard = { send: (text: string) => sent.push(text) };
    const shards = { CLICKS_0: shard, CLICKS_1: shard, CLICKS_2: shard, CLICKS_3: shard };
    const now = Date.now.bind(Date);
    const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + 60_000);
    // What tests before this one have counted.
    await visit(store({}), { env: shards });
    sent.length = 0;
    const host = "missed.example.com";
    const domainId = "0198f3c2-0000-7000-8000-000000000002";
    neon.records.set(`${host}/@`, aDomainText({ domainId, ignoresCase: true }));
    neon.records.set(`${host}/old`, aRecordText({ state: "disabled" }));
    neon.records.set(`${host}/past`, aRecordText({ state: "disabled", endedUrl: "https://example.com/" }));
    for (const slug of ["", "SUMER", "sumer", "wp-login.php", "a%", "old", "past"]) {
      await visit(slug, { host, env: shards });
    }
    await send(new Request(`https://${host}/sumer`, { method: "HEAD" }));
    expect(sent).toEqual([]);
    clock.mockImplementation(() => now() + 70_000);
    await visit(store({}), { env: shards });
    expect(JSON.parse(sent[0] ?? "").r.m).toEqual([[domainId, 1, 2, 4, [["sumer", 2]]]]);
  });
});

describe("what is not a short link", () => {
  it.each([
    ["/", 404],
    ["/robots.txt", 200],
    ["/favicon.ico", 204],
    ["/abc%", 404],
    ["/%ff%fe", 404],
    ["/a//b", 404],
    ["/.git/config", 404],
    ["/docs/*", 404],
    [`/${"a".repeat(10_000)}`, 404],
    [`/${"%41".repeat(3_400)}`, 404],
  ])("answers %s with %i and asks the database about no link", async (path, status) => {
    const response = await send(new Request(`https://${HOST}${path}`));
    expect(response.status).toBe(status);
    expect(neon.queries).toBe(0);
  });

  it.each(["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"])(
    "answers %s with 405 and Allow",
    async (method) => {
      const response = await send(new Request(`https://${HOST}/spring`, { method }));
      expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    },
  );

  it("hands /api to the API", async () => {
    const response = await send(new Request(`https://${HOST}/api/v1/links`, { method: "POST", body: "{}" }));
    expect(await response.text()).toBe("the api answered");
  });

  it.each([
    "/API/v1/links",
    "//api/v1/links",
    "/%61pi/v1/links",
    "/api;x/v1/links",
    "/x%2f..%2fapi/v1/links",
    "/apiary",
  ])("hands %s to nobody else than its visitors", async (path) => {
    const response = await send(new Request(`https://${HOST}${path}`));
    expect(await response.text()).not.toBe("the api answered");
  });

  it("answers a client that prefers JSON in JSON", async () => {
    const response = await send(
      new Request(`https://${HOST}/nothing-here`, { headers: { accept: "application/json" } }),
    );
    expect(await response.json()).toEqual({ status: 404, code: "link_unknown", title: "No such link" });
  });

  it("answers HEAD without a body", async () => {
    const response = await send(new Request(`https://${HOST}/nothing-there`, { method: "HEAD" }));
    expect([response.status, await response.text()]).toEqual([404, ""]);
  });
});

describe("the click", () => {
  it("is sent once for each redirect, with consecutive numbers, and for nothing else", async () => {
    const sent: string[] = [];
    const shard = { send: (text: string) => sent.push(text) };
    const shards = { CLICKS_0: shard, CLICKS_1: shard, CLICKS_2: shard, CLICKS_3: shard };
    const slug = store({});
    await visit(slug, { env: shards });
    await visit(newSlug(), { env: shards });
    await visit(slug, { env: shards, headers: { "user-agent": "" } });

    const segments = sent.map((text) => JSON.parse(text));
    expect(segments).toHaveLength(2);
    expect(segments[1].first).toBe(segments[0].first + 1);
    expect(segments[1].isolate).toBe(segments[0].isolate);
    expect(segments[0].isolate).toMatch(/^[0-9a-f]{16}$/);
  });

  it("carries a truncated address only", async () => {
    const sent: string[] = [];
    const shard = { send: (text: string) => sent.push(text) };
    const shards = { CLICKS_0: shard, CLICKS_1: shard, CLICKS_2: shard, CLICKS_3: shard };
    await visit(store({}), { env: shards, headers: { "cf-connecting-ip": "203.0.113.77" } });
    expect(sent[0]).toContain('"a":"203.0.113.0"');
    expect(sent[0]).not.toContain("203.0.113.77");
  });

  it("goes to another shard when the first refuses", async () => {
    const sent: string[] = [];
    const refusing = { send: () => Promise.reject(new Error("Queue overloaded")) };
    const accepting = { send: (text: string) => sent.push(text) };
    const shards = { CLICKS_0: refusing, CLICKS_1: refusing, CLICKS_2: refusing, CLICKS_3: accepting };
    const response = await visit(store({}), { env: shards });
    expect([response.status, sent.length]).toEqual([302, 1]);
  });
});

describe("the log", () => {
  it("names no secret, address, user agent or destination, whatever breaks", async () => {
    const lines = vi.spyOn(console, "log").mockImplementation(() => undefined);
    neon.instead = refuse;
    await visit(store({ url: "https://example.com/private" }), {
      headers: { "cf-connecting-ip": "203.0.113.77", "user-agent": "Browser of a person" },
      env: { DATABASE_URL: "not a connection string, but secret-of-the-test" },
    });
    expect(lines.mock.calls.length).toBeGreaterThan(0);
    expect(JSON.stringify(lines.mock.calls)).not.toMatch(
      /secret-of-the-test|203\.0\.113|Browser of|example\.com/,
    );
  });
});

type Visit = { readonly host?: string; readonly headers?: HeadersInit; readonly env?: object };

function visit(slug: string, { host = HOST, headers = {}, env: change = {} }: Visit = {}): Promise<Response> {
  const request = new Request(`https://${host}/${slug}`, { headers: { "hopline-debug": "1", ...headers } });
  return send(request, change);
}

async function send(request: Request, change: object = {}): Promise<Response> {
  const context = createExecutionContext();
  const incoming = new Request<unknown, IncomingRequestCfProperties>(request);
  const response = await worker.fetch(incoming, { ...env, CLICK_LINGER_MS: "0", ...change }, context);
  await waitOnExecutionContext(context);
  return response;
}

function tierOf(response: Response): string | null {
  return response.headers.get("server-timing");
}

/** A slug that no earlier test has left in the isolate. */
function newSlug(): string {
  linksMade += 1;
  return `link-${linksMade}`;
}

function store(change: Partial<LinkRecord>): string {
  const slug = newSlug();
  neon.records.set(`${HOST}/${slug}`, aRecordText(change));
  return slug;
}

const refuse = (): Promise<never> => Promise.reject(new TypeError("connection refused"));

/** What the front door costs and says: no call on a hit, one read on a KV hit, and the headers of each status. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import worker from "../src/index.ts";
import { aFakeNeon, aRecordText } from "./fake-neon.ts";

const HOST = "go.example.com";
const neon = aFakeNeon();
let slugs = 0;
/** Every call of a binding, in order. */
let calls: string[] = [];

beforeEach(() => {
  calls = [];
  neon.instead = null;
  vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
    calls.push("Postgres");
    return neon.answer(input, init);
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("calls before the response", () => {
  it("of an isolate hit: none, and no promise either", async () => {
    // What the isolate keeps takes the clock of its first request.
    await send(new Request(aLink("db")));
    // A visit awaits the change feed when the last read is two seconds old, as it may be on a busy machine: so none pass here.
    vi.spyOn(Date, "now").mockReturnValue(Date.now());
    const bindings = { ...watched };
    const url = aLink("db");
    await send(new Request(url), bindings);
    calls = [];
    const context = createExecutionContext();
    const response = worker.fetch(incoming(new Request(url)), bindings, context);
    expect(response).toBeInstanceOf(Response);
    expect(calls).toEqual([]);
    await waitOnExecutionContext(context);
    expect(calls).toEqual(["click"]);
  });

  it("of a KV hit: one read", async () => {
    const url = aLink("kv");
    expect((await send(new Request(url))).status).toBe(302);
    expect(calls).toEqual(["LINKS.get", "click"]);
  });

  it("of a held absence: none", async () => {
    // An isolate's first 404 also looks up what the domain says to strangers.
    await send(new Request(aLink("nowhere")));
    calls = [];
    const url = aLink("nowhere");
    await send(new Request(url));
    expect(calls).toEqual(["LINKS.get", "Postgres", "MISS_LIMIT"]);
    calls = [];
    expect((await send(new Request(url))).status).toBe(404);
    expect(calls).toEqual([]);
  });
});

it.each(["/api/v1/links", "/nowhere", "/nothing/here/at/all"])(
  "a request for %s takes overdue clicks along",
  async (path) => {
    const lingering = { ...watched, CLICK_LINGER_MS: "77" };
    const startTimer = globalThis.setTimeout;
    // As of a visitor who is gone: the timer of the linger never rings.
    vi.spyOn(globalThis, "setTimeout").mockImplementation((callback, ms) =>
      startTimer(ms === 77 ? () => undefined : callback, ms),
    );
    const visit = incoming(new Request(aLink("kv")));
    await Promise.all(published);
    expect((await worker.fetch(visit, lingering, createExecutionContext())).status).toBe(302);
    calls = [];
    await vi.waitFor(async () => {
      await send(new Request(`https://${HOST}${path}`), lingering);
      expect(calls).toContain("click");
    });
  },
);

describe("the limit of a network's misses", () => {
  it("answers 429 with Retry-After to one network, lets others in, and never refuses a link in use", async () => {
    const held = aLink("db");
    await send(new Request(held));
    // The limit counts by the clock's periods of ten seconds, and the first misses may fall into the end of one.
    let misses = 0;
    let answer = await send(from("198.51.100.1", aLink("nowhere")), env);
    for (; answer.status === 404 && misses < 60; misses += 1) {
      answer = await send(from(`198.51.100.${misses % 250}`, aLink("nowhere")), env);
    }
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "10"]);
    expect(misses).toBeGreaterThanOrEqual(20);
    expect(misses).toBeLessThanOrEqual(40);
    expect((await send(from("198.51.100.1", held), env)).status).toBe(302);
    expect((await send(from("198.51.100.1", aLink("kv")), env)).status).toBe(302);
    expect((await send(from("203.0.113.1", aLink("nowhere")), env)).status).toBe(404);
  });
});

describe("a page", () => {
  it.each([
    ["an unknown link", () => new Request(aLink("nowhere")), 404, {}],
    ["a disabled link", () => new Request(aLink("db", aRecordText({ state: "disabled" }))), 410, {}],
    ["another method", () => new Request(aLink("db"), { method: "PUT" }), 405, { allow: "GET, HEAD" }],
    ["an outage", () => anOutage(), 503, { "retry-after": "5" }],
    ["the bare host", () => new Request(`https://${HOST}/`), 404, {}],
  ])(
    "for %s is for nobody's store and nobody's index, as HTML, as JSON and for HEAD",
    async (_what, make, status, headers) => {
      const html = await send(make());
      expect(html.status).toBe(status);
      expect(Object.fromEntries(html.headers)).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "cache-control": "private, no-store",
        "x-robots-tag": "noindex",
        "x-content-type-options": "nosniff",
        vary: "accept, accept-language",
        ...headers,
      });
      expect(await html.text()).toMatch(/^<!doctype html>\n<html lang="en">/);

      const json = await send(new Request(make(), { headers: { accept: "application/json" } }));
      expect([json.status, json.headers.get("content-type")]).toEqual([
        status,
        "application/json; charset=utf-8",
      ]);
      expect(await json.json()).toMatchObject({ status });
    },
  );

  it("has no body for HEAD, and a redirect has the same headers for HEAD as for GET", async () => {
    const unknown = await send(new Request(aLink("nowhere"), { method: "HEAD" }));
    expect([unknown.status, await unknown.text()]).toEqual([404, ""]);
    const url = aLink("db");
    const get = await send(new Request(url));
    const head = await send(new Request(url, { method: "HEAD" }));
    expect([head.status, ...head.headers]).toEqual([get.status, ...get.headers]);
  });
});

describe("an address", () => {
  it.each([
    ["/gr%C3%BC%C3%9Fe", "/gr\u00fc\u00dfe", 302],
    ["/gru%CC%88%C3%9Fe", "/gr\u00fc\u00dfe", 302],
    ["/%F0%9F%9A%B2", "/\u{1f6b2}", 302],
    ["/Spring", "/Spring", 302],
    ["/spring", "/Spring", 404],
    ["/Spring/", "/Spring", 302],
    ["/Spring//", "/Spring", 404],
    ["/Spring?source=qr&x=1", "/Spring", 302],
  ])("%s names the link %s: %i", async (path, stored, status) => {
    neon.records.set(
      `address.example.com${stored}`,
      aRecordText({ url: "https://example.com/as-stored?a=b" }),
    );
    const response = await send(new Request(`https://ADDRESS.example.com${path}`));
    expect(response.status).toBe(status);
    if (status === 302) {
      expect(response.headers.get("location")).toBe("https://example.com/as-stored?a=b");
    }
  });
});

/** One for all requests, as an isolate has it: what follows the change feed is not to start anew each time. */
const watched = watchBindings();

function watchBindings(): typeof env {
  const shard = { send: async () => void calls.push("click") };
  const bindings = {
    ...env,
    LINKS: {
      get: (key: string) => {
        calls.push("LINKS.get");
        return env.LINKS.get(key);
      },
      put: (key: string, text: string) => env.LINKS.put(key, text),
    },
    MISS_LIMIT: {
      limit: async () => {
        calls.push("MISS_LIMIT");
        return { success: true };
      },
    },
    CLICKS_0: shard,
    CLICKS_1: shard,
    CLICKS_2: shard,
    CLICKS_3: shard,
    CLICK_LINGER_MS: "0",
  };
  return bindings as unknown as typeof env;
}

function aLink(known: "db" | "kv" | "nowhere", text: string = aRecordText()): string {
  slugs += 1;
  const key = `${HOST}/link-${slugs}`;
  if (known === "db") {
    neon.records.set(key, text);
  }
  if (known === "kv") {
    published.push(env.LINKS.put(key, text));
  }
  return `https://${key}`;
}

/** Writes to KV that a visit must wait for. */
const published: Promise<void>[] = [];

function anOutage(): Request {
  neon.instead = () => Promise.reject(new TypeError("connection refused"));
  return new Request(aLink("db"));
}

function from(address: string, url: string): Request {
  return new Request(url, { headers: { "cf-connecting-ip": address } });
}

function incoming(request: Request): Request<unknown, IncomingRequestCfProperties> {
  return new Request<unknown, IncomingRequestCfProperties>(request, {
    headers: { "cf-connecting-ip": "192.0.2.9", ...Object.fromEntries(request.headers) },
  });
}

async function send(request: Request, bindings: typeof env = watched): Promise<Response> {
  await Promise.all(published);
  const context = createExecutionContext();
  const response = await worker.fetch(incoming(request), bindings, context);
  await waitOnExecutionContext(context);
  return response;
}

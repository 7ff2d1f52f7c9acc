/**
 * Every binding, broken in every way, in workerd: what the visitor gets, which tier it came from, and what became of the
 * click. Waiting times are a twentieth of the real ones; what they are is tested elsewhere. KV and Postgres get a second where
 * they do not hang (vitest.config.ts): a busy machine would take longer than a twentieth of their time.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { SPILL_KEY_PREFIX } from "@hopline/core/click/spill-key";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import worker from "../src/index.ts";
import { aDomainText, aFakeNeon, aRecordText, toRows } from "./fake-neon.ts";

const HOST = "go.example.com";
const neon = aFakeNeon();
const realWait = scheduler.wait.bind(scheduler);
const realSetTimeout = globalThis.setTimeout;
const realNow = Date.now;
let clockOffsetMs = 0;
let logLines: string[] = [];
let slugs = 0;

beforeAll(async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(neon.answer);
  vi.spyOn(Date, "now").mockImplementation(() => realNow() + clockOffsetMs);
  vi.spyOn(console, "log").mockImplementation((line) => void logLines.push(String(line)));
  // The first query loads the driver, which may take longer here than a twentieth of its time.
  neon.records.set(`${HOST}/warm-up`, aRecordText());
  await send(aVisit("warm-up"), {});
  vi.spyOn(globalThis, "setTimeout").mockImplementation((fire: () => void, ms = 0) =>
    realSetTimeout(fire, ms / 20),
  );
});

afterAll(() => {
  vi.restoreAllMocks();
});

beforeEach(() => {
  neon.instead = null;
  logLines = [];
  // Each row is its own hour: what one row broke is forgotten by the next.
  clockOffsetMs += 3_600_000;
});

const fails = (): never => {
  throw new TypeError("broken on purpose");
};
const rejects = async (): Promise<never> => fails();
const hangs = (): Promise<never> => new Promise(() => undefined);
/** Below every timeout. */
const slowly =
  <T, Asked>(answer: (asked: Asked) => Promise<T>): ((asked: Asked) => Promise<T>) =>
  async (asked) => {
    await realWait(5);
    return answer(asked);
  };
const giveRecord = async (keys: readonly string[]): Promise<Response> =>
  toRows(keys.map((key) => [key, aRecordText()]));

/** Where the link is known when the visitor comes; `held` 45 s, `old` two minutes after the isolate has learnt it. */
type Known = "kv" | "db" | "held" | "old" | "nowhere";
type Failure = { readonly env?: object; readonly neon?: (keys: readonly string[]) => Promise<Response> };
type Outcome = { readonly status: number; readonly tier: string | null; readonly click: string };
type Row = readonly [binding: string, failure: string, known: Known, breakage: Failure, expected: string];

const kv = (change: object): Failure => ({ env: { LINKS: { ...workingKv, ...change } } });
const shards = (shard: unknown): Failure => ({
  env: { CLICKS_0: shard, CLICKS_1: shard, CLICKS_2: shard, CLICKS_3: shard },
});
const limit = (binding: unknown): Failure => ({ env: { MISS_LIMIT: binding } });

const workingKv = {
  get: (key: string, options: KVNamespaceGetOptions<"text">) => env.LINKS.get(key, options),
  put: (key: string, text: string) => env.LINKS.put(key, text),
};

// The table: binding x failure x where the link is known -> status, tier, where the click went.
const ROWS: readonly Row[] = [
  ["nothing", "fails", "kv", {}, "302 kv queue"],
  ["nothing", "fails", "db", {}, "302 db queue"],
  ["nothing", "fails", "held", {}, "302 stale queue"],
  ["nothing", "fails", "nowhere", {}, "404 db none"],

  ["LINKS get", "throws", "kv", kv({ get: fails }), "302 db queue"],
  ["LINKS get", "rejects", "kv", kv({ get: rejects }), "302 db queue"],
  ["LINKS get", "hangs", "kv", kv({ get: hangs }), "302 db queue"],
  ["LINKS get", "is slow", "kv", kv({ get: slowly(async () => aRecordText()) }), "302 kv queue"],
  ["LINKS get", "gives a damaged value", "kv", kv({ get: async () => "{damaged" }), "302 db queue"],
  ["LINKS get", "gives an object", "kv", kv({ get: async () => ({}) }), "302 db queue"],
  ["LINKS get", "gives undefined", "kv", kv({ get: async () => undefined }), "302 db queue"],
  ["LINKS get", "gives undefined", "nowhere", kv({ get: async () => undefined }), "404 db none"],
  ["LINKS get", "throws", "held", kv({ get: fails }), "302 stale queue"],
  ["LINKS get", "hangs", "held", kv({ get: hangs }), "302 stale queue"],
  ["LINKS get", "throws", "nowhere", kv({ get: fails }), "404 db none"],
  ["LINKS", "is absent", "kv", { env: { LINKS: undefined } }, "302 db queue"],
  ["LINKS", "is absent", "held", { env: { LINKS: undefined } }, "302 stale queue"],

  ["LINKS put", "throws", "db", kv({ put: fails }), "302 db queue"],
  ["LINKS put", "rejects", "db", kv({ put: rejects }), "302 db queue"],
  ["LINKS put", "hangs", "db", kv({ put: hangs }), "302 db queue"],
  ["LINKS put", "is slow", "db", kv({ put: slowly(async () => undefined) }), "302 db queue"],
  ["LINKS put", "gives a number", "db", kv({ put: async () => 7 }), "302 db queue"],
  ["LINKS put", "is absent", "db", kv({ put: undefined }), "302 db queue"],

  ["Postgres", "refuses", "db", { neon: rejects }, "503 - none"],
  ["Postgres", "hangs", "db", { neon: hangs }, "503 - none"],
  ["Postgres", "is slow", "db", { neon: slowly(giveRecord) }, "302 db queue"],
  ["Postgres", "gives HTTP 500", "db", { neon: async () => new Response("", { status: 500 }) }, "503 - none"],
  ["Postgres", "gives a page of HTML", "db", { neon: async () => new Response("<html>") }, "503 - none"],
  [
    "Postgres",
    "gives a damaged record",
    "db",
    { neon: async (keys) => toRows(keys.map((key) => [key, "{damaged"])) },
    "503 - none",
  ],
  ["Postgres", "refuses", "nowhere", { neon: rejects }, "503 - none"],
  ["Postgres", "refuses", "kv", { neon: rejects }, "302 kv queue"],
  ["Postgres", "hangs", "held", { neon: hangs }, "302 stale queue"],
  ["Postgres", "refuses", "old", { neon: rejects }, "302 kv queue"],

  ["LINKS and Postgres", "throw", "kv", { ...kv({ get: fails }), neon: rejects }, "503 - none"],
  ["LINKS and Postgres", "throw", "held", { ...kv({ get: fails }), neon: rejects }, "302 stale queue"],
  // Here is no feed: the host may have got another owner since.
  ["LINKS and Postgres", "throw", "old", { ...kv({ get: fails }), neon: rejects }, "503 - none"],
  ["LINKS and Postgres", "hang", "old", { ...kv({ get: hangs }), neon: hangs }, "503 - none"],

  ["MISS_LIMIT", "throws", "db", limit({ limit: fails }), "302 db queue"],
  ["MISS_LIMIT", "hangs", "db", limit({ limit: hangs }), "302 db queue"],
  ["MISS_LIMIT", "is slow", "db", limit({ limit: slowly(rejects) }), "302 db queue"],
  ["MISS_LIMIT", "gives undefined", "db", limit({ limit: async () => undefined }), "302 db queue"],
  ["MISS_LIMIT", "gives an empty object", "db", limit({ limit: async () => ({}) }), "302 db queue"],
  ["MISS_LIMIT", "is absent", "db", limit(undefined), "302 db queue"],
  ["MISS_LIMIT", "says no", "db", limit({ limit: async () => ({ success: false }) }), "302 db queue"],
  ["MISS_LIMIT", "says no", "nowhere", limit({ limit: async () => ({ success: false }) }), "404 db none"],
  ["MISS_LIMIT", "says no", "kv", limit({ limit: async () => ({ success: false }) }), "302 kv queue"],
  ["MISS_LIMIT", "says no", "held", limit({ limit: async () => ({ success: false }) }), "302 stale queue"],
  ["MISS_LIMIT", "says no", "old", limit({ limit: async () => ({ success: false }) }), "302 kv queue"],

  ["one CLICKS_n", "throws", "kv", { env: { CLICKS_0: { send: fails } } }, "302 kv queue"],
  ["one CLICKS_n", "hangs", "kv", { env: { CLICKS_0: { send: hangs } } }, "302 kv queue"],
  ["one CLICKS_n", "is absent", "kv", { env: { CLICKS_0: undefined } }, "302 kv queue"],
  ["every CLICKS_n", "throws", "kv", shards({ send: fails }), "302 kv spill"],
  ["every CLICKS_n", "rejects", "kv", shards({ send: rejects }), "302 kv spill"],
  ["every CLICKS_n", "hangs", "kv", shards({ send: hangs }), "302 kv spill"],
  ["every CLICKS_n", "is something else", "kv", shards("a string"), "302 kv spill"],
  ["every CLICKS_n", "is absent", "kv", shards(undefined), "302 kv spill"],
  [
    "every CLICKS_n and SPILL",
    "throw",
    "kv",
    { env: { ...shards({ send: fails }).env, SPILL: { put: fails } } },
    "302 kv log",
  ],
];

it.each(ROWS)("%s %s, the link is known in: %s", async (_binding, _failure, known, breakage, expected) => {
  const { status, tier, click } = await visitBroken(known, breakage);
  expect(`${status} ${tier ?? "-"} ${click}`).toBe(expected);
});

/** Of a domain that ignores case, has a root URL, and a link `spring`: who knows its settings and the link, what is asked. */
type DomainRow = readonly [
  failure: string,
  settings: "kv" | "db",
  link: "kv" | "db",
  path: string,
  breakage: Failure,
  expected: string,
];

const DOMAIN_ROWS: readonly DomainRow[] = [
  ["nothing fails", "db", "db", "/", {}, "302 https://example.com/root"],
  ["nothing fails", "db", "db", "/Spring", {}, "302 https://example.com/"],
  ["Postgres refuses", "db", "kv", "/", { neon: rejects }, "503 -"],
  ["Postgres hangs", "db", "kv", "/", { neon: hangs }, "503 -"],
  ["Postgres refuses", "kv", "kv", "/", { neon: rejects }, "302 https://example.com/root"],
  ["Postgres refuses", "db", "kv", "/Spring", { neon: rejects }, "503 -"],
  ["Postgres hangs", "db", "kv", "/Spring", { neon: hangs }, "503 -"],
  ["Postgres refuses", "kv", "kv", "/Spring", { neon: rejects }, "302 https://example.com/"],
  ["Postgres hangs", "db", "kv", "/spring", { neon: hangs }, "302 https://example.com/"],
  [
    "Postgres gives HTTP 500",
    "db",
    "kv",
    "/",
    { neon: async () => new Response("", { status: 500 }) },
    "503 -",
  ],
  ["LINKS get throws", "kv", "kv", "/Spring", kv({ get: fails }), "302 https://example.com/"],
  ["LINKS get hangs", "kv", "kv", "/Spring", kv({ get: hangs }), "302 https://example.com/"],
  ["LINKS get hangs", "kv", "kv", "/", kv({ get: hangs }), "302 https://example.com/root"],
  ["both throw", "kv", "kv", "/", { ...kv({ get: fails }), neon: rejects }, "503 -"],
];

it.each(DOMAIN_ROWS)(
  "%s, settings in %s, link in %s: %s",
  async (_failure, settings, link, path, breakage, expected) => {
    slugs += 1;
    const host = `d${slugs}.example.com`;
    const texts: readonly (readonly [string, string, "kv" | "db"])[] = [
      [`${host}/@`, aDomainText({ ignoresCase: true, rootUrl: "https://example.com/root" }), settings],
      [`${host}/spring`, aRecordText(), link],
    ];
    for (const [key, text, knownIn] of texts) {
      neon.records.set(key, text);
      if (knownIn === "kv") {
        await env.LINKS.put(key, text);
      }
    }
    neon.instead = breakage.neon ?? null;
    const response = await send(new Request(`https://${host}${path}`), { ...breakage.env });
    expect(`${response.status} ${response.headers.get("location") ?? "-"}`).toBe(expected);
  },
);

describe("API", () => {
  it.each([
    ["throws", { fetch: fails }, 503],
    ["rejects", { fetch: rejects }, 503],
    ["is absent", undefined, 503],
    ["is slow", { fetch: slowly(async () => new Response("here")) }, 200],
    ["answers 500", { fetch: async () => new Response("", { status: 500 }) }, 500],
  ])("%s", async (_failure, API, status) => {
    const response = await send(new Request(`https://${HOST}/api/v1/links`), { API });
    expect(response.status).toBe(status);
    expect(response.headers.get("retry-after")).toBe(status === 503 ? "5" : null);
  });

  it("hangs, and redirects go on meanwhile", async () => {
    const context = createExecutionContext();
    const request = new Request<unknown, IncomingRequestCfProperties>(`https://${HOST}/api/v1/links`);
    void worker.fetch(request, { ...env, API: { ...env.API, fetch: hangs } }, context);
    expect(await visitBroken("kv", {})).toMatchObject({ status: 302 });
  });
});

async function visitBroken(known: Known, breakage: Failure): Promise<Outcome> {
  const slug = await makeKnown(known);
  neon.instead = breakage.neon ?? null;
  const sent: string[] = [];
  const queue = { send: async (text: string) => void sent.push(text) };
  const spilledBefore = await countSpilled();
  const response = await send(aVisit(slug), {
    CLICKS_0: queue,
    CLICKS_1: queue,
    CLICKS_2: queue,
    CLICKS_3: queue,
    ...breakage.env,
  });
  const isSpilled = (await countSpilled()) > spilledBefore;
  const isLogged = logLines.some((line) => line.includes("segment.logged"));
  // A report for the metrics may travel alone meanwhile: it is no click.
  const clicks = sent.flatMap((text) => JSON.parse(text).clicks);
  const click = clicks.length === 1 ? "queue" : isSpilled ? "spill" : isLogged ? "log" : "none";
  return { status: response.status, tier: response.headers.get("server-timing"), click };
}

async function makeKnown(known: Known): Promise<string> {
  slugs += 1;
  const slug = `link-${slugs}`;
  const isStored = known !== "nowhere";
  if (isStored) {
    neon.records.set(`${HOST}/${slug}`, aRecordText());
  }
  if (isStored && known !== "db") {
    await env.LINKS.put(`${HOST}/${slug}`, aRecordText());
  }
  if (known === "held" || known === "old") {
    const queue = { send: async () => undefined };
    await send(aVisit(slug), { CLICKS_0: queue, CLICKS_1: queue, CLICKS_2: queue, CLICKS_3: queue });
    clockOffsetMs += known === "held" ? 45_000 : 120_000;
  }
  return slug;
}

function aVisit(slug: string): Request {
  return new Request(`https://${HOST}/${slug}`, {
    headers: { "hopline-debug": "1", "cf-connecting-ip": `203.0.${slugs}.77` },
  });
}

async function send(request: Request, change: object): Promise<Response> {
  const context = createExecutionContext();
  const incoming = new Request<unknown, IncomingRequestCfProperties>(request);
  const limits = {
    ...("LINKS" in change && isHanging(change.LINKS) ? { KV_TIMEOUT_MS: "250" } : {}),
    ...(neon.instead === hangs ? { DATABASE_TIMEOUT_MS: "1500" } : {}),
  };
  const bindings = { ...env, CLICK_LINGER_MS: "0", ...limits, ...change };
  const response = await worker.fetch(incoming, bindings, context);
  await waitOnExecutionContext(context);
  return response;
}

function isHanging(kvOfLinks: unknown): boolean {
  return typeof kvOfLinks === "object" && kvOfLinks !== null && "get" in kvOfLinks && kvOfLinks.get === hangs;
}

async function countSpilled(): Promise<number> {
  return (await env.SPILL.list({ prefix: SPILL_KEY_PREFIX })).keys.length;
}

/** Links that forward what follows their slug, through the real producer. KV is a Map whose reads are counted. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { hashPassword } from "@hopline/sealing/password";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import worker from "../../src/index.ts";
import { aDomainText, aFakeNeon, aRecordText } from "../fake-neon.ts";

const HOST = "go.example.com";
const PLAIN_HOST = "plain.example.com";
const PASSWORD = "correct horse";
const neon = aFakeNeon();
const published = new Map<string, string>();
let kvReads: string[] = [];
let misses = 0;
let isKvUp = true;

const queue = { send: async () => undefined };
const bindings = {
  ...env,
  CLICK_LINGER_MS: "0",
  CLICKS_0: queue,
  CLICKS_1: queue,
  CLICKS_2: queue,
  CLICKS_3: queue,
  LINKS: {
    get: async (key: string) => {
      kvReads.push(key);
      if (!isKvUp) {
        throw new TypeError("KV is down");
      }
      return published.get(key) ?? null;
    },
  },
  MISS_LIMIT: {
    limit: async () => {
      misses += 1;
      return { success: true };
    },
  },
};

beforeAll(async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(neon.answer);
  neon.hasEveryDomain = false;
  const put = (key: string, text: string) => {
    published.set(key, text);
    neon.records.set(key, text);
  };
  const forwards = ["docs", "docs/api", "locked", "gone"];
  put(`${HOST}/@`, aDomainText({ forwards }));
  put(`${PLAIN_HOST}/@`, aDomainText());
  const to = (url: string) => aRecordText({ url, isFilled: true });
  put(`${HOST}/docs/*`, to("https://example.com/manual/*?from={country}"));
  put(`${HOST}/docs/api/*`, to("https://example.com/reference/{1}"));
  put(`${HOST}/docs/exact`, aRecordText({ url: "https://example.com/exact" }));
  put(`${HOST}/gone/*`, aRecordText({ state: "deleted", url: "" }));
  const password = await hashPassword(PASSWORD);
  put(`${HOST}/locked/*`, aRecordText({ url: "https://example.com/secret/*", isFilled: true, password }));
  // Until the isolate has read the feed it asks the database, too.
  const context = createExecutionContext();
  await visit("/docs", { context });
  await waitOnExecutionContext(context);
});

beforeEach(() => {
  kvReads = [];
  neon.queries = 0;
  misses = 0;
  isKvUp = true;
  neon.instead = null;
});

afterAll(() => {
  vi.restoreAllMocks();
});

describe("a path is forwarded by the longest slug that it begins with, unless a link has it", () => {
  it.each([
    ["/docs/intro/setup", "https://example.com/manual/intro/setup?from=CH"],
    ["/docs", "https://example.com/manual/?from=CH"],
    ["/docs/", "https://example.com/manual/?from=CH"],
    ["/docs/a%20b/c:d", "https://example.com/manual/a%20b/c:d?from=CH"],
    ["/docs//evil.example", "https://example.com/manual/evil.example?from=CH"],
    ["/docs/%5C%5Cevil.example/@x", "https://example.com/manual/%5C%5Cevil.example/@x?from=CH"],
    ["/docs/a%0d%0ab", "https://example.com/manual/a%0d%0ab?from=CH"],
    ["/docs/exact", "https://example.com/exact"],
    ["/docs/exact/", "https://example.com/exact"],
    ["/docs/api/v1/x", "https://example.com/reference/v1"],
    ["/docs/x%252e%252e/y", "https://example.com/manual/x%252e%252e/y?from=CH"],
  ])("%s leads to %s", async (path, location) => {
    const response = await visit(path);
    expect([response.status, response.headers.get("location")]).toEqual([302, location]);
  });

  it.each(["/docs/%2e%2E%2fadmin/..%2f/x/%2e%2e", "/docs/.%2e/x", "/gone/x", "/docsx/a", "/a b/docs"])(
    "%s leads nowhere",
    async (path) => {
      expect((await visit(path)).status).toBe(404);
    },
  );
});

it("each of hundreds of rests costs one read of KV, and neither the database nor the visitor's network anything", async () => {
  const rests = 300;
  for (let number = 0; number < rests; number += 1) {
    const response = await visit(`/docs/rest/${number}`);
    expect(response.headers.get("location")).toBe(`https://example.com/manual/rest/${number}?from=CH`);
  }
  expect(kvReads).toHaveLength(rests);
  expect([neon.queries, misses]).toEqual([0, 0]);
  // What was asked for a moment ago is answered from the isolate.
  expect((await visit(`/docs/rest/${rests - 1}`)).headers.get("server-timing")).toBe("isolate");
  expect(kvReads).toHaveLength(rests);
});

it("with KV and the database away, what is held of the link and its domain goes on forwarding", async () => {
  isKvUp = false;
  neon.instead = () => Promise.reject(new TypeError("the database is down"));
  expect((await visit("/docs/never/seen")).headers.get("location")).toBe(
    "https://example.com/manual/never/seen?from=CH",
  );
  expect((await visit("/deep/never/seen")).status).toBe(503);
});

it("a scan of deep paths costs what a scan of flat ones does, and without such links nothing is looked up twice", async () => {
  const costOf = async (host: string, toPath: (number: number) => string) => {
    [kvReads, neon.queries, misses] = [[], 0, 0];
    for (let number = 0; number < 10; number += 1) {
      expect((await visit(toPath(number), { host })).status).toBe(404);
    }
    return { kv: kvReads.length, db: neon.queries, misses };
  };
  await visit("/warm", { host: PLAIN_HOST });
  const flat = await costOf(PLAIN_HOST, (number) => `/flat-${number}`);
  expect(flat).toEqual({ kv: 10, db: 10, misses: 10 });
  expect(await costOf(PLAIN_HOST, (number) => `/deep/${number}/x.php`)).toEqual(flat);
  expect(await costOf(HOST, (number) => `/deep/${number}/x.php`)).toEqual(flat);
});

it("one password opens all that follows the slug", async () => {
  expect((await visit("/locked/a")).status).toBe(401);
  const body = new URLSearchParams({ password: PASSWORD });
  const opened = await visit("/locked/a%20b/c", { method: "POST", body });
  expect([opened.status, opened.headers.get("location")]).toEqual([
    303,
    "https://example.com/secret/a%20b/c",
  ]);
  expect(opened.headers.get("set-cookie")).toContain("; Path=/locked/;");
  const [cookie = ""] = (opened.headers.get("set-cookie") ?? "").split(";");
  expect((await visit("/locked/other", { headers: { cookie } })).headers.get("location")).toBe(
    "https://example.com/secret/other",
  );
});

type Asked = Pick<RequestInit, "method" | "body"> & {
  readonly headers?: Record<string, string>;
  readonly host?: string;
  readonly context?: ExecutionContext;
};

async function visit(
  path: string,
  { host = HOST, context = createExecutionContext(), ...init }: Asked = {},
): Promise<Response> {
  const headers = { "hopline-debug": "1", "cf-connecting-ip": "203.0.113.7", ...init.headers };
  const cf = { country: "CH" } as IncomingRequestCfProperties;
  const request = new Request<unknown, IncomingRequestCfProperties>(`https://${host}${path}`, {
    ...init,
    headers,
    redirect: "manual",
    cf,
  });
  return worker.fetch(request, bindings as unknown as typeof env, context);
}

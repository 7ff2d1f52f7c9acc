/** What the frame does around every route: validators, idempotency, rate limits, origins, sessions. */
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { v7 as uuidv7 } from "uuid";
import { describe, expect, it } from "vitest";
import type { Scope } from "../../src/http/api-key.ts";
import { readAccessSettings } from "../../src/http/access-settings.ts";
import { toPublicId } from "../../src/http/entity-id.ts";
import { PROBLEM_CODES } from "../../src/http/problem.ts";
import { createSessionVerifier, fetchKeysFrom } from "../../src/http/session-token.ts";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";

const { stage, workspace, key } = await openKeyedStage("admin");

type Link = { readonly id: string; readonly slug: string; readonly code?: string };

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

const createLink = (body: object, headers: { readonly [name: string]: string } = {}) =>
  callApi<Link>(stage, "POST /api/v1/links", { key, body, headers });

describe("a GET", () => {
  it.each([
    ["a link", async () => `/api/v1/links/${(await createLink({ url: "https://example.com/" })).body.id}`],
    ["a list", () => "/api/v1/domains"],
    ["the document", () => "/api/openapi.json"],
  ])("of %s answers 304 to a client whose copy is current", async (_what, pathOf) => {
    const path = await pathOf();
    const first = await callApi(stage, `GET ${path}`, { key });
    const tag = first.headers.get("etag") ?? "";
    expect(tag).toMatch(/^(W\/)?"[^"]+"$/);
    expect(first.headers.get("cache-control")).toBe("private, no-cache");
    for (const header of [tag, `"other", ${tag}`, "*", tag.replace(/^W\//, "")]) {
      const again = await callApi(stage, `GET ${path}`, { key, headers: { "if-none-match": header } });
      expect([again.status, again.body, again.headers.get("etag")]).toEqual([304, null, tag]);
    }
    const other = await callApi(stage, `GET ${path}`, { key, headers: { "if-none-match": '"other"' } });
    expect(other.status).toBe(200);
  });

  it("has another tag after a click on the link", async () => {
    const { body: link, headers } = await createLink({ url: "https://example.com/" });
    await stage.client.query(
      `UPDATE link_totals SET human = 1, total = 1, last_clicked_at = now() WHERE link_id = $1`,
      [link.id.slice(4)],
    );
    const read = await callApi(stage, `GET /api/v1/links/${link.id}`, {
      key,
      headers: { "if-none-match": headers.get("etag") ?? "" },
    });
    expect(read.status).toBe(200);
    expect(read.headers.get("etag")).not.toBe(headers.get("etag"));
  });
});

describe("a POST with an Idempotency-Key", () => {
  const body = { url: "https://example.com/once" };

  it("is carried out once, and answered the same way again", async () => {
    const first = await createLink(body, { "idempotency-key": "one" });
    const second = await createLink(body, { "idempotency-key": "one" });
    expect(second).toMatchObject({ status: 201, body: first.body });
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(second.headers.get("location")).toBe(first.headers.get("location"));
    expect(first.headers.get("idempotency-replayed")).toBeNull();
  });

  it("is refused if the key was used for a different request", async () => {
    await createLink(body, { "idempotency-key": "two" });
    const other = await createLink({ url: "https://example.com/other" }, { "idempotency-key": "two" });
    expect(other).toMatchObject({ status: 422, body: { code: "idempotency_mismatch" } });
    const elsewhere = await callApi(stage, "POST /api/v1/domains", {
      key,
      body,
      headers: { "idempotency-key": "two" },
    });
    expect(elsewhere).toMatchObject({ status: 422, body: { code: "idempotency_mismatch" } });
  });

  it("creates one link for ten simultaneous requests", async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        createLink({ url: "https://example.com/ten" }, { "idempotency-key": "ten" }),
      ),
    );
    const { rows } = await stage.client.query("SELECT 1 FROM links WHERE url = 'https://example.com/ten'");
    expect(rows.length).toBe(1);
    for (const { status, body: answer, headers } of answers) {
      expect(
        status === 201 || (answer.code === "idempotency_in_progress" && headers.has("retry-after")),
      ).toBe(true);
    }
  });

  it("may be sent again after an answer that asks for it", async () => {
    stage.endpoint.setFault(({ statements }) =>
      statements.some(({ query }) => query.includes("INSERT INTO links ")) ? { kind: "reset" } : null,
    );
    const failed = await createLink(body, { "idempotency-key": "again" });
    stage.endpoint.setFault(null);
    expect(failed.status).toBe(503);
    expect((await createLink(body, { "idempotency-key": "again" })).status).toBe(201);
  });

  it("is not answered with another caller's answer, whether that one may do the same or less", async () => {
    const headers = { "idempotency-key": "whose" };
    const first = await createLink(body, headers);
    const as = async (...scopes: readonly Scope[]) =>
      callApi<Link>(stage, "POST /api/v1/links", {
        key: await stage.addKey(workspace, scopes),
        body,
        headers,
      });
    expect(await as("links:read")).toMatchObject({ status: 403, body: { code: "scope_missing" } });
    const other = await as("links:write");
    expect([other.status, other.headers.get("idempotency-replayed")]).toEqual([201, null]);
    expect(other.body.id).not.toBe(first.body.id);
  });

  it("stores nothing for a route that does not exist, or that its scope refuses", async () => {
    const count = async () =>
      (await stage.client.query("SELECT 1 FROM idempotency_keys WHERE owner_id = $1", [workspace.id]))
        .rowCount;
    const before = await count();
    const reader = await stage.addKey(workspace, ["links:read"]);
    const headers = { "idempotency-key": "nowhere" };
    const statuses = [
      (await callApi(stage, "POST /api/v1/nothing", { key, body, headers })).status,
      (await callApi(stage, "POST /api/v1/links", { key: reader, body, headers })).status,
    ];
    expect([statuses, await count()]).toEqual([[404, 403], before]);
    expect((await createLink(body, headers)).status).toBe(201);
  });

  it("keeps keys of workspaces apart, and stores no secrets", async () => {
    const stranger = await stage.addKey(await stage.addWorkspace(), ["admin"]);
    const make = (caller: string) =>
      callApi<{ key: string; code?: string }>(stage, "POST /api/v1/keys", {
        key: caller,
        body: { name: "x", scopes: ["admin"] },
        headers: { "idempotency-key": "key" },
      });
    const ours = await make(key);
    expect([ours.status, (await make(stranger)).status]).toEqual([201, 201]);
    expect(await make(key)).toMatchObject({ status: 409, body: { code: "idempotency_secret" } });
    const { rows } = await stage.client.query("SELECT idempotency_keys::text AS row FROM idempotency_keys");
    expect(JSON.stringify(rows)).not.toContain(ours.body.key);
  });

  it.each(["x".repeat(256), "", "Grüße"])("refuses the key %.20j", async (idempotencyKey) => {
    const encoded = Buffer.from(idempotencyKey, "utf8").toString("latin1");
    const answer = await createLink(body, { "idempotency-key": encoded });
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid" } });
  });

  it("keeps no answer about faults: the key is free for the request as it should have been", async () => {
    const headers = { "idempotency-key": "faults" };
    const refused = await createLink({ url: "nonsense" }, headers);
    const { rows } = await stage.client.query("SELECT FROM idempotency_keys WHERE status = 422");
    expect([refused.status, rows.length]).toEqual([422, 0]);
    const made = await createLink(body, headers);
    expect([made.status, (await createLink(body, headers)).body.id]).toEqual([201, made.body.id]);
  });

  type Made = { readonly created: number; readonly results: readonly { readonly link: Link }[] };
  const bytesKept = async () =>
    (await stage.client.query("SELECT max(octet_length(body)) AS most FROM idempotency_keys")).rows[0].most;

  it("keeps no answer of more than 256 KB, and makes nothing twice all the same", async () => {
    const items = Array.from({ length: 160 }, (_, item) => ({
      url: `https://example.com/${item}/${"x".repeat(1_800)}`,
    }));
    const make = () =>
      callApi<Made>(stage, "POST /api/v1/links/bulk", {
        key,
        body: { items },
        headers: { "idempotency-key": "large" },
      });
    const idsOf = (made: Made) => made.results.map(({ link }) => link.id);
    const [first, again] = [await make(), await make()];
    expect(JSON.stringify(first.body).length).toBeGreaterThan(256 * 1024);
    expect(idsOf(again.body)).toEqual(idsOf(first.body));
    expect(again.headers.get("idempotency-replayed")).toBeNull();
    expect(await bytesKept()).toBeLessThan(256 * 1024);
    const { rowCount } = await stage.client.query(
      "SELECT FROM links WHERE url LIKE 'https://example.com/_/xxx%'",
    );
    expect(rowCount).toBe(10);
  });

  it("keeps answers as long as a workspace has room for them, and makes nothing twice beyond", async () => {
    const full = await stage.addWorkspace();
    const asFull = { key: await stage.addKey(full, ["admin"]), body, headers: { "idempotency-key": "full" } };
    const sumOf = async () =>
      (await stage.client.query("SELECT bytes::int FROM stored_answers WHERE owner_id = $1", [full.id])).rows;
    const first = await callApi<Link>(stage, "POST /api/v1/links", asFull);
    expect((await callApi(stage, "POST /api/v1/links", asFull)).headers.get("idempotency-replayed")).toBe(
      "true",
    );
    expect(await sumOf()).toEqual([{ bytes: Buffer.byteLength(JSON.stringify(first.body)) }]);
    await stage.client.query("UPDATE stored_answers SET bytes = 19999999 WHERE owner_id = $1", [full.id]);
    const beyond = { ...asFull, headers: { "idempotency-key": "beyond" } };
    const [made, again] = [
      await callApi<Link>(stage, "POST /api/v1/links", beyond),
      await callApi<Link>(stage, "POST /api/v1/links", beyond),
    ];
    expect([again.body.id, again.headers.get("idempotency-replayed")]).toEqual([made.body.id, null]);
    expect(await sumOf()).toEqual([{ bytes: 19_999_999 }]);
  });

  it("frees the key of a request that died after a minute, and has an answer for a day", async () => {
    const change = (columns: string) =>
      stage.client.query(`UPDATE idempotency_keys SET ${columns} WHERE owner_id = $1`, [workspace.id]);
    await createLink(body, { "idempotency-key": "dead" });
    await change(`status = NULL, body = NULL, attempt_id = '${uuidv7()}'`);
    expect((await createLink(body, { "idempotency-key": "dead" })).status).toBe(409);
    await change(`attempt_id = '${uuidv7({ msecs: Date.now() - 61_000 })}'`);
    expect((await createLink(body, { "idempotency-key": "dead" })).status).toBe(201);
    await change("created_at = now() - interval '25 hours'");
    const anew = await createLink({ url: "https://example.com/new" }, { "idempotency-key": "dead" });
    expect([anew.status, anew.headers.get("idempotency-replayed")]).toEqual([201, null]);
  });
});

describe("the rate limit", () => {
  it("is shown in every answer, and enforced", async () => {
    const narrow = { app: stage.appWith({ requestsPerMinute: 3 }) };
    const owner = await stage.addWorkspace();
    const caller = await stage.addKey(owner, ["links:read"]);
    const other = await stage.addKey(owner, ["links:read"]);
    const answers = [];
    for (let count = 0; count < 5; count += 1) {
      answers.push(await callApi(narrow, "GET /api/v1/domains", { key: caller }));
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
    expect(answers.map(({ headers }) => headers.get("ratelimit-remaining")).join()).toBe("2,1,0,0,0");
    expect(answers.every(({ headers }) => headers.get("ratelimit-limit") === "3")).toBe(true);
    const wait = Number(answers.at(-1)?.headers.get("retry-after"));
    expect(wait > 0 && wait <= 60).toBe(true);
    expect((await callApi(narrow, "GET /api/v1/domains", { key: other })).status).toBe(200);
    await stage.client.query("UPDATE request_counts SET window_started_at = now() - interval '60 seconds'");
    expect((await callApi(narrow, "GET /api/v1/domains", { key: caller })).status).toBe(200);
  });

  it("is not got round with fresh keys: a workspace's callers have five budgets together", async () => {
    const narrow = { app: stage.appWith({ requestsPerMinute: 3 }) };
    const owner = await stage.addWorkspace();
    const statuses: number[] = [];
    const limits = new Set<string | null>();
    for (let made = 0; made < 6; made += 1) {
      const fresh = await stage.addKey(owner, ["links:read"]);
      for (let asked = 0; asked < 3; asked += 1) {
        const answer = await callApi(narrow, "GET /api/v1/domains", { key: fresh });
        statuses.push(answer.status);
        limits.add(answer.headers.get("ratelimit-limit"));
      }
    }
    expect(statuses).toEqual([...Array<number>(15).fill(200), ...Array<number>(3).fill(429)]);
    expect([...limits]).toEqual(["3", "15"]);
    const stranger = await stage.addKey(await stage.addWorkspace(), ["links:read"]);
    expect((await callApi(narrow, "GET /api/v1/domains", { key: stranger })).status).toBe(200);
  });

  it("never makes the requests of one workspace wait for each other for ever", async () => {
    const owner = await stage.addWorkspace();
    const keys = await Array.fromAsync({ length: 6 }, () => stage.addKey(owner, ["links:read"]));
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        callApi(stage, "GET /api/v1/domains", { key: keys[index % keys.length] ?? "" }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it("is exact for simultaneous requests", async () => {
    const caller = await stage.addKey(workspace, ["links:read"]);
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => callApi(stage, "GET /api/v1/domains", { key: caller })),
    );
    const remaining = answers.map(({ headers }) => Number(headers.get("ratelimit-remaining")));
    expect(new Set(remaining).size).toBe(30);
    expect(Math.min(...remaining)).toBe(1_000_000 - 30);
  });
});

describe("a problem", () => {
  type Problem = { readonly type: string; readonly detail: string; readonly requestId: string };

  const send = (path: string, init: RequestInit & { readonly key?: string | null } = {}) =>
    stage.app.request(`https://go.example.com${path}`, {
      ...init,
      headers: { ...(init.key === null ? {} : { authorization: `Bearer ${key}` }), ...init.headers },
    });
  const json = { "content-type": "application/json" };

  it.each([
    ["a missing key", 401, () => send("/api/v1/links", { key: null })],
    ["a route that does not exist", 404, () => send("/api/v1/nothing")],
    ["a path beside the API's", 404, () => send("/api/nothing", { key: null })],
    ["a method that the path does not have", 405, () => send("/api/v1/links", { method: "PUT" })],
    [
      "a body that is too large",
      413,
      () => send("/api/v1/links", { method: "POST", headers: json, body: "x".repeat(1_000_001) }),
    ],
    ["a body of another type", 415, () => send("/api/v1/links", { method: "POST", body: "x" })],
    [
      "a body that is not JSON",
      400,
      () => send("/api/v1/links", { method: "POST", headers: json, body: "{" }),
    ],
    [
      "a field that is not valid",
      422,
      () => send("/api/v1/links", { method: "POST", headers: json, body: "{}" }),
    ],
    [
      "too many requests",
      429,
      () =>
        stage
          .appWith({ requestsPerMinute: 0 })
          .request("https://go.example.com/api/v1/links", { headers: { authorization: `Bearer ${key}` } }),
    ],
    [
      "a crash",
      500,
      () =>
        stage
          .appWith({}, { database: Object.create(null) })
          .request("https://go.example.com/api/v1/links", { headers: { authorization: `Bearer ${key}` } }),
    ],
  ])(
    "of %s (%i) has the shape of all others, and a type that leads to its page",
    async (_what, status, ask) => {
      const response = await ask();
      const problem = (await response.json()) as Problem;
      expect([response.status, response.headers.get("content-type")]).toEqual([
        status,
        "application/problem+json",
      ]);
      expect(problem).toEqual({
        type: expect.stringMatching(/^https:\/\/go\.example\.com\/api\/problems\/\w+$/),
        title: expect.stringMatching(/^[A-Z]/),
        status,
        detail: expect.stringMatching(/: .+/),
        code: expect.stringMatching(/^\w+$/),
        requestId: response.headers.get("x-request-id"),
        ...(status === 422 ? { errors: expect.any(Array) } : {}),
      });
      const page = await stage.app.request(problem.type);
      expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      expect(await page.text()).toContain(problem.type.split("/").at(-1));
    },
  );

  it("says in its detail which fields are wrong", async () => {
    const body = JSON.stringify({ title: 1, slug: "", tags: "x", cap: 1, nonsense: true });
    const response = await send("/api/v1/links", { method: "POST", headers: json, body });
    const { detail } = (await response.json()) as Problem;
    expect(detail).toMatch(/^url .+; slug is not a slug: .+; title .+; and 3 more$/);
  });

  it("has a page only if its code exists", async () => {
    expect((await send("/api/problems/nonsense", { key: null })).status).toBe(404);
    const list = await (await send("/api/problems", { key: null })).text();
    expect(PROBLEM_CODES.filter((code) => !list.includes(`<code>${code}</code>`))).toEqual([]);
  });
});

describe("a request's id", () => {
  const ask = async (ray?: string) => {
    const headers = ray === undefined ? {} : { "cf-ray": ray };
    const response = await stage.app.request("/api/openapi.json", { headers });
    return response.headers.get("x-request-id");
  };

  it("is Cloudflare's ray id, which its logs have too; without one, no two are alike", async () => {
    expect(await ask("9d3c1f0a5b7e2468-FRA")).toBe("9d3c1f0a5b7e2468-FRA");
    expect(await ask('made up" by a client')).not.toContain("made up");
    expect(await ask()).not.toBe(await ask());
  });

  it("of a repeated POST that was refused is that of the repetition", async () => {
    const headers = { "idempotency-key": "refused" };
    await createLink({ url: "https://example.com/", slug: "refused" });
    const taken = { url: "https://example.com/", slug: "refused" };
    const first = await createLink(taken, headers);
    const again = await createLink(taken, headers);
    expect([first.status, again.status, again.headers.get("idempotency-replayed")]).toEqual([
      409,
      409,
      "true",
    ]);
    expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
    expect(again.body).toEqual({ ...first.body, requestId: again.headers.get("x-request-id") });
  });
});

it("what a proxy is said to have forwarded makes no request another host's", async () => {
  const headers = {
    "x-forwarded-host": "localhost",
    "x-forwarded-proto": "http",
    forwarded: "host=localhost",
  };
  const elsewhere = "http://go.example.com";
  expect((await stage.app.request(`${elsewhere}/api/auth/options`, { headers })).status).toBe(404);
  expect((await stage.app.request("/api/auth/options")).status).toBe(200);
  const unknown = await callApi<{ type: string }>(stage, `GET ${elsewhere}/api/v1/nothing`, { key, headers });
  expect(unknown.body.type).toBe(`${elsewhere}/api/problems/not_found`);
});

describe("a page of another origin", () => {
  const withOrigins = () => ({ app: stage.appWith({ corsOrigins: ["https://app.example.com"] }) });
  const preflight = (origin: string) =>
    withOrigins().app.request("/api/v1/links/bulk", {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization, content-type, hopline-workspace",
      },
    });

  it("may call if its origin is configured, and read our headers", async () => {
    const response = await preflight("https://app.example.com");
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([
      204,
      "https://app.example.com",
    ]);
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
    expect(response.headers.get("access-control-allow-headers")?.split(",")).toContain("hopline-workspace");
    const answer = await callApi(withOrigins(), "GET /api/v1/domains", {
      key,
      headers: { origin: "https://app.example.com" },
    });
    expect(answer.headers.get("access-control-expose-headers")).toContain("etag");
    expect(answer.headers.get("access-control-allow-origin")).toBe("https://app.example.com");
  });

  it.each(["https://evil.example", "https://app.example.com.evil.example", "null"])(
    "may not call from %s",
    async (origin) => {
      expect((await preflight(origin)).headers.get("access-control-allow-origin")).toBeNull();
    },
  );
});

describe("a session's token", () => {
  const issuer = "https://id.example.com/";
  const audience = "hopline";

  async function openSessions() {
    const { publicKey, privateKey } = await generateKeyPair("ES256");
    const jwk = { ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256" };
    const provider = { isUp: true };
    const { createServer } = await import("node:http");
    const server = createServer((_request, response) => {
      response.writeHead(provider.isUp ? 200 : 500).end(JSON.stringify({ keys: [jwk] }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const verifierOf = () =>
      createSessionVerifier({ getKey: fetchKeysFrom(`http://127.0.0.1:${port}/jwks`), issuer, audience });
    return { privateKey, provider, verifierOf, close: () => server.close() };
  }

  const claims = (change: JWTPayload = {}): JWTPayload => ({
    sub: "user-1",
    workspace: toPublicId("ws", workspace.id),
    scope: "links:read openid",
    iss: issuer,
    aud: audience,
    exp: Math.floor(Date.now() / 1_000) + 300,
    ...change,
  });

  it("gives the access in its claims, and none if anything about it is wrong", async () => {
    const sessions = await openSessions();
    const withSessions = { app: stage.appWith({ verifySession: sessions.verifierOf() }) };
    const sign = (payload: JWTPayload, signer: CryptoKey = sessions.privateKey) =>
      new SignJWT(payload).setProtectedHeader({ alg: "ES256", kid: "k1" }).sign(signer);
    const base = claims();
    const ask = async (token: string) => callApi(withSessions, "GET /api/v1/workspaces", { key: token });

    const opened = await ask(await sign(base));
    expect(opened).toMatchObject({ status: 200, body: { data: [{ id: toPublicId("ws", workspace.id) }] } });
    expect(opened.headers.get("ratelimit-remaining")).toBe("999999");
    expect((await ask(await sign({ ...base, scope: ["admin"] }))).status).toBe(200);
    expect(await ask(await sign({ ...base, scope: "links:write" }))).toMatchObject({ status: 403 });
    // It has one workspace, as a key has.
    const elsewhere = await callApi(withSessions, "GET /api/v1/workspaces", {
      key: await sign(base),
      headers: { "hopline-workspace": "ws_00000000000070008000000000000009" },
    });
    expect(elsewhere).toMatchObject({ status: 403, body: { code: "workspace_mismatch" } });

    const stranger = (await generateKeyPair("ES256")).privateKey;
    const { exp: _exp, ...endless } = base;
    const unsigned = `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify(base))}.`.replaceAll("=", "");
    const wrong = await Promise.all([
      sign({ ...base, exp: 1 }),
      sign({ ...base, iss: "https://evil.example/" }),
      sign({ ...base, aud: "another" }),
      sign({ ...base, workspace: "ws_nonsense" }),
      sign({ ...base, workspace: "ws_00000000000070008000000000000009" }),
      sign({ ...base, sub: "" }),
      sign({ ...base, sub: "a\u0000b" }),
      sign(endless),
      sign(base, stranger),
      new SignJWT(base)
        .setProtectedHeader({ alg: "HS256", kid: "k1" })
        .sign(new TextEncoder().encode("x".repeat(32))),
    ]);
    for (const token of [...wrong, unsigned, "a.b.c"]) {
      expect(await ask(token)).toMatchObject({ status: 401, body: { code: "key_invalid" } });
    }
    sessions.close();
  });

  it("that ends while a file arrives brings no further links", async () => {
    const sessions = await openSessions();
    let nowMs = Date.now();
    const app = stage.appWith({ verifySession: sessions.verifierOf() }, { nowMs: () => nowMs });
    const exp = Math.floor(nowMs / 1_000) + 10;
    const token = await new SignJWT(claims({ scope: "links:write", exp }))
      .setProtectedHeader({ alg: "ES256", kid: "k1" })
      .sign(sessions.privateKey);
    const link = (slug: string) =>
      new TextEncoder().encode(`{"url":"https://example.com/","slug":"${slug}"}\n`);
    const taken = async (slug: string) =>
      (
        await stage.client.query("SELECT FROM links WHERE workspace_id = $1 AND slug = $2", [
          workspace.id,
          slug,
        ])
      ).rows.length;
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(link("in-time"));
        // A thousand rows are written before more is read.
        Array.from({ length: 999 }, () => controller.enqueue(new TextEncoder().encode("{}\n")));
        await expect.poll(() => taken("in-time")).toBe(1);
        nowMs += 20_000;
        controller.enqueue(link("too-late"));
        controller.close();
      },
    });
    // Without a length the whole body is read first.
    const sent = { "content-type": "application/x-ndjson", "content-length": "4096" };
    const headers = { authorization: `Bearer ${token}`, ...sent };
    const init = { method: "POST", headers, body, duplex: "half" };
    const answer = await app.fetch(new Request("http://localhost/api/v1/links/import", init));
    expect([answer.status, await taken("in-time"), await taken("too-late")]).toEqual([403, 1, 0]);
    sessions.close();
  });

  it("of a few seconds creates no key for ever, but one of ninety days at most", async () => {
    const sessions = await openSessions();
    const withSessions = { app: stage.appWith({ verifySession: sessions.verifierOf() }) };
    const exp = Math.floor(Date.now() / 1_000) + 10;
    const token = await new SignJWT(claims({ scope: "admin", exp }))
      .setProtectedHeader({ alg: "ES256", kid: "k1" })
      .sign(sessions.privateKey);
    const create = (days: number | null) =>
      callApi(withSessions, "POST /api/v1/keys", {
        key: token,
        body: { name: "x", scopes: ["admin"], expiresAt: days === null ? null : inDays(days) },
      });
    const answers = [await create(null), await create(91), await create(89)];
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 201]);
    expect(answers[0]).toMatchObject({ body: { errors: [{ path: "expiresAt" }] } });
    sessions.close();
  });

  it.each([
    ["http://id.example.com/jwks", false],
    ["http://localhost.example.com/jwks", false],
    ["ftp://id.example.com/jwks", false],
    ["nonsense", false],
    ["https://id.example.com/jwks", true],
    ["http://localhost:8080/jwks", true],
    ["http://127.0.0.1/jwks", true],
  ])("is not verified with keys that came over plain http: %s", (JWT_JWKS_URL, isUsable) => {
    const read = () =>
      readAccessSettings({
        JWT_JWKS_URL,
        JWT_ISSUER: issuer,
        JWT_AUDIENCE: audience,
        CORS_ORIGINS: "",
        REQUESTS_PER_MINUTE: "600",
      });
    if (isUsable) {
      expect(read().verifySession).not.toBeNull();
    } else {
      expect(read).toThrow("JWT_JWKS_URL is not usable: set it to an https URL");
    }
  });

  it("is answered 503, not 401, while the provider's keys can't be fetched", async () => {
    const sessions = await openSessions();
    sessions.provider.isUp = false;
    const withSessions = { app: stage.appWith({ verifySession: sessions.verifierOf() }) };
    const token = await new SignJWT(claims())
      .setProtectedHeader({ alg: "ES256", kid: "k1" })
      .sign(sessions.privateKey);
    const answer = await callApi(withSessions, "GET /api/v1/workspaces", { key: token });
    expect(answer).toMatchObject({ status: 503, body: { code: "sessions_unavailable" } });
    sessions.close();
  });

  it("is refused if no provider is configured", async () => {
    expect((await callApi(stage, "GET /api/v1/workspaces", { key: "a.b.c" })).status).toBe(401);
  });
});

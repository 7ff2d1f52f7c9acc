import { decodeLinkRecord } from "@hopline/core/link/link-record";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStage, type Stage, type Workspace } from "../stage.ts";
import { answered, clientOf, outcomeOf } from "../typed-api.ts";

let stage: Stage;
let workspace: Workspace;
let key: string;

beforeAll(async () => {
  stage = await openStage();
  workspace = await stage.addWorkspace();
  key = await stage.addKey(workspace, ["links:read", "links:write"]);
});

afterAll(() => stage.close());

describe("POST /api/v1/links", () => {
  it("needs only a url, and answers the whole link", async () => {
    const body = await post({ url: "https://example.com/spring" });
    expect(body).toEqual({
      id: expect.stringMatching(/^lnk_[0-9a-f]{32}$/),
      domain: workspace.host,
      slug: expect.stringMatching(/^[2-9A-HJ-NP-Za-km-z]{7}$/),
      shortUrl: `https://${workspace.host}/${body.slug}`,
      url: "https://example.com/spring",
      status: "live",
      redirectStatus: 302,
      title: null,
      tags: [],
      externalId: null,
      previousSlugs: [],
      rules: [],
      split: null,
      next: null,
      startsAt: null,
      expiresAt: null,
      expiredUrl: null,
      hasOwnRedirectStatus: false,
      hasPassword: false,
      cap: null,
      forwardQuery: "none",
      utm: null,
      openGraph: null,
      clicks: { human: 0, total: 0 },
      version: 1,
      createdAt: expect.stringMatching(/^20\d\d-\d\d-\d\dT.*Z$/),
      updatedAt: body.createdAt,
    });
  });

  it("publishes the record that the edge reads, under the address that the edge asks for", async () => {
    const body = await post({ url: "https://example.com/x", slug: "Grüße-🚀", redirectStatus: 307 });
    const published = stage.edge.inKv.get(`${workspace.host}/Grüße-🚀`) ?? "";
    expect(decodeLinkRecord(published)).toMatchObject({
      ok: true,
      value: { url: "https://example.com/x", redirectStatus: 307, version: 1, state: "live" },
    });
    expect(body.shortUrl).toBe(`https://${workspace.host}/Gr%C3%BC%C3%9Fe-%F0%9F%9A%80`);
    expect(new URL(body.shortUrl).pathname).toBe("/Gr%C3%BC%C3%9Fe-%F0%9F%9A%80");
  });

  it("refuses a slug that is taken, and only then", async () => {
    const taken = { url: "https://example.com/", slug: "taken" };
    await post(taken);
    const second = await answered(clientOf(stage, key).links.$post({ json: taken, header: {} }), 409);
    expect([second.code, second.errors?.[0]?.path]).toEqual(["slug_taken", "slug"]);
    await post({ url: "https://example.com/", slug: "Taken" });
  });

  it("succeeds when publishing fails: the link is committed, and the log says what is missing", async () => {
    stage.edge.state.kvIsUp = false;
    const body = await post({ url: "https://example.com/" });
    stage.edge.state.kvIsUp = true;
    expect((await get(body.id)).status).toBe(200);
    expect(stage.log.at(-1)).toMatchObject({ event: "link.publish_failed", version: 1 });
  });

  it.each([
    ["not JSON at all", "{", 400, "body_malformed"],
    ["an array", "[]", 422, "invalid"],
    ["nothing", "{}", 422, "invalid"],
    ["null", "null", 422, "invalid"],
    ["a url that is none", JSON.stringify({ url: "spring" }), 422, "invalid"],
    ["a script", JSON.stringify({ url: "javascript:alert(1)" }), 422, "invalid"],
    ["credentials in a url", JSON.stringify({ url: "https://u:p@example.com/" }), 422, "invalid"],
    ["a url of 9 KB", JSON.stringify({ url: `https://example.com/${"a".repeat(9_000)}` }), 422, "invalid"],
    ["the API's own address", JSON.stringify({ url: "https://example.com/", slug: "API" }), 422, "invalid"],
    ["a slug with a slash", JSON.stringify({ url: "https://example.com/", slug: "a/b" }), 422, "invalid"],
    [
      "a status that is no redirect",
      JSON.stringify({ url: "https://example.com/", redirectStatus: 200 }),
      422,
      "invalid",
    ],
    ["an unknown field", JSON.stringify({ url: "https://example.com/", admin: true }), 422, "invalid"],
    ["a prototype", '{"url":"https://example.com/","__proto__":{"admin":true}}', 422, "invalid"],
    [
      "a foreign domain",
      JSON.stringify({ url: "https://example.com/", domain: "example.org" }),
      422,
      "no_domain",
    ],
    ["2 MB", JSON.stringify({ url: `https://example.com/${"a".repeat(2_000_000)}` }), 413, "body_too_large"],
    ["deep nesting", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, 422, "invalid"],
  ])("answers %s with a clear problem", async (_what, text, status, code) => {
    const response = await send("POST", "/api/v1/links", { body: text });
    expect([response.status, response.body.code]).toEqual([status, code]);
    expect(response.contentType).toBe("application/problem+json");
  });

  it("names the field that is wrong", async () => {
    const { body } = await send("POST", "/api/v1/links", {
      body: JSON.stringify({ url: "spring", redirectStatus: "301" }),
    });
    expect(body.errors.map((error) => error.path)).toEqual(["url", "redirectStatus"]);
  });

  it("asks for JSON when something else is sent", async () => {
    const response = await send("POST", "/api/v1/links", {
      body: "url=https://example.com/",
      type: "text/plain",
    });
    expect([response.status, response.body.code]).toEqual([415, "unsupported_media_type"]);
  });
});

describe("GET /api/v1/links/{id}", () => {
  it("answers the link with its count of clicks", async () => {
    const link = await post({ url: "https://example.com/" });
    await stage.client.query(
      `INSERT INTO click_rollups (link_id, bucket_start, class, clicks)
       VALUES ($1, '2026-11-01T00:00Z', 'human', 3), ($1, '2026-11-02T00:00Z', 'human', 1), ($1, '2026-11-02T00:00Z', 'bot', 2)`,
      [link.id.slice(4)],
    );
    expect((await get(link.id)).body).toEqual({ ...link, clicks: { human: 4, total: 6 } });
  });

  it.each([
    "lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f",
    "lnk_",
    "spring",
    "%00",
    "lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0g",
  ])("answers 404 for %s", async (id) => {
    const response = await get(id);
    expect(response).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  it("shows no link of another workspace", async () => {
    const link = await post({ url: "https://example.com/" });
    const stranger = await stage.addKey(await stage.addWorkspace(), ["admin"]);
    expect((await send("GET", `/api/v1/links/${link.id}`, { key: stranger })).status).toBe(404);
  });
});

describe("an API key", () => {
  it("is asked for", async () => {
    const response = await stage.app.request("/api/v1/links", { method: "POST", body: "{}" });
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  });

  it("is missed where it comes without the word Bearer", async () => {
    const response = await stage.app.request("/api/v1/links/lnk_1", { headers: { authorization: key } });
    expect(await response.json()).toMatchObject({ status: 401, code: "key_missing" });
  });

  it.each([
    "Bearer nonsense",
    "Basic aG9wOmhvcA==",
    `Bearer hop_${"x".repeat(32)}`,
    "Bearer hop_' OR 1=1 --",
  ])("that is %s opens nothing", async (authorization) => {
    const response = await stage.app.request("/api/v1/links/lnk_1", { headers: { authorization } });
    expect(response.status).toBe(401);
  });

  it("opens nothing once it is revoked or expired", async () => {
    const revoked = await stage.addKey(workspace, ["admin"], { revokedAt: "2026-01-01T00:00:00Z" });
    const expired = await stage.addKey(workspace, ["admin"], { expiresAt: "2026-01-01T00:00:00Z" });
    expect((await send("GET", "/api/v1/links/lnk_1", { key: revoked })).status).toBe(401);
    expect((await send("GET", "/api/v1/links/lnk_1", { key: expired })).status).toBe(401);
  });

  it("does only what its scopes allow", async () => {
    const reader = await stage.addKey(workspace, ["links:read"]);
    const writer = await stage.addKey(workspace, ["links:write"]);
    expect((await send("POST", "/api/v1/links", { key: reader, body: "{}" })).body.code).toBe(
      "scope_missing",
    );
    expect((await send("GET", "/api/v1/links/lnk_1", { key: writer })).body.code).toBe("scope_missing");
  });
});

describe("when the database is down", () => {
  it("answers 503 with Retry-After and says nothing of the inside", async () => {
    stage.endpoint.setFault(() => ({ kind: "reset" }));
    const response = await stage.app.request("/api/v1/links/lnk_1", {
      headers: { authorization: `Bearer ${key}` },
    });
    stage.endpoint.setFault(null);
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await response.text()).not.toMatch(/postgres|SELECT|127\.0\.0\.1/i);
    expect(JSON.stringify(stage.log)).not.toMatch(/postgres:|SELECT|hop_/);
  });
});

/** A problem: what `send` is for. */
type AnswerBody = {
  readonly code: string;
  readonly errors: readonly { readonly path: string }[];
};

type Answer = { readonly status: number; readonly contentType: string | null; readonly body: AnswerBody };

type Links = ReturnType<typeof clientOf>["links"];
type CreateBody = Parameters<Links["$post"]>[0]["json"];

function post(json: CreateBody) {
  return answered(clientOf(stage, key).links.$post({ json, header: {} }), 201);
}

function get(linkId: string) {
  return outcomeOf(clientOf(stage, key).links[":linkId"].$get({ param: { linkId } }));
}

async function send(
  method: string,
  path: string,
  options: { readonly body?: string; readonly key?: string; readonly type?: string } = {},
): Promise<Answer> {
  const response = await stage.app.request(path, {
    method,
    headers: {
      authorization: `Bearer ${options.key ?? key}`,
      "content-type": options.type ?? "application/json",
    },
    ...(options.body === undefined ? {} : { body: options.body }),
  });
  return {
    status: response.status,
    contentType: response.headers.get("content-type"),
    body: (await response.json()) as AnswerBody,
  };
}

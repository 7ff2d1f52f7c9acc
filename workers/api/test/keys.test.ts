import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Call, callApi } from "./call-api.ts";
import { openStage, type Stage, type Workspace } from "./stage.ts";

let stage: Stage;
let workspace: Workspace;
let admin: string;

beforeAll(async () => {
  stage = await openStage();
  workspace = await stage.addWorkspace();
  admin = await stage.addKey(workspace, ["admin"]);
});

afterAll(() => stage.close());

type KeyAnswer = {
  readonly id: string;
  readonly key: string;
  readonly prefix: string;
  readonly code?: string;
};

function createKey(body: object, headers: Call["headers"] = {}) {
  return callApi<KeyAnswer>(stage, "POST /api/v1/keys", { key: admin, body, headers });
}

describe("an API key", () => {
  it("is shown once, and only its beginning afterwards", async () => {
    const created = await createKey({ name: "CI", scopes: ["links:read"] });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f]{32}$/),
      key: expect.stringMatching(/^hop_[A-Za-z0-9]{32}$/),
      prefix: created.body.key.slice(0, 12),
      name: "CI",
      scopes: ["links:read"],
      expiresAt: null,
      revokedAt: null,
      createdAt: expect.any(String),
    });
    expect(created.headers.get("cache-control")).toBe("no-store");

    const read = await callApi(stage, `GET /api/v1/keys/${created.body.id}`, { key: admin });
    const { key: _secret, ...shown } = created.body;
    expect(read.body).toEqual(shown);
    const { rows } = await stage.client.query("SELECT api_keys::text AS row FROM api_keys");
    expect(JSON.stringify(rows)).not.toContain(created.body.key);
  });

  it("opens what its scopes say, until the request after its revocation", async () => {
    const { body: created } = await createKey({ name: "Short", scopes: ["links:read"] });
    const ask = () => callApi(stage, "GET /api/v1/domains", { key: created.key });
    expect((await ask()).status).toBe(200);
    expect((await callApi(stage, `DELETE /api/v1/keys/${created.id}`, { key: admin })).status).toBe(204);
    expect(await ask()).toMatchObject({ status: 401, body: { code: "key_invalid" } });
  });

  it("keeps the moment of its first revocation", async () => {
    const { body: created } = await createKey({ name: "Twice", scopes: ["links:read"] });
    const target = `/api/v1/keys/${created.id}` as const;
    await callApi(stage, `DELETE ${target}`, { key: admin });
    const first = await callApi<{ revokedAt: string }>(stage, `GET ${target}`, { key: admin });
    expect((await callApi(stage, `DELETE ${target}`, { key: admin })).status).toBe(204);
    expect((await callApi(stage, `GET ${target}`, { key: admin })).body).toEqual(first.body);
    expect(first.body.revokedAt).not.toBeNull();
  });

  it("opens nothing after its expiry", async () => {
    const { body } = await createKey({
      name: "Old",
      scopes: ["admin"],
      expiresAt: "2026-01-01T00:00:00+02:00",
    });
    expect(body).toMatchObject({ expiresAt: "2025-12-31T22:00:00.000Z" });
    expect((await callApi(stage, "GET /api/v1/keys", { key: body.key })).status).toBe(401);
  });

  it.each([
    ["no scope", { name: "x", scopes: [] }],
    ["an unknown scope", { name: "x", scopes: ["root"] }],
    ["no name", { name: "", scopes: ["admin"] }],
    ["a name that Postgres can't hold", { name: "a\u0000b", scopes: ["admin"] }],
    ["an instant without a zone", { name: "x", scopes: ["admin"], expiresAt: "2027-01-01T00:00:00" }],
  ])("is not made with %s", async (_what, body) => {
    expect(await createKey(body)).toMatchObject({ status: 422, body: { code: "invalid" } });
  });

  it("is listed with the others of its workspace, newest first, page by page", async () => {
    const key = await stage.addKey(await stage.addWorkspace(), ["admin"]);
    for (const name of ["a", "b", "c"]) {
      await callApi(stage, "POST /api/v1/keys", { key, body: { name, scopes: ["admin"] } });
    }
    type Page = { readonly data: readonly { readonly name: string }[]; readonly nextCursor: string | null };
    const names: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const query: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const page: { body: Page } = await callApi<Page>(stage, `GET /api/v1/keys?limit=2${query}`, { key });
      names.push(...page.body.data.map(({ name }) => name));
      cursor = page.body.nextCursor;
    }
    expect(names).toEqual(["c", "b", "a", "Test"]);
  });
});

describe("a cursor", () => {
  const forged = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString("base64url");

  it.each([
    ["nonsense", "!!!"],
    ["no JSON", "aGVsbG8"],
    ["of another list", forged(["domains", "", "00000000-0000-7000-8000-000000000001"])],
    ["with SQL in it", forged(["keys", "", "' OR 1=1 --"])],
    ["with the wrong types", forged({ order: "keys" })],
  ])("that is %s is refused", async (_what, cursor) => {
    const answer = await callApi(stage, `GET /api/v1/keys?cursor=${encodeURIComponent(cursor)}`, {
      key: admin,
    });
    expect(answer).toMatchObject({ status: 422, body: { code: "cursor_invalid" } });
  });

  it.each(["0", "101", "1.5", "ten", ""])("has no page of %s rows", async (limit) => {
    const answer = await callApi(stage, `GET /api/v1/keys?limit=${limit}`, { key: admin });
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid" } });
  });
});

describe("a short domain", () => {
  type DomainAnswer = { readonly id: string; readonly host: string; readonly code?: string };
  const createDomain = (host: string) =>
    callApi<DomainAnswer>(stage, "POST /api/v1/domains", { key: admin, body: { host } });

  it.each([
    ["Go.Example.COM", "go.example.com"],
    ["grüße.example", "xn--gre-6ka8l.example"],
    ["localhost:8787", "localhost:8787"],
    ["a.example:443", "a.example"],
  ])("%s is kept as %s", async (host, kept) => {
    expect(await createDomain(host)).toMatchObject({ status: 201, body: { host: kept } });
  });

  it.each([
    "",
    "https://go.example",
    "go.example/x",
    "a b",
    "u@go.example",
    "go.example?x",
    "[::1]",
    "%41.example",
  ])("%j is no host", async (host) => {
    expect(await createDomain(host)).toMatchObject({ status: 422, body: { code: "invalid" } });
  });

  it("belongs to one workspace", async () => {
    await createDomain("mine.example");
    const stranger = await stage.addKey(await stage.addWorkspace(), ["admin"]);
    const again = await callApi(stage, "POST /api/v1/domains", {
      key: stranger,
      body: { host: "MINE.example" },
    });
    expect(again).toMatchObject({ status: 409, body: { code: "domain_taken" } });
  });

  it("goes when no link lives on it, and only then", async () => {
    const { body: domain } = await createDomain("busy.example");
    await callApi(stage, "POST /api/v1/links", {
      key: admin,
      body: { url: "https://example.com/", domain: "busy.example" },
    });
    const remove = () => callApi(stage, `DELETE /api/v1/domains/${domain.id}`, { key: admin });
    expect(await remove()).toMatchObject({ status: 409, body: { code: "domain_in_use" } });
    await stage.client.query("UPDATE links SET state = 'deleted'");
    expect((await remove()).status).toBe(204);
    expect((await callApi(stage, `GET /api/v1/domains/${domain.id}`, { key: admin })).status).toBe(404);
  });
});

describe("a workspace", () => {
  it("is seen and named by its own keys", async () => {
    const id = `ws_${workspace.id.replaceAll("-", "")}`;
    const named = await callApi(stage, `PATCH /api/v1/workspaces/${id}`, {
      key: admin,
      body: { name: "Größe" },
    });
    expect(named).toMatchObject({ status: 200, body: { id, name: "Größe" } });
    expect((await callApi(stage, `GET /api/v1/workspaces/${id}`, { key: admin })).body).toEqual(named.body);
    expect((await callApi(stage, "GET /api/v1/workspaces", { key: admin })).body).toEqual({
      data: [named.body],
      nextCursor: null,
    });
  });
});

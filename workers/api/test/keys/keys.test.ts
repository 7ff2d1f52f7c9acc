import { describe, expect, it } from "vitest";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { answered, clientOf } from "../typed-api.ts";

const { stage, workspace, key: admin } = await openKeyedStage("admin");

type V1 = ReturnType<typeof clientOf>;
type KeyBody = Parameters<V1["keys"]["$post"]>[0]["json"];

const api = (key: string = admin): V1 => clientOf(stage, key);

function createKey(json: KeyBody, key: string = admin) {
  return answered(api(key).keys.$post({ json, header: {} }), 201);
}

const readKey = (keyId: string) => answered(api().keys[":keyId"].$get({ param: { keyId } }), 200);
const revokeKey = (keyId: string) => answered(api().keys[":keyId"].$delete({ param: { keyId } }), 204);

describe("an API key", () => {
  it("is shown once, and afterwards only its prefix", async () => {
    const response = await api().keys.$post({ json: { name: "CI", scopes: ["links:read"] }, header: {} });
    expect(response.headers.get("cache-control")).toBe("no-store");
    const created = await answered(Promise.resolve(response), 201);
    expect(created).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f]{32}$/),
      key: expect.stringMatching(/^hop_[A-Za-z0-9]{32}$/),
      prefix: created.key.slice(0, 12),
      name: "CI",
      scopes: ["links:read"],
      expiresAt: null,
      revokedAt: null,
      createdAt: expect.any(String),
    });
    const { key: _secret, ...shown } = created;
    expect(await readKey(created.id)).toEqual(shown);
    const { rows } = await stage.client.query("SELECT api_keys::text AS row FROM api_keys");
    expect(JSON.stringify(rows)).not.toContain(created.key);
  });

  it("that expires creates none that outlives it", async () => {
    const expiresAt = "2030-01-01T00:00:00.000Z";
    const mortal = await createKey({ name: "Mortal", scopes: ["admin"], expiresAt });
    const create = (until: string | null) =>
      api(mortal.key).keys.$post({
        json: { name: "Heir", scopes: ["admin"], expiresAt: until },
        header: {},
      });
    for (const later of [null, "2030-01-01T00:00:01Z", "2030-01-01T00:00:00-01:00"]) {
      expect(await answered(create(later), 422)).toMatchObject({ errors: [{ path: "expiresAt" }] });
    }
    expect(await answered(create(expiresAt), 201)).toMatchObject({ expiresAt });
    expect((await createKey({ name: "Immortal", scopes: ["admin"] })).expiresAt).toBeNull();
  });

  it("gives access by its scopes, until it is revoked", async () => {
    const created = await createKey({ name: "Short", scopes: ["links:read"] });
    const ask = () => api(created.key).domains.$get({ query: {} });
    await answered(ask(), 200);
    await revokeKey(created.id);
    expect(await answered(ask(), 401)).toMatchObject({ code: "key_invalid" });
  });

  it("that another isolate has just used stops working there when it is revoked", async () => {
    const created = await createKey({ name: "Shared", scopes: ["links:read"] });
    // A separate application over a separate connection, with nothing shared.
    const another = { app: stage.appWith({}, { database: stage.openAnotherDatabase() }) };
    const ask = () => clientOf(another, created.key).links.$get({ query: {} });
    for (let requests = 0; requests < 5; requests += 1) {
      await answered(ask(), 200);
    }
    await revokeKey(created.id);
    expect(await answered(ask(), 401)).toMatchObject({ code: "key_invalid" });
  });

  it("keeps the time of its first revocation", async () => {
    const { id } = await createKey({ name: "Twice", scopes: ["links:read"] });
    await revokeKey(id);
    const first = await readKey(id);
    await revokeKey(id);
    expect(await readKey(id)).toEqual(first);
    expect(first.revokedAt).not.toBeNull();
  });

  it("stops working at its expiry", async () => {
    const { key, expiresAt } = await createKey({
      name: "Old",
      scopes: ["admin"],
      expiresAt: "2026-01-01T00:00:00+02:00",
    });
    expect(expiresAt).toBe("2025-12-31T22:00:00.000Z");
    await answered(api(key).keys.$get({ query: {} }), 401);
  });

  it.each([
    ["no scope", { name: "x", scopes: [] }],
    ["an unknown scope", { name: "x", scopes: ["root"] }],
    ["no name", { name: "", scopes: ["admin"] }],
    ["a name that Postgres can't hold", { name: "a\u0000b", scopes: ["admin"] }],
    ["an instant without a zone", { name: "x", scopes: ["admin"], expiresAt: "2027-01-01T00:00:00" }],
  ])("is not created with %s", async (_what, body) => {
    const answer = await callApi(stage, "POST /api/v1/keys", { key: admin, body });
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid" } });
  });

  it("is listed with the others of its workspace, newest first, page by page", async () => {
    const key = await stage.addKey(await stage.addWorkspace(), ["admin"]);
    for (const name of ["a", "b", "c"]) {
      await createKey({ name, scopes: ["admin"] }, key);
    }
    const names: string[] = [];
    let next: string | null | undefined;
    while (next !== null) {
      const query = { limit: "2", ...(next === undefined ? {} : { cursor: next }) };
      const { data, nextCursor } = await answered(api(key).keys.$get({ query }), 200);
      names.push(...data.map(({ name }) => name));
      next = nextCursor;
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

  it.each(["0", "101", "1.5", "ten", ""])("can't ask for %s rows", async (limit) => {
    const answer = await callApi(stage, `GET /api/v1/keys?limit=${limit}`, { key: admin });
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid" } });
  });
});

describe("a short domain", () => {
  it("is deleted with links only if the request says so", async () => {
    const { domains, links } = api();
    const domain = await answered(domains.$post({ json: { host: "busy.example.com" }, header: {} }), 201);
    const one = { param: { domainId: domain.id }, query: {} };
    await answered(
      links.$post({ json: { url: "https://example.com/", domain: domain.host }, header: {} }),
      201,
    );
    const refused = await answered(domains[":domainId"].$delete(one), 409);
    expect(refused.code).toBe("domain_in_use");
    await answered(domains[":domainId"].$delete({ ...one, query: { links: "true" } }), 204);
    await answered(domains[":domainId"].$get(one), 404);
  });
});

describe("a workspace", () => {
  it("can be read and renamed with its own keys", async () => {
    const workspaceId = `ws_${workspace.id.replaceAll("-", "")}`;
    const { workspaces } = api();
    const one = { param: { workspaceId } };
    const named = await answered(workspaces[":workspaceId"].$patch({ ...one, json: { name: "Größe" } }), 200);
    expect(named).toMatchObject({ id: workspaceId, name: "Größe" });
    expect(await answered(workspaces[":workspaceId"].$get(one), 200)).toEqual(named);
    expect(await answered(workspaces.$get(), 200)).toEqual({ data: [named], nextCursor: null });
  });
});

import { describe, expect, it } from "vitest";
import { toPublicId } from "../../src/http/entity-id.ts";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { clientOf } from "../stage-client.ts";

const { stage, workspace, key: admin } = await openKeyedStage("admin");
const hopline = clientOf(stage, admin);

describe("an API key", () => {
  it("is shown once, and afterwards only its prefix", async () => {
    const body = { name: "CI", scopes: ["links:read" as const] };
    const { data: created, response } = await hopline.createKey({ body }).withResponse();
    expect([response.status, response.headers.get("cache-control")]).toEqual([201, "no-store"]);
    expect(created).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f]{32}$/),
      key: expect.stringMatching(/^hop_[A-Za-z0-9]{32}$/),
      prefix: created.key.slice(0, 12),
      name: "CI",
      scopes: ["links:read"],
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      makerId: null,
      bounds: null,
      createdAt: expect.any(String),
    });
    const { key: _secret, ...shown } = created;
    expect(await hopline.readKey({ keyId: created.id })).toEqual(shown);
    const { rows } = await stage.client.query("SELECT api_keys::text AS row FROM api_keys");
    expect(JSON.stringify(rows)).not.toContain(created.key);
  });

  it("that expires creates none that outlives it", async () => {
    const expiresAt = "2030-01-01T00:00:00.000Z";
    const mortal = await hopline.createKey({ body: { name: "Mortal", scopes: ["admin"], expiresAt } });
    const create = (until: string | null) =>
      clientOf(stage, mortal.key).createKey({
        body: { name: "Heir", scopes: ["admin"], expiresAt: until },
      });
    for (const later of [null, "2030-01-01T00:00:01Z", "2030-01-01T00:00:00-01:00"]) {
      await expect(create(later)).rejects.toMatchObject({
        status: 422,
        problem: { errors: [{ path: "expiresAt" }] },
      });
    }
    expect(await create(expiresAt)).toMatchObject({ expiresAt });
    const immortal = await hopline.createKey({ body: { name: "Immortal", scopes: ["admin"] } });
    expect(immortal.expiresAt).toBeNull();
  });

  it("tells when it was last used, to the hour, and no request waits for that to be written", async () => {
    const { id: keyId, key } = await hopline.createKey({ body: { name: "Used", scopes: ["links:read"] } });
    const lastUsedAt = async () => (await hopline.readKey({ keyId })).lastUsedAt;
    const used = clientOf(stage, key);
    expect(await lastUsedAt()).toBeNull();
    const before = stage.background.length;
    await Promise.all([used.listDomains(), used.listDomains(), used.listDomains()]);
    await Promise.all(stage.background);
    const first = await lastUsedAt();
    expect(Date.now() - Date.parse(first ?? "")).toBeLessThan(60_000);
    const ofThese = stage.background.length - before;
    await used.listDomains();
    await stage.client.query("UPDATE api_keys SET last_used_at = last_used_at - interval '59 minutes'");
    await used.listDomains();
    expect(stage.background.length).toBe(before + ofThese);
    await stage.client.query("UPDATE api_keys SET last_used_at = last_used_at - interval '2 minutes'");
    // Whoever writes to the row meanwhile holds nothing up.
    await stage.client.query("BEGIN");
    await stage.client.query("SELECT FROM api_keys WHERE name = 'Used' FOR UPDATE");
    await used.listDomains();
    await stage.client.query("COMMIT");
    await Promise.all(stage.background);
    expect(Date.parse((await lastUsedAt()) ?? "")).toBeGreaterThanOrEqual(Date.parse(first ?? ""));
  });

  it("asks which it is, of which workspace, with what scopes and limits, and until when", async () => {
    const expiresAt = "2030-01-01T00:00:00.000Z";
    const body = { name: "Report", scopes: ["analytics:read" as const], expiresAt };
    const { key: secret, id, prefix } = await hopline.createKey({ body });
    expect(await clientOf(stage, secret).readMe()).toEqual({
      key: { id, name: "Report", prefix },
      workspaceId: toPublicId("ws", workspace.id),
      scopes: ["analytics:read"],
      expiresAt,
      bounds: null,
      limits: { requestsPerMinute: 1_000_000, requestsPerMinuteOfWorkspace: 5_000_000 },
    });
  });

  it("is renamed", async () => {
    const { id: keyId } = await hopline.createKey({ body: { name: "Before", scopes: ["links:read"] } });
    expect(await hopline.updateKey({ keyId, body: { name: "After" } })).toMatchObject({ name: "After" });
    expect(await hopline.readKey({ keyId })).toMatchObject({ id: keyId, name: "After" });
  });

  it("gives up scopes and time, and never gets more", async () => {
    const expiresAt = "2030-01-01T00:00:00.000Z";
    const created = await hopline.createKey({ body: { name: "Less", scopes: ["admin"], expiresAt } });
    type Change = Parameters<typeof hopline.updateKey>[0]["body"];
    const change = (body: Change) => hopline.updateKey({ keyId: created.id, body });
    expect(await change({ scopes: ["links:read", "links:write"] })).toMatchObject({ expiresAt });
    expect(await change({ scopes: ["links:read"], expiresAt: "2029-01-01T00:00:00Z" })).toMatchObject({
      scopes: ["links:read"],
      expiresAt: "2029-01-01T00:00:00.000Z",
    });
    const raises: readonly (readonly [string, Change])[] = [
      ["scopes", { scopes: ["links:read", "links:write"] }],
      ["scopes", { scopes: ["admin"] }],
      ["expiresAt", { expiresAt: "2029-01-01T00:00:01Z" }],
      ["expiresAt", { expiresAt: null }],
    ];
    for (const [path, more] of raises) {
      await expect(change(more)).rejects.toMatchObject({
        status: 422,
        problem: { errors: [{ path }] },
      });
    }
    const shown = await hopline.readKey({ keyId: created.id });
    expect(await hopline.updateKey({ keyId: created.id, body: shown })).toEqual(shown);
  });

  it("is replaced by another, and goes on working for the grace period", async () => {
    const old = await hopline.createKey({ body: { name: "Newsletter", scopes: ["links:read"] } });
    const next = await hopline.rotateKey({ keyId: old.id, body: { graceSeconds: 600 } });
    expect(next).toMatchObject({ name: "Newsletter", scopes: ["links:read"], expiresAt: null });
    await clientOf(stage, next.key).listDomains();
    await clientOf(stage, old.key).listDomains();
    const { expiresAt } = await hopline.readKey({ keyId: old.id });
    const graceMs = Date.parse(expiresAt ?? "") - Date.parse(next.createdAt);
    expect(Math.round(graceMs / 1_000)).toBe(600);
    // Its end can only come sooner.
    await hopline.rotateKey({ keyId: old.id, body: { graceSeconds: 86_400 } });
    expect(await hopline.readKey({ keyId: old.id })).toMatchObject({ expiresAt });
    await hopline.rotateKey({ keyId: old.id, body: { graceSeconds: 0 } });
    await expect(clientOf(stage, old.key).listDomains()).rejects.toMatchObject({ status: 401 });
    await expect(hopline.rotateKey({ keyId: old.id, body: {} })).rejects.toMatchObject({ status: 404 });
  });

  it("that replaces another ends with it, and with the key that asks for it", async () => {
    const expiresAt = "2030-01-01T00:00:00.000Z";
    const mortal = await hopline.createKey({ body: { name: "Mortal", scopes: ["admin"], expiresAt } });
    const own = await clientOf(stage, mortal.key).rotateKey({ keyId: mortal.id, body: {} });
    expect(own).toMatchObject({ expiresAt });
    const immortal = await hopline.createKey({ body: { name: "Immortal", scopes: ["admin"] } });
    const heir = await clientOf(stage, own.key).rotateKey({ keyId: immortal.id, body: {} });
    expect(heir).toMatchObject({ expiresAt });
  });

  it("gives access by its scopes, until it is revoked", async () => {
    const created = await hopline.createKey({ body: { name: "Short", scopes: ["links:read"] } });
    const another = clientOf(stage, created.key);
    await another.listDomains();
    await hopline.revokeKey({ keyId: created.id });
    await expect(another.listDomains()).rejects.toMatchObject({ status: 401, code: "key_invalid" });
  });

  it("that another isolate has just used stops working there when it is revoked", async () => {
    const created = await hopline.createKey({ body: { name: "Shared", scopes: ["links:read"] } });
    // A separate application over a separate connection, with nothing shared.
    const app = stage.appWith({}, { database: stage.openAnotherDatabase() });
    const another = clientOf({ app }, created.key);
    for (let requests = 0; requests < 5; requests += 1) {
      await another.listLinks();
    }
    await hopline.revokeKey({ keyId: created.id });
    await expect(another.listLinks()).rejects.toMatchObject({ status: 401, code: "key_invalid" });
  });

  it("keeps the time of its first revocation", async () => {
    const { id: keyId } = await hopline.createKey({ body: { name: "Twice", scopes: ["links:read"] } });
    await hopline.revokeKey({ keyId });
    const first = await hopline.readKey({ keyId });
    await hopline.revokeKey({ keyId });
    expect(await hopline.readKey({ keyId })).toEqual(first);
    expect(first.revokedAt).not.toBeNull();
  });

  it("stops working at its expiry", async () => {
    const { key, expiresAt } = await hopline.createKey({
      body: { name: "Old", scopes: ["admin"], expiresAt: "2026-01-01T00:00:00+02:00" },
    });
    expect(expiresAt).toBe("2025-12-31T22:00:00.000Z");
    await expect(clientOf(stage, key).listKeys()).rejects.toMatchObject({ status: 401 });
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
    const another = clientOf(stage, await stage.addKey(await stage.addWorkspace(), ["admin"]));
    for (const name of ["a", "b", "c"]) {
      await another.createKey({ body: { name, scopes: ["admin"] } });
    }
    expect((await another.listKeys({ limit: 2 })).data.map(({ name }) => name)).toEqual(["c", "b"]);
    const keys = await Array.fromAsync(another.listKeys({ limit: 2 }));
    expect(keys.map(({ name }) => name)).toEqual(["c", "b", "a", "Test"]);
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
    const { id: domainId, host: domain } = await hopline.createDomain({ body: { host: "busy.example.com" } });
    await hopline.createLink({ body: { url: "https://example.com/", domain } });
    await expect(hopline.deleteDomain({ domainId })).rejects.toMatchObject({
      status: 409,
      code: "domain_in_use",
    });
    await hopline.deleteDomain({ domainId, links: true });
    await expect(hopline.readDomain({ domainId })).rejects.toMatchObject({ status: 404 });
  });
});

describe("a workspace", () => {
  it("can be read and renamed with its own keys", async () => {
    const workspaceId = `ws_${workspace.id.replaceAll("-", "")}`;
    const named = await hopline.updateWorkspace({ workspaceId, body: { name: "Größe" } });
    expect(named).toMatchObject({ id: workspaceId, name: "Größe" });
    expect(await hopline.readWorkspace({ workspaceId })).toEqual(named);
    expect(await hopline.listWorkspaces()).toEqual({ data: [named], nextCursor: null });
  });
});

/** `pnpm keys create`, and what the API makes of the result. */
import { createKey, type KeyRequest } from "@hopline/ops/operate/create-key";
import { afterAll, expect, it } from "vitest";
import { syncAddresses } from "../../src/domains/sync-addresses.ts";
import { callApi } from "../call-api.ts";
import { openStage } from "../stage.ts";

const stage = await openStage();

afterAll(() => stage.close());

const create = (change: Partial<KeyRequest> = {}) =>
  createKey(stage.databaseUrl, {
    workspace: { newName: "Marketing" },
    name: "First key",
    scopes: ["admin"],
    domain: null,
    ...change,
  });
const read = async (key: string, target: string) => (await callApi(stage, target, { key })).body;

it("creates a workspace with a domain and a key that works", async () => {
  const { key, workspace } = await create({ domain: "go.example.com" });
  expect(await read(key, "GET /api/v1/workspaces")).toMatchObject({
    data: [{ id: workspace.id, name: "Marketing" }],
  });
  const link = await callApi(stage, "POST /api/v1/links", { key, body: { url: "https://example.com/" } });
  expect(link).toMatchObject({ status: 201, body: { domain: "go.example.com" } });
});

it("adds a key to the workspace with an id, not to the one whose admin has given it the same name", async () => {
  const ours = await create({ workspace: { newName: "Acme" } });
  const theirs = await create({ workspace: { newName: "Other" } });
  const rename = { key: theirs.key, body: { name: "Acme" } };
  await callApi(stage, `PATCH /api/v1/workspaces/${theirs.workspace.id}`, rename);
  const again = await create({ workspace: { id: ours.workspace.id }, domain: "acme.example.com" });
  expect(again.workspace).toEqual(ours.workspace);
  expect(await read(ours.key, "GET /api/v1/domains")).toMatchObject({ data: [{ host: "acme.example.com" }] });
  expect(await read(theirs.key, "GET /api/v1/domains")).toMatchObject({ data: [] });
});

it("creates nothing in a workspace that is not there, or with a domain that is not to be had", async () => {
  const count = async () => (await stage.client.query("SELECT FROM api_keys")).rowCount;
  const { key, workspace } = await create({ domain: "ours.example.com" });
  const before = await count();
  const unknown = { id: "ws_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" };
  await expect(create({ workspace: unknown })).rejects.toThrow(`There is no workspace ${unknown.id}`);
  await expect(create({ domain: "ours.example.com" })).rejects.toThrow("belongs to another workspace");
  await expect(create({ domain: "https://go.example.com/" })).rejects.toThrow("is not a host name");
  expect(await count()).toBe(before);
  await create({ workspace: { id: workspace.id }, domain: "OURS.example.com" });
  expect(await read(key, "GET /api/v1/domains")).toMatchObject({ data: [{ host: "ours.example.com" }] });
});

it("vouches for a domain: it is active without a record, whoever else has claimed it", async () => {
  const squatter = await create({ workspace: { newName: "Squatter" } });
  const claim = { key: squatter.key, body: { host: "go.example.org" } };
  await callApi(stage, "POST /api/v1/domains", claim);
  const owner = await create({ domain: "go.example.org" });
  expect(await read(owner.key, "GET /api/v1/domains")).toMatchObject({
    data: [{ status: "active", proof: { by: "operator", provedAt: expect.any(String) } }],
  });
  expect(await read(squatter.key, "GET /api/v1/domains")).toMatchObject({
    data: [{ status: "pending", proof: { isTaken: true } }],
  });
  const local = await create({ domain: "127.0.0.1:8787" });
  expect(await read(local.key, "GET /api/v1/domains")).toMatchObject({ data: [{ host: "127.0.0.1:8787" }] });
});

it("vouches for a host that another workspace has deleted, and the edge is told of its new owner", async () => {
  const former = await create({ domain: "again.example.com" });
  const domains = await callApi<{ data: { id: string }[] }>(stage, "GET /api/v1/domains", former);
  await callApi(stage, `DELETE /api/v1/domains/${domains.body.data[0]?.id}`, former);
  const atEdge = () => stage.edge.inKv.get("again.example.com/@") ?? "";
  expect(atEdge()).toContain('"state":"deleted"');
  await expect(create({ domain: "again.example.com" })).rejects.toThrow(
    "was deleted, and visitors may still",
  );
  await stage.client.query("UPDATE domains SET released_at = now() WHERE host = 'again.example.com'");
  const { workspace } = await create({ domain: "again.example.com" });
  const { rows } = await stage.client.query<{ id: string }>(
    "SELECT id FROM domains WHERE host = 'again.example.com' AND deleted_at IS NULL",
  );
  const work = await stage.client.query("SELECT key FROM work WHERE kind = 'domain-addresses'");
  const id = rows[0]?.id ?? "";
  expect(work.rows).toContainEqual({ key: id });
  await syncAddresses(id, stage);
  const limits = { maxChanges: 900, maxDurationMs: 10_000, nowMs: Date.now, wait: async () => undefined };
  await stage.publisher.publishDue(limits);
  expect(atEdge()).toContain(`"domain":"${id}"`);
  expect(workspace.id).not.toBe(former.workspace.id);
});

it("vouches for a domain that the workspace has claimed and not proved", async () => {
  const { key, workspace } = await create({ workspace: { newName: "Late" } });
  await callApi(stage, "POST /api/v1/domains", { key, body: { host: "late.example.org" } });
  await create({ workspace: { id: workspace.id }, domain: "late.example.org" });
  expect(await read(key, "GET /api/v1/domains")).toMatchObject({ data: [{ status: "active" }] });
});

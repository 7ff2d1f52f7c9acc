/** A workspace's deletion: visitors and keys at once, rows by work, neighbours not at all. */
import { domainKeyOf } from "@hopline/core/link/domain-record";
import { expect, it } from "vitest";
import { removeDomain } from "../../src/domains/remove-domain.ts";
import { removeWorkspace } from "../../src/workspaces/remove-workspace.ts";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { toUuid } from "../to-uuid.ts";
import { deleteAsOwner } from "./delete-as-owner.ts";

const SCOPES = ["admin", "links:read", "links:write"] as const;
const { stage, workspace, key } = await openKeyedStage(...SCOPES);
const target = `/api/v1/workspaces/ws_${workspace.id.replaceAll("-", "")}`;
const url = "https://former.example/";
const toItem = (key: string, payload = {}) => ({ key, payload });

it("is refused without the workspace's name", async () => {
  for (const query of ["", "name=", "name=test"]) {
    const refused = await deleteAsOwner(stage, workspace, query);
    expect(refused).toMatchObject({ status: 422, body: { code: "invalid" } });
  }
});

it("is refused to every key, whatever its scopes: an admin can make one, and only owners may delete", async () => {
  const refused = await callApi(stage, `DELETE ${target}?name=Test`, { key });
  expect(refused).toMatchObject({ status: 403, body: { code: "scope_missing" } });
  expect((await callApi(stage, "GET /api/v1/links", { key })).status).toBe(200);
});

it("ends keys and visitors at once, and leaves versions and nothing to read", async () => {
  const neighbour = await stage.addWorkspace();
  const theirs = await stage.addKey(neighbour, SCOPES);
  for (const [as, slug] of [
    [key, "ours"],
    [theirs, "theirs"],
  ]) {
    const made = await callApi(stage, "POST /api/v1/links", { key: as ?? "", body: { url, slug } });
    expect(made.status).toBe(201);
  }
  expect((await deleteAsOwner(stage, workspace, "name=Test")).status).toBe(204);
  expect(JSON.parse(stage.edge.inFeed.get(domainKeyOf(workspace.host))?.recordText ?? "")).toMatchObject({
    state: "deleted",
    version: 2,
  });
  expect((await callApi(stage, "GET /api/v1/links", { key })).status).toBe(401);

  expect(await removeWorkspace(toItem(workspace.id), stage)).toEqual({ againInSeconds: 10 });
  await removeDomain(toItem(workspace.domainId), stage);
  await stage.publisher.publishDue({ maxChanges: 100, maxDurationMs: 5_000, nowMs: () => performance.now() });
  // A data centre and an isolate may still have copies of what KV had.
  await stage.client.query("UPDATE work SET due_at = due_at - interval '120 seconds'");
  expect(await removeDomain(toItem(workspace.domainId), stage)).toBeUndefined();
  expect(await removeWorkspace(toItem(workspace.id), stage)).toBeUndefined();
  expect(stage.edge.recordAt(workspace.host, "ours")).toMatchObject({ state: "deleted", version: 2 });
  for (const table of ["links", "domains", "api_keys"]) {
    const { rows } = await stage.client.query(`SELECT FROM ${table} WHERE workspace_id = $1`, [workspace.id]);
    expect([table, rows.length]).toEqual([table, 0]);
  }
  expect(
    (await stage.client.query("SELECT FROM idempotency_keys WHERE owner_id = $1", [workspace.id])).rowCount,
  ).toBe(0);
  const { rows } = await stage.client.query(
    "SELECT slug, version::int, ended_at IS NOT NULL AS ended FROM addresses WHERE host = $1 ORDER BY slug",
    [workspace.host],
  );
  expect(rows).toEqual([
    { slug: "@", version: 2, ended: true },
    { slug: "ours", version: 2, ended: true },
  ]);
  const found = await callApi<{ data: unknown[] }>(stage, "GET /api/v1/links", { key: theirs });
  expect(found.body.data).toHaveLength(1);
});

/** For what was published: copies of what KV had before expire. */
async function passTwoMinutes(): Promise<void> {
  await stage.client.query("UPDATE work SET due_at = due_at - interval '2 minutes'");
}

it("with clicks=delete, its clicks are removed when its rows are gone", async () => {
  const ours = await stage.addWorkspace();
  expect((await deleteAsOwner(stage, ours, "name=Test&clicks=delete")).status).toBe(204);
  const { rows } = await stage.client.query(
    "SELECT key, payload FROM work WHERE kind = 'remove-workspace' AND key = $1",
    [ours.id],
  );
  const removals = async () =>
    (await stage.client.query("SELECT payload FROM work WHERE kind = 'remove-clicks'")).rows;
  await passTwoMinutes();
  expect(await removeDomain(toItem(ours.domainId), stage)).toBeUndefined();
  expect(await removals()).toEqual([]);
  expect(await removeWorkspace(rows[0], stage)).toBeUndefined();
  expect(await removals()).toEqual([{ payload: { workspaceId: ours.id } }]);
});

it("a key and a domain that arrive while the workspace is deleted don't outlive it", async () => {
  const late = await stage.addWorkspace();
  expect((await deleteAsOwner(stage, late, "name=Test")).status).toBe(204);
  const after = await stage.addKey(late, SCOPES);
  expect((await callApi(stage, "GET /api/v1/links", { key: after })).status).toBe(401);
  const { domainId } = await stage.addPendingDomain(late, "late.example.org");
  const uuid = toUuid(domainId);
  await stage.client.query("UPDATE domains SET proof = 'vouched' WHERE id = $1", [uuid]);
  expect(await removeWorkspace(toItem(late.id), stage)).toEqual({ againInSeconds: 10 });
  await stage.publisher.publishDue({ maxChanges: 100, maxDurationMs: 5_000, nowMs: () => performance.now() });
  expect(JSON.parse(stage.edge.inKv.get(domainKeyOf("late.example.org")) ?? "")).toMatchObject({
    state: "deleted",
  });
  await passTwoMinutes();
  for (const id of [late.domainId, uuid]) {
    expect(await removeDomain(toItem(id), stage)).toBeUndefined();
  }
  expect(await removeWorkspace(toItem(late.id), stage)).toBeUndefined();
});

/** Deleted links: for 30 days they come back as they were, to their own addresses; then they and their clicks are gone. */
import type { CreateLink } from "@hopline/client/openapi";
import { linkKeyOf } from "@hopline/core/link/link-address";
import { newEntityId } from "../../src/http/entity-id.ts";
import { decodeLinkRecord } from "@hopline/core/link/link-record";
import { expect, it } from "vitest";
import { emptyTrashHandler } from "../../src/links/empty-trash.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { clientOf, statusOf } from "../stage-client.ts";
import { toUuid } from "../to-uuid.ts";

const { stage, workspace, key } = await openKeyedStage("admin");
const hopline = clientOf(stage, key);
const url = "https://example.com/spring";
const items = (...links: readonly { readonly id: string }[]) => ({
  body: { items: links.map(({ id }) => ({ id })) },
});
const restore = async (id: string, by = hopline) => (await by.restoreLinks(items({ id }))).results[0];
/** What was announced last at the address, and what KV has. */
const atEdge = (slug: string, host = workspace.host) => {
  const announced = stage.edge.inFeed.get(linkKeyOf(host, slug));
  const decoded = decodeLinkRecord(announced?.recordText ?? "");
  return { announced: decoded.ok ? decoded.value : null, inKv: stage.edge.recordAt(host, slug) };
};
const age = (id: string, days: number) =>
  stage.client.query(
    `WITH aged AS (
       UPDATE links SET deleted_at = deleted_at - make_interval(days => $2) WHERE id = $1 RETURNING id, deleted_at
     )
     UPDATE addresses SET ended_at = aged.deleted_at FROM aged
     WHERE link_id = aged.id AND ended_at = aged.deleted_at + make_interval(days => $2)`,
    [toUuid(id), days],
  );

it("a deleted link comes back as it was, with rules, password, cap, aliases and clicks, in a version above its tombstone", async () => {
  const folder = await hopline.createFolder({ body: { name: "Spring" } });
  const body: CreateLink = {
    url,
    slug: "comes-back",
    title: "Spring",
    tags: ["season"],
    externalId: "product-1",
    folder: folder.name,
    password: "correct horse",
    cap: { mode: "strict", maxClicks: 5 },
    rules: [{ id: "de", when: { country: ["DE"] }, to: { url: "https://example.com/de" } }],
    utm: { source: "letter" },
  };
  const { id } = await hopline.createLink({ body });
  await hopline.updateLink({ linkId: id, body: { slug: "came-back", status: "disabled" } });
  await stage.client.query("UPDATE link_caps SET used = 2 WHERE link_id = $1", [toUuid(id)]);
  const before = await hopline.readLink({ linkId: id });
  await hopline.deleteLink({ linkId: id });
  expect(await statusOf(hopline.readLink({ linkId: id }))).toBe(404);
  const { data } = await hopline.listTrash();
  expect(data).toMatchObject([
    { id, slug: "came-back", url, title: "Spring", tags: ["season"], isRestorable: true },
  ]);
  expect((await hopline.listTrash({ search: "came seas" })).data).toHaveLength(1);
  expect((await hopline.listTrash({ search: "came elsewhere" })).data).toEqual([]);
  const [trashed] = data;
  expect(Date.parse(trashed?.destroyedAt ?? "") - Date.parse(trashed?.deletedAt ?? "")).toBe(30 * 86_400_000);
  const tombstones = ["comes-back", "came-back"].map((slug) => atEdge(slug));
  expect(tombstones.map(({ announced, inKv }) => [announced?.state, inKv?.state])).toEqual([
    ["deleted", "deleted"],
    ["deleted", "deleted"],
  ]);
  const restored = await hopline.restoreLinks(items({ id }));
  const { version, updatedAt: _at, ...link } = restored.results[0]?.link ?? before;
  const { version: former, updatedAt: _before, ...kept } = before;
  expect([restored.restored, link]).toEqual([1, kept]);
  expect(version).toBeGreaterThan(tombstones[0]?.announced?.version ?? former);
  for (const slug of ["comes-back", "came-back"]) {
    expect(atEdge(slug).inKv).toEqual(atEdge(slug).announced);
    expect(atEdge(slug).announced).toMatchObject({ state: "disabled", url, version });
    expect(atEdge(slug).announced).toMatchObject({ rules: [{ id: "de" }], cap: { mode: "strict" } });
  }
  expect(await hopline.listTrash()).toEqual({ data: [], nextCursor: null });
  // Sent again it makes no other version; and the history can't bring the deletion back.
  expect((await restore(id))?.link?.version).toBe(version);
  expect(await statusOf(hopline.revertLink({ linkId: id, version: String(version - 1) }))).toBe(404);
  const { data: log } = await hopline.listAuditLog({ resource: [id] });
  expect(log.slice(0, 2).map(({ action }) => action)).toEqual(["link.restored", "link.deleted"]);
});

it("the address of a link in the trash is reserved for 30 days, the one that it had given up is free", async () => {
  const { id } = await hopline.createLink({ body: { url, slug: "reserved" } });
  await hopline.updateLink({ linkId: id, body: { slug: "reserved-too" } });
  await hopline.updateLink({ linkId: id, body: { slug: "given-up" } });
  await hopline.updateLink({ linkId: id, body: { slug: "reserved" } });
  await hopline.deleteAlias({ linkId: id, alias: "given-up" });
  await hopline.deleteLink({ linkId: id });
  const other = await hopline.createLink({ body: { url, slug: "other" } });
  const take = (slug: string) => [
    statusOf(hopline.createLink({ body: { url, slug } })),
    statusOf(hopline.updateLink({ linkId: other.id, body: { slug } })),
    hopline.createLinks({ body: { items: [{ url, slug }] } }).then(({ results }) => results[0]?.status),
    hopline.checkSlug({ slug }).then(({ available }) => available),
  ];
  for (const slug of ["reserved", "reserved-too"]) {
    expect(await Promise.all(take(slug))).toEqual([409, 409, 409, false]);
  }
  expect(await statusOf(hopline.createLink({ body: { url, slug: "given-up" } }))).toBe(201);
  await age(id, 31);
  expect((await restore(id))?.status).toBe(404);
  expect(await statusOf(hopline.createLink({ body: { url, slug: "reserved" } }))).toBe(201);
  expect((await hopline.listTrash()).data).toEqual([]);
});

it("a link in the trash never resolves while KV refuses writes, and comes back with them refused, too", async () => {
  const { id } = await hopline.createLink({ body: { url, slug: "refused" } });
  stage.edge.state.kvIsUp = false;
  await hopline.deleteLink({ linkId: id });
  // KV still has the link; what is announced is newer, and no edge takes an older one.
  const deleted = atEdge("refused");
  expect([deleted.inKv?.state, deleted.announced?.state]).toEqual(["live", "deleted"]);
  expect(deleted.announced?.version).toBeGreaterThan(deleted.inKv?.version ?? 0);
  expect((await restore(id))?.status).toBe(200);
  expect(atEdge("refused").announced).toMatchObject({ state: "live", url });
  expect(atEdge("refused").announced?.version).toBeGreaterThan(deleted.announced?.version ?? 0);
  stage.edge.state.kvIsUp = true;
  await stage.client.query("UPDATE work SET due_at = now() WHERE kind = 'publish'");
  await stage.publisher.publishDue({ maxChanges: 100, maxDurationMs: 1_000, nowMs: Date.now });
  expect(atEdge("refused").inKv).toEqual(atEdge("refused").announced);
});

it("what is in the way of a link's return is said in words: its domain, its external id, a limit", async () => {
  const own = await stage.addWorkspace();
  const by = clientOf(stage, await stage.addKey(own, ["admin"]));
  const add = (body: object) => by.createLink({ body: { url, domain: own.host, ...body } });
  const [named, lost, kept] = [await add({ externalId: "a" }), await add({ slug: "lost" }), await add({})];
  await by.deleteLinks(items(named, lost, kept));
  await add({ externalId: "a" });
  expect(await restore(named.id, by)).toMatchObject({
    status: 409,
    code: "external_id_taken",
  });
  await stage.client.query("INSERT INTO workspace_limits VALUES ($1, 2)", [own.id]);
  const both = await by.restoreLinks(items(lost, kept));
  expect(both.results.map(({ status, code }) => [status, code]).toSorted()).toEqual([
    [200, undefined],
    [402, "limit_reached"],
  ]);
  await stage.client.query("DELETE FROM workspace_limits");
  await by.deleteLink({ linkId: lost.id }).catch(() => undefined);
  await stage.client.query("UPDATE domains SET proof = 'pending' WHERE id = $1", [own.domainId]);
  expect(await restore(lost.id, by)).toMatchObject({ status: 409, code: "domain_pending" });
  expect((await by.listTrash()).data.map(({ isRestorable }) => isRestorable)).not.toContain(true);
});

it("nothing of the trash comes back to a host that another workspace has, and nothing of it is in that one's way", async () => {
  const [former, next] = [await stage.addWorkspace(), await stage.addWorkspace()];
  const [by, theirs] = await Promise.all(
    [former, next].map(async (one) => clientOf(stage, await stage.addKey(one, ["admin"]))),
  );
  const host = `${newEntityId()}.example`;
  const domain = await by?.createDomain({ body: { host } });
  const link = await by?.createLink({ body: { url, domain: host, slug: "sale" } });
  await by?.deleteLink({ linkId: link?.id ?? "" });
  await by?.deleteDomain({ domainId: domain?.id ?? "" });
  const refused = {
    status: 422,
    code: "no_domain",
    errors: [{ path: "domain", message: expect.stringContaining(host) }],
  };
  expect(await restore(link?.id ?? "", by)).toMatchObject(refused);
  // When no copy of what was published is left.
  await stage.client.query("UPDATE domains SET released_at = now() WHERE host = $1", [host]);
  await theirs?.createDomain({ body: { host } });
  await theirs?.createLink({ body: { url: "https://example.com/theirs", domain: host, slug: "sale" } });
  expect(await restore(link?.id ?? "", by)).toMatchObject(refused);
  expect((await restore(link?.id ?? "", theirs))?.status).toBe(404);
  expect(atEdge("sale", host).announced).toMatchObject({ url: "https://example.com/theirs", state: "live" });
});

it("of a new link and a restored one at the same moment, the restored one has the address", async () => {
  const { id } = await hopline.createLink({ body: { url, slug: "raced" } });
  await hopline.deleteLink({ linkId: id });
  const made = Array.from({ length: 8 }, () =>
    statusOf(hopline.createLink({ body: { url, slug: "raced" } })),
  );
  const [restored, ...answers] = await Promise.all([restore(id), ...made]);
  expect([restored?.status, new Set(answers)]).toEqual([200, new Set([409])]);
});

it("links are destroyed with their clicks after 30 days, or earlier by who asks for it: then their addresses are free", async () => {
  const made = await Promise.all(
    ["old", "young", "asked"].map((slug) => hopline.createLink({ body: { url, slug: `trash-${slug}` } })),
  );
  const [old, young, asked] = made.map(({ id }) => id);
  await hopline.deleteLinks(items(...made));
  await age(old ?? "", 30);
  const signal = new AbortController().signal;
  const item = { kind: "empty-trash", key: "all", payload: {}, attempts: 0 } as never;
  expect(await emptyTrashHandler(stage.database).run(item, signal)).toEqual({ againInSeconds: 3_600 });
  const editor = clientOf(stage, await stage.addKey(workspace, ["links:write"]));
  const ask = { body: { items: [{ id: asked ?? "" }], clicks: "delete" as const } };
  expect(await statusOf(editor.deleteLinks(ask))).toBe(403);
  expect(await hopline.deleteLinks(ask)).toMatchObject({ deleted: 1, results: [{ status: 204 }] });
  expect(await hopline.deleteLinks(ask)).toMatchObject({ deleted: 0, results: [{ status: 404 }] });
  expect((await hopline.listTrash()).data.map(({ id }) => id)).toEqual([young]);
  const { rows } = await stage.client.query(
    "SELECT destination FROM removed_destinations WHERE version = 1 AND link_id = ANY($1)",
    [made.map(({ id }) => toUuid(id))],
  );
  // Their clicks are subtracted from what is pre-aggregated by destination.
  expect(rows.map(({ destination }) => destination)).toEqual([url, url]);
  for (const slug of ["trash-old", "trash-asked"]) {
    expect(await statusOf(hopline.createLink({ body: { url, slug } }))).toBe(201);
  }
});

it("the trash is read page by page, newest first, and by its own workspace only", async () => {
  const own = await stage.addWorkspace();
  const by = clientOf(stage, await stage.addKey(own, ["admin"]));
  const made = await by.createLinks({
    body: { items: Array.from({ length: 5 }, () => ({ url, domain: own.host })) },
  });
  const ids = made.results.map(({ link }) => link?.id ?? "");
  for (const id of ids) {
    await by.deleteLink({ linkId: id });
  }
  const first = await by.listTrash({ limit: 3 });
  const second = await by.listTrash({ limit: 3, cursor: first.nextCursor ?? "" });
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids.toReversed());
  expect(second.nextCursor).toBeNull();
  expect((await restore(ids[0] ?? ""))?.status).toBe(404);
  expect(
    await hopline.deleteLinks({ body: { items: [{ id: ids[0] ?? "" }], clicks: "delete" } }),
  ).toMatchObject({
    deleted: 0,
  });
});

it("a link that a colleague has put into the trash is not destroyed by who asks for its former version", async () => {
  const { id, version } = await hopline.createLink({ body: { url } });
  await hopline.deleteLink({ linkId: id });
  const headers = { "if-match": `"v${version}"` };
  const alone = hopline.deleteLink({ linkId: id, clicks: "delete" }, { headers });
  expect(await statusOf(alone)).toBe(404);
  const bulk = await hopline.deleteLinks({ body: { items: [{ id, version }], clicks: "delete" } });
  expect(bulk).toMatchObject({ deleted: 0, results: [{ status: 404 }] });
  expect((await restore(id))?.status).toBe(200);
});

/** What callers with bounds write, how bounds are given and kept, and that a caller without any pays nothing. */
import { randomUUID } from "node:crypto";
import { NO_BOUNDS } from "@hopline/db/links/bounds";
import { describe, expect, it } from "vitest";
import { actWithin, isWithinBounds } from "../../src/http/bounds/within-bounds.ts";
import { forgetLinks } from "../../src/links/store/link-store.ts";
import { toUuid } from "../to-uuid.ts";
import { callApi } from "../call-api.ts";
import { openBrowser } from "../people/browser.ts";
import { toPublicId } from "../../src/http/entity-id.ts";
import { openBoundsStage } from "./bounds-stage.ts";

const { stage, workspace, admin, call, keys, member, inside, outside, addOutside, browse } =
  await openBoundsStage();
const { link: foreign } = await addOutside();

type Body = {
  readonly id: string;
  readonly code?: string;
  readonly domain?: string;
  readonly folderId?: string | null;
  readonly tags?: readonly string[];
  readonly errors?: readonly { readonly path: string }[];
};

const URL_FIELD = { url: "https://example.com/" };
const CREATE_ONLY = {
  origins: ["https://www.example.com"],
  destinationHosts: ["example.com"],
  linksPerMinute: 30,
};

/** Status and code, or the fields at fault. */
async function answerOf(target: string, body: unknown, { key }: { readonly key: string }): Promise<string> {
  const { status, body: answer } = await call<Body | null>(target, body, key);
  return [status, answer?.code, ...(answer?.errors ?? []).map(({ path }) => path)].filter(Boolean).join(" ");
}

describe("a new link", () => {
  it("is where its key's bounds leave one place, if it names none", async () => {
    const create = async (key: { key: string }) =>
      (await call<Body>("POST /api/v1/links", URL_FIELD, key.key)).body;
    expect(await create(keys.domains)).toMatchObject({ domain: inside.host });
    expect(await create(keys.folders)).toMatchObject({ folderId: inside.folderId });
    expect(await create(keys.tags)).toMatchObject({ tags: [inside.tag] });
  });

  it("is refused outside of them, and a place that can't be seen is answered like one that is not there", async () => {
    const create = (change: object, key: { readonly key: string }) =>
      answerOf("POST /api/v1/links", { ...URL_FIELD, ...change }, key);
    expect([
      await create({ domain: outside.host }, keys.domains),
      await create({ domain: "absent.example.com" }, keys.domains),
      await create({ folder: outside.folder }, keys.folders),
      await create({ folder: "Absent" }, keys.folders),
      await create({ folder: outside.folder }, keys.own),
      await create({ tags: ["other"] }, keys.tags),
    ]).toEqual([
      "422 no_domain domain",
      "422 no_domain domain",
      "422 invalid folder",
      "422 invalid folder",
      "422 invalid folder",
      "422 invalid tags",
    ]);
    // Nor does it learn which slugs are taken on a domain that it can't see.
    const ask = async (host: string) =>
      (
        await call(
          `GET /api/v1/links/available?slug=${outside.slug}&domain=${host}`,
          undefined,
          keys.domains.key,
        )
      ).body;
    const unseen = { ...(await ask(outside.host)), requestId: "" };
    expect(unseen).toMatchObject({ code: "no_domain" });
    expect(unseen).toEqual({ ...(await ask("absent.example.com")), requestId: "" });
    const { body } = await call<{ results: readonly { code: string }[] }>(
      "POST /api/v1/links/bulk",
      { items: [{ ...URL_FIELD, tags: ["other"] }] },
      keys.tags.key,
    );
    expect(body.results.map(({ code }) => code)).toEqual(["invalid"]);
  });

  it("learns of a link outside that its name is taken, and nothing else; nothing happens to that link", async () => {
    const names = { slug: outside.slug, domain: outside.host };
    expect([
      await answerOf("POST /api/v1/links", { ...URL_FIELD, ...names }, keys.own),
      await answerOf("POST /api/v1/links", { ...URL_FIELD, externalId: outside.externalId }, keys.own),
      await answerOf("POST /api/v1/links/upsert", { ...URL_FIELD, externalId: outside.externalId }, keys.own),
    ]).toEqual([
      "409 slug_taken slug",
      "409 external_id_taken externalId",
      "409 external_id_taken externalId",
    ]);
    const response = await stage.app.request(`/api/v1/links/import?conflict=replace&domain=${outside.host}`, {
      method: "POST",
      headers: { authorization: `Bearer ${keys.own.key}`, "content-type": "text/csv" },
      body: `url,slug\r\nhttps://example.com/mine,${outside.slug}\r\n`,
    });
    expect(await response.json()).toMatchObject({
      created: 0,
      replaced: 0,
      refusals: [{ code: "slug_taken" }],
    });
    const { body } = await call(`GET /api/v1/links/${foreign.id}`);
    expect(body).toMatchObject({ url: outside.url, title: outside.title });
  });
});

it("a create-only key learns of no folder that its bounds do not name", async () => {
  const origin = "https://www.example.com";
  const createOnly = { origins: [origin], destinationHosts: ["example.com"], linksPerMinute: 600 };
  const create = async (folder: string, bounds: object) => {
    const key = { name: "Page", scopes: ["links:write"], bounds: { createOnly, ...bounds } };
    const { body: made } = await call<{ key: string }>("POST /api/v1/keys", key);
    const sent = { key: made.key, headers: { origin }, body: { ...URL_FIELD, folder } };
    const { status, body } = await callApi<Body>(stage, "POST /api/v1/links", sent);
    return [status, body.folderId ?? body.errors];
  };
  const unknown = await create("Absent", {});
  expect(unknown).toMatchObject([422, [{ path: "folder" }]]);
  expect(await create(outside.folder, {})).toEqual(unknown);
  expect(await create(outside.folder, { folders: [inside.folder] })).toEqual(unknown);
  expect(await create(inside.folder, { folders: [inside.folder] })).toEqual([201, inside.folderId]);
});

it("an upsert that names no tags leaves them as the first one, and its key's bounds, have filled them", async () => {
  const body = { ...URL_FIELD, externalId: "upserted" };
  const upsert = () => call<Body>("POST /api/v1/links/upsert", body, keys.tags.key);
  const answers = [await upsert(), await upsert()];
  expect(answers.map(({ status, body: link }) => [status, link.tags])).toEqual([
    [201, [inside.tag]],
    [200, [inside.tag]],
  ]);
});

describe("a change", () => {
  it("that would lead a link out of the bounds is refused, alone and among many", async () => {
    const { body: inFolder } = await call<Body>("POST /api/v1/links", URL_FIELD, keys.folders.key);
    const { body: tagged } = await call<Body>("POST /api/v1/links", URL_FIELD, keys.tags.key);
    expect([
      await answerOf(`PATCH /api/v1/links/${inFolder.id}`, { folder: null }, keys.folders),
      await answerOf(`PATCH /api/v1/links/${inFolder.id}`, { folder: outside.folder }, keys.folders),
      await answerOf(`PATCH /api/v1/links/${tagged.id}`, { tags: ["other"] }, keys.tags),
      await answerOf(`PATCH /api/v1/links/${tagged.id}`, { tags: [inside.tag, "other"] }, keys.tags),
    ]).toEqual(["422 invalid folder", "422 invalid folder", "422 invalid tags", "200"]);
    const items = [{ id: tagged.id, removeTags: [inside.tag] }];
    const { body } = await call<{ results: object }>(
      "POST /api/v1/links/bulk/update",
      { items },
      keys.tags.key,
    );
    expect(body.results).toMatchObject([{ status: 422, errors: [{ path: "tags" }] }]);
    // Nor by putting a version back that was outside.
    await call(`PATCH /api/v1/links/${tagged.id}`, { tags: ["other"] });
    await call(`PATCH /api/v1/links/${tagged.id}`, { tags: [inside.tag] });
    const history = `/api/v1/links/${tagged.id}/history`;
    const { body: versions } = await call<{
      data: readonly { version: number; fields: { tags?: string[] } }[];
    }>(`GET ${history}`);
    const former = versions.data.find(({ fields }) => fields.tags?.join() === "other");
    expect(await answerOf(`POST ${history}/${former?.version}/revert`, {}, keys.tags)).toBe(
      "422 invalid tags",
    );
  });
});

it("destroys no deleted link outside of them, were one to ask", async () => {
  const { trashed } = await addOutside();
  const ids = [toUuid(trashed.id)];
  const forget = () => forgetLinks(stage.database, workspace.id, ids);
  expect([...(await actWithin([{ tags: [inside.tag] }], forget))]).toEqual([]);
  expect([...(await actWithin([{ tags: [outside.tag] }], forget))]).toEqual(ids);
});

describe("bounds", () => {
  const make = (body: object) =>
    call<Body & { key: string; bounds: object }>("POST /api/v1/keys", {
      name: "Bounded",
      scopes: ["links:read", "links:write"],
      ...body,
    });
  const listOf = async (key: string) =>
    (await call<{ data: readonly Body[] }>("GET /api/v1/links", undefined, key)).body.data.map(
      ({ id }) => id,
    );

  it("are shown as they were given, and are in the audit log", async () => {
    const bounds = { domains: [inside.host], folders: [inside.folder], tags: [inside.tag], ownLinks: true };
    const { body: key } = await make({ bounds });
    expect(key.bounds).toEqual(bounds);
    expect((await call("GET /api/v1/me", undefined, key.key)).body).toMatchObject({ bounds });
    const { body: log } = await call<{ data: readonly { after: object }[] }>(
      `GET /api/v1/audit-log?action=key.created&resource=${key.id}`,
    );
    expect(log.data[0]?.after).toMatchObject({
      bounds: {
        domains: [inside.domainId],
        folders: [inside.folderId],
        tags: [expect.stringMatching(/^tag_/)],
        ownLinks: true,
      },
    });
  });

  it.each([
    ["domains", { domains: [inside.host] }, { domains: [inside.domainId] }],
    ["folders", { folders: [inside.folder] }, { folders: [inside.folderId] }],
    ["tags", { tags: [inside.tag] }, { tags: [expect.stringMatching(/^tag_/)] }],
    ["nothing", { tags: [] }, { tags: [] }],
    ["own links", { ownLinks: true }, { ownLinks: true }],
    ["new links", { createOnly: CREATE_ONLY }, { createOnly: CREATE_ONLY }],
  ])("to %s are in the audit log, also of the key that replaces it", async (_, bounds, logged) => {
    const { body: key } = await make({
      bounds,
      ...("createOnly" in bounds ? { scopes: ["links:write"] } : {}),
    });
    const { body: next } = await call<Body>(`POST /api/v1/keys/${key.id}/rotate`, {});
    for (const { id } of [key, next]) {
      const { body: log } = await call<{ data: readonly { after: { bounds: object } }[] }>(
        `GET /api/v1/audit-log?action=key.created&resource=${id}`,
      );
      expect(log.data.map(({ after }) => after.bounds)).toEqual([logged]);
    }
  });

  it("of a member are in the audit log from none to some, to others and to none", async () => {
    const owner = await stage.addPerson(workspace, "owner");
    const { memberId } = await stage.addPerson(workspace, "editor");
    const id = toPublicId("mem", memberId);
    const path = `/api/v1/workspaces/${toPublicId("ws", workspace.id)}/members/${id}`;
    for (const bounds of [{ ownLinks: true }, { folders: [inside.folder], ownLinks: true }, null]) {
      await browse(owner.cookie).call(`PATCH ${path}`, { bounds });
    }
    const { body: log } = await call<{ data: readonly { before: object; after: object }[] }>(
      `GET /api/v1/audit-log?action=member.updated&resource=${id}`,
    );
    const both = { folders: [inside.folderId], ownLinks: true };
    expect(log.data.map(({ before, after }) => [before, after])).toEqual([
      [{ bounds: both }, { bounds: null }],
      [{ bounds: { ownLinks: true } }, { bounds: both }],
      [{ bounds: null }, { bounds: { ownLinks: true } }],
    ]);
  });

  it("name what there is, and go with no admin", async () => {
    expect([
      await answerOf(
        "POST /api/v1/keys",
        { name: "x", scopes: ["admin"], bounds: { ownLinks: true } },
        { key: admin },
      ),
      (await make({ bounds: {} })).status,
      (await make({ bounds: { folders: ["Absent"] } })).body.errors,
    ]).toEqual([
      "422 invalid scopes",
      422,
      [{ path: "bounds.folders[0]", message: expect.stringContaining("no folder") }],
    ]);
  });

  it("have to let a link through in each of their parts", async () => {
    const { body: both } = await make({ bounds: { tags: [inside.tag], ownLinks: true } });
    expect(await listOf(both.key)).toEqual([]);
    const { body: made } = await call<Body>("POST /api/v1/links", URL_FIELD, both.key);
    expect([made.tags, await listOf(both.key)]).toEqual([[inside.tag], [made.id]]);
  });

  it("of own links follow a key that is replaced", async () => {
    const { body: key } = await make({ bounds: { ownLinks: true } });
    const { body: link } = await call<Body>("POST /api/v1/links", URL_FIELD, key.key);
    const { body: next } = await call<{ key: string }>(`POST /api/v1/keys/${key.id}/rotate`, {});
    const { body: other } = await call<Body>("POST /api/v1/links", URL_FIELD, next.key);
    expect([await listOf(next.key), await listOf(key.key)]).toEqual([[other.id, link.id], [link.id]]);
  });

  it("follow a tag that is renamed; with a folder that is deleted nothing is left", async () => {
    await call("POST /api/v1/tags", { name: "before" });
    await call("POST /api/v1/folders", { name: "Before" });
    const [{ body: ofTag }, { body: ofFolder }] = [
      await make({ bounds: { tags: ["before"] } }),
      await make({ bounds: { folders: ["Before"] } }),
    ];
    const { body: tagged } = await call<Body>("POST /api/v1/links", URL_FIELD, ofTag.key);
    const { body: placed } = await call<Body>("POST /api/v1/links", URL_FIELD, ofFolder.key);
    expect(await listOf(ofFolder.key)).toEqual([placed.id]);
    await call("PATCH /api/v1/tags/before", { name: "after" });
    await call(`DELETE /api/v1/folders/${placed.folderId}`);
    expect([await listOf(ofTag.key), await listOf(ofFolder.key)]).toEqual([[tagged.id], []]);
    expect(await answerOf("POST /api/v1/links", URL_FIELD, ofFolder)).toBe("422 invalid folder");
  });

  it("of a member bind the keys that they made, beside the keys' own, from the next request on", async () => {
    const owner = await stage.addPerson(workspace, "owner");
    const maker = await stage.addPerson(workspace, "admin");
    const { body: key } = await browse(maker.cookie).call("POST /api/v1/keys", {
      name: "Of a member",
      expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
      scopes: ["links:read", "links:write"],
      bounds: { domains: [outside.host] },
    });
    const secret = String(key["key"]);
    expect(await listOf(secret)).toContain(foreign.id);
    const member = `/api/v1/workspaces/${toPublicId("ws", workspace.id)}/members/${toPublicId("mem", maker.memberId)}`;
    const change = (body: object) => browse(owner.cookie).call(`PATCH ${member}`, body);
    expect(await change({ bounds: { ownLinks: true } })).toMatchObject({
      status: 422,
      body: { code: "invalid" },
    });
    const changed = await change({ role: "editor", bounds: { ownLinks: true } });
    expect(changed).toMatchObject({ status: 200, body: { role: "editor", bounds: { ownLinks: true } } });
    expect(await listOf(secret)).toEqual([]);
    const { body: link } = await call<Body>("POST /api/v1/links", URL_FIELD, secret);
    const { body: own } = await browse(maker.cookie).call("POST /api/v1/links", {
      ...URL_FIELD,
      domain: inside.host,
    });
    const ofMember = (await browse(maker.cookie).call("GET /api/v1/links")).body["data"] as readonly Body[];
    expect([await listOf(secret), ofMember.map(({ id }) => id)]).toEqual([[link.id], [own["id"], link.id]]);
    const log = `GET /api/v1/audit-log?action=member.updated&resource=${toPublicId("mem", maker.memberId)}`;
    expect((await call(log)).body).toMatchObject({
      data: [{ before: { role: "admin" }, after: { role: "editor", bounds: { ownLinks: true } } }],
    });
    await change({ bounds: null });
    expect(await listOf(secret)).toContain(foreign.id);
    // With the membership the key ends.
    await browse(maker.cookie).call(`POST ${member.replace(/members.*/, "leave")}`);
    expect((await callApi(stage, "GET /api/v1/links", { key: secret })).status).toBe(401);
  });

  it("of an invitation become the member's, with a new account and with an old one; a member gets no create-only ones", async () => {
    const people = `/api/v1/workspaces/${toPublicId("ws", workspace.id)}`;
    const owner = browse((await stage.addPerson(workspace, "owner")).cookie);
    const invite = async (change: object, email = `${randomUUID()}@example.com`) => {
      const answer = await owner.call(`POST ${people}/invitations`, { email, role: "editor", ...change });
      return { ...answer, errors: answer.body["errors"], email };
    };
    const createOnly = { origins: ["https://a.example"], destinationHosts: ["a.example"], linksPerMinute: 1 };
    const bounds = { tags: [inside.tag] };
    expect([
      (await invite({ bounds, role: "admin" })).errors,
      (await invite({ bounds: { createOnly } })).errors,
      (await invite({ bounds: { folders: ["Absent"] } })).errors,
      (
        await owner.call(`PATCH ${people}/members/${toPublicId("mem", member.memberId)}`, {
          bounds: { createOnly },
        })
      ).body["errors"],
    ]).toMatchObject([
      [{ path: "bounds" }],
      [{ path: "bounds.createOnly" }],
      [{ path: "bounds.folders[0]" }],
      [{ path: "bounds.createOnly" }],
    ]);
    const elsewhere = await stage.addPerson(await stage.addWorkspace(), "owner");
    const [fresh, old] = [openBrowser(stage.app), browse(elsewhere.cookie)];
    for (const [browser, email] of [
      [fresh, undefined],
      [old, elsewhere.email],
    ] as const) {
      // The second one counts.
      const first = await invite({ bounds: { ownLinks: true } }, email);
      const invited = await invite({ bounds }, first.email);
      expect(invited).toMatchObject({ status: 201, body: { id: first.body["id"], role: "editor", bounds } });
      const { body: read } = await owner.call(`GET ${people}/invitations/${String(first.body["id"])}`);
      expect(read).toEqual(invited.body);
      const link = await stage.people.lastLink();
      const token = new URL(link).searchParams.get("token");
      // Before they accept, and then as a member, who is not told who else is there.
      const details = await browser.call("POST /api/auth/invitation/details", { token });
      expect(details.body).toMatchObject({ role: "editor", bounds });
      expect((await browser.follow(link)).status).toBe(200);
      browser.enter(toPublicId("ws", workspace.id));
      expect((await browser.call(`GET ${people}`)).body).toMatchObject({ role: "editor", bounds });
      const ofWorkspaces = (await browser.call("GET /api/v1/workspaces")).body["data"];
      expect(ofWorkspaces).toContainEqual(expect.objectContaining({ role: "editor", bounds }));
      const { body: me } = await browser.call(
        `GET ${people}/members?search=${encodeURIComponent(first.email)}`,
      );
      expect(me).toMatchObject({ code: "out_of_bounds" });
      const seen = (await browser.call("GET /api/v1/links")).body["data"] as readonly Body[];
      expect([seen.length > 0, seen.filter(({ tags }) => tags?.includes(inside.tag) !== true)]).toEqual([
        true,
        [],
      ]);
      const { body: members } = await owner.call(
        `GET ${people}/members?search=${encodeURIComponent(first.email)}`,
      );
      expect(members).toMatchObject({ data: [{ email: first.email, role: "editor", bounds }] });
      const { body: log } = await call(
        `GET /api/v1/audit-log?action=invitation.updated&resource=${String(first.body["id"])}`,
      );
      const named = { tags: [expect.stringMatching(/^tag_/)] };
      expect((log as { data: object }).data).toMatchObject([
        { after: { status: "accepted" } },
        { before: { bounds: { ownLinks: true } }, after: { bounds: named } },
      ]);
    }
  });

  it("are in no statement of a caller who has none", async () => {
    const statementsOf = async (key: string) => {
      const texts: string[] = [];
      stage.endpoint.setFault(({ statements }) => {
        texts.push(...statements.map(({ query }) => query));
        return null;
      });
      await call("GET /api/v1/links?sort=slug&tag=inside-tag", undefined, key);
      await call("GET /api/v1/analytics/totals?visitors=true", undefined, key);
      await call("GET /api/v1/folders", undefined, key);
      await call("POST /api/v1/links", URL_FIELD, key);
      stage.endpoint.setFault(null);
      return texts.filter((text) => /links\.maker_id = ANY/.test(text)).length;
    };
    expect([await statementsOf(admin), await statementsOf(keys.own.key)]).toEqual([0, 4]);
    expect(actWithin(NO_BOUNDS, isWithinBounds)).toBeUndefined();
  });
});

/** What a new link gets that its request does not say, and which link it is where there is one already. */
import { beforeEach, describe, expect, it } from "vitest";
import { nearestOf } from "@hopline/core/link/link-defaults";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { APP_ORIGIN } from "../people/people-stage.ts";
import { sendFile } from "../imports/send-file.ts";
import type { Workspace } from "../stage.ts";
import { toPublicId } from "../../src/http/entity-id.ts";

const { stage } = await openKeyedStage("admin");
const url = "https://example.com/spring";

let workspace: Workspace;
let key: string;
beforeEach(async () => {
  workspace = await stage.addWorkspace();
  key = await stage.addKey(workspace, ["admin"]);
});

type Fault = { readonly path: string; readonly message: string };
type Link = {
  readonly id: string;
  readonly slug: string;
  readonly tags: readonly string[];
  readonly utm: object | null;
  readonly expiresAt: string | null;
  readonly redirectStatus: number;
  readonly hasOwnRedirectStatus: boolean;
  readonly folderId: string | null;
  readonly filled?: readonly { readonly field: string; readonly from: string }[];
  readonly code?: string;
  readonly errors?: readonly Fault[];
};

const call = <Body = Link>(target: string, body?: unknown, as = key) =>
  callApi<Body>(stage, target, { key: as, body });
const create = (body: object = {}, as = key) => call("POST /api/v1/links", { url, ...body }, as);
const ofWorkspace = () => `PATCH /api/v1/workspaces/${toPublicId("ws", workspace.id)}`;
const ofDomain = () => `PATCH /api/v1/domains/${toPublicId("dom", workspace.domainId)}`;
const setDefaults = async (target: string, defaults: unknown) => {
  const answer = await call<Link>(target, { defaults });
  expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
};
const addFolder = async (name: string, defaults: object) =>
  (await call<{ id: string }>("POST /api/v1/folders", { name, defaults })).body.id;
const faultsOf = ({ status, body }: { readonly status: number; readonly body: Link }) => [
  status,
  body.errors?.map(({ path }) => path),
];

describe("defaults", () => {
  it("fill what the link does not say, of each field from the nearest, and are its own from then on", async () => {
    await setDefaults(ofWorkspace(), {
      utm: { source: { value: "newsletter" }, medium: { value: "email" }, campaign: { value: "all" } },
      expiresAfterDays: 30,
      tags: ["of-workspace"],
      redirectStatus: 301,
      forwardQuery: "link-wins",
      openGraph: { title: "Ours" },
      slug: { length: 5, alphabet: "0123456789" },
    });
    await setDefaults(ofDomain(), {
      utm: { medium: { value: "print" } },
      tags: ["of-domain"],
      openGraph: null,
    });
    const folderId = await addFolder("Harbour", {
      utm: { campaign: { value: "{folder}-{date}" }, content: { value: "{slug}@{domain}" } },
      slug: { prefix: "h/" },
    });
    const { status, body } = await create({ folder: "Harbour" });
    const day = new Date().toISOString().slice(0, 10);
    expect([status, body]).toMatchObject([
      201,
      {
        folderId,
        slug: expect.stringMatching(/^h\/\d{5}$/),
        tags: ["of-domain"],
        redirectStatus: 301,
        hasOwnRedirectStatus: true,
        forwardQuery: "link-wins",
        openGraph: null,
        utm: {
          source: "newsletter",
          medium: "print",
          campaign: `Harbour-${day}`,
          content: `${body.slug}@${workspace.host}`,
        },
        filled: [
          { field: "expiresAt", from: "workspace" },
          { field: "tags", from: "domain" },
          { field: "redirectStatus", from: "workspace" },
          { field: "forwardQuery", from: "workspace" },
          { field: "utm.source", from: "workspace" },
          { field: "utm.medium", from: "domain" },
          { field: "utm.campaign", from: "folder" },
          { field: "utm.content", from: "folder" },
          { field: "slug", from: "folder" },
        ],
      },
    ]);
    expect(Date.parse(body.expiresAt ?? "") - Date.now()).toBeGreaterThan(29 * 86_400_000);
    // The edge learns of it as of what the link itself said.
    expect(stage.edge.recordAt(workspace.host, body.slug)).toMatchObject({
      redirectStatus: 301,
      utmQuery: expect.stringContaining("utm_source=newsletter&utm_medium=print"),
    });
    await setDefaults(ofWorkspace(), null);
    const { body: read } = await call(`GET /api/v1/links/${body.id}`);
    expect(read.utm).toEqual(body.utm);
    expect((await create()).body.filled?.map(({ from }) => from)).toEqual(["domain", "domain"]);
  });

  it("leave what the link says, nothing too, and what its destination says of UTM", async () => {
    await setDefaults(ofWorkspace(), {
      utm: { source: { value: "newsletter" }, medium: { value: "email" } },
      expiresAfterDays: 30,
      tags: ["spring"],
      redirectStatus: 301,
    });
    const none = await create({ utm: null, expiresAt: null, tags: [], redirectStatus: null, slug: "own" });
    expect(none.body).toMatchObject({
      utm: null,
      expiresAt: null,
      tags: [],
      hasOwnRedirectStatus: false,
    });
    const own = await create({
      url: `${url}?utm_source=x`,
      utm: { medium: "" },
      tags: ["mine"],
      expiresAt: null,
    });
    expect(own.body).toMatchObject({
      tags: ["mine"],
      filled: [{ field: "redirectStatus", from: "workspace" }],
    });
    // Of a domain, its own status decides: the link follows it.
    await call(ofDomain(), { redirectStatus: 307 });
    expect((await create()).body).toMatchObject({ redirectStatus: 307, hasOwnRedirectStatus: false });
    const startsAt = "2099-01-01T00:00:00Z";
    expect((await create({ startsAt })).body.expiresAt).toBe("2099-01-31T00:00:00.000Z");
  });

  it("say which UTM values a link must have and may have, to every way of making one", async () => {
    await setDefaults(ofWorkspace(), {
      utm: {
        source: { isRequired: true, allowed: ["mail", "print"] },
        campaign: { isRequired: true, value: "{folder}" },
      },
    });
    // In no folder, the campaign's default is nothing.
    const missing = ["utm.source", "utm.campaign"];
    expect(faultsOf(await create())).toEqual([422, missing]);
    expect(faultsOf(await create({ utm: null }))).toEqual([422, missing]);
    const wrong = await create({ utm: { source: "Mail", campaign: "c" } });
    expect(wrong.body.errors).toEqual([
      { path: "utm.source", message: "is not allowed for new links here: use mail, print" },
    ]);
    const good = { url, utm: { source: "mail", campaign: "c" } };
    type Bulk = {
      readonly results: readonly { readonly status: number; readonly errors?: readonly Fault[] }[];
    };
    const bulk = await call<Bulk>("POST /api/v1/links/bulk", { items: [good, { url }] });
    expect(bulk.body.results.map(({ status, errors }) => [status, errors?.map(({ path }) => path)])).toEqual([
      [201, undefined],
      [422, missing],
    ]);
    expect((await call("POST /api/v1/links/upsert", { url, externalId: "e" })).status).toBe(422);
    const rows = [
      { url, utm: { source: "print", campaign: "c" } },
      { url: `${url}?utm_source=mail&utm_campaign=c` },
      { url },
    ];
    const report = await sendFile(stage, key, {
      body: rows.map((row) => JSON.stringify(row)).join("\n"),
      type: "application/x-ndjson",
    });
    expect(report).toMatchObject({ created: 2, refused: 1, refusals: [{ row: 3, code: "invalid" }] });
    const { headers } = await stage.addPerson(workspace, "editor");
    const ofPerson = await stage.app.request("/api/v1/links", {
      method: "POST",
      headers: { ...headers, origin: APP_ORIGIN, "content-type": "application/json" },
      body: JSON.stringify({ url }),
    });
    expect(ofPerson.status).toBe(422);
  });

  it("fill an imported link where its row is empty: an old link ends from now on, not in the past", async () => {
    await setDefaults(ofWorkspace(), { expiresAfterDays: 1, tags: ["filled"] });
    const file =
      "slug,url,tags,created at\nold,https://example.com/1,,2020-01-01T00:00:00Z\nnew,https://example.com/2,own,\n";
    await sendFile(stage, key, { body: file });
    const { body } = await call<{ data: readonly Link[] }>("GET /api/v1/links?sort=slug");
    expect(
      body.data.map(({ slug, tags, expiresAt }) => [slug, tags, Date.parse(expiresAt ?? "") > Date.now()]),
    ).toEqual([
      ["new", ["own"], true],
      ["old", ["filled"], true],
    ]);
  });

  it.each([
    ["a placeholder for nothing", { utm: { source: { value: "{foo}" } } }, "defaults.utm.source.value"],
    ["half a placeholder", { utm: { source: { value: "{slug" } } }, "defaults.utm.source.value"],
    [
      "a value of 1,000 characters",
      { utm: { source: { value: "x".repeat(1_000) } } },
      "defaults.utm.source.value",
    ],
    [
      "a value that it does not allow",
      { utm: { id: { value: "a", allowed: ["b"] } } },
      "defaults.utm.id.value",
    ],
    ["an unknown field", { utm: { sauce: {} } }, "defaults.utm.sauce"],
    ["an end in the past", { expiresAfterDays: -1 }, "defaults.expiresAfterDays"],
    ["a slug of two characters", { slug: { length: 2 } }, "defaults.slug.length"],
    ["a character twice", { slug: { alphabet: "aba" } }, "defaults.slug.alphabet"],
    ["no character", { slug: { alphabet: "" } }, "defaults.slug.alphabet"],
    ["a prefix that is the API's", { slug: { prefix: "api/" } }, "defaults.slug.prefix"],
    ["a prefix that steps up", { slug: { prefix: "../" } }, "defaults.slug.prefix"],
    [
      "a picture that is a script",
      { openGraph: { image: "javascript:alert(1)" } },
      "defaults.openGraph.image",
    ],
    [
      "a picture with a placeholder",
      { openGraph: { image: "https://example.com/{1}.png" } },
      "defaults.openGraph.image",
    ],
    ["an empty preview", { openGraph: {} }, "defaults.openGraph"],
    [
      "too much",
      { utm: { id: { allowed: Array.from({ length: 50 }, (_, at) => `${at}`.padEnd(255, "x")) } } },
      "defaults",
    ],
  ])("are refused with %s, at its field", async (_what, defaults, path) => {
    for (const target of [ofWorkspace(), ofDomain(), "POST /api/v1/folders"]) {
      const answer = await call(target, { ...(target.startsWith("POST") ? { name: "x" } : {}), defaults });
      expect([target, ...faultsOf(answer)]).toEqual([target, 422, [path]]);
    }
  });

  it("of a domain have no redirect status, which is its own setting", async () => {
    expect(faultsOf(await call(ofDomain(), { defaults: { redirectStatus: 301 } }))).toEqual([
      422,
      ["defaults.redirectStatus"],
    ]);
  });

  it("put a title's braces in as they are, and no more than fits", async () => {
    await setDefaults(ofWorkspace(), { utm: { term: { value: "{title}" } } });
    expect((await create({ title: "{title}{slug}" })).body.utm).toEqual({ term: "{title}{slug}" });
    expect((await create({ title: "x".repeat(500) })).body.utm).toEqual({ term: "x".repeat(255) });
  });

  it("that leave no slug are named where one is wanted", async () => {
    await setDefaults(ofWorkspace(), { slug: { length: 3, alphabet: "a" } });
    expect((await create()).body.slug).toBe("aaa");
    const { status, body } = await create();
    expect([status, body.code, body.errors]).toEqual([
      409,
      "slug_taken",
      [{ path: "slug", message: expect.stringContaining("make default slugs longer") }],
    ]);
    expect((await create({ slug: "own" })).status).toBe(201);
  });

  it("take another slug, and what is made of it, after a collision", async () => {
    await setDefaults(ofWorkspace(), {
      slug: { length: 3, alphabet: "ab" },
      utm: { id: { value: "{slug}" } },
    });
    const answers = [];
    for (let made = 0; made < 4; made += 1) {
      answers.push((await create()).body);
    }
    expect(new Set(answers.map(({ slug }) => slug)).size).toBe(4);
    expect(answers.map(({ utm }) => utm)).toEqual(answers.map(({ slug }) => ({ id: slug })));
  });

  it("lose a tag that is deleted, and keep one that is renamed, wherever they are", async () => {
    for (const target of [ofWorkspace(), ofDomain()]) {
      await setDefaults(target, { tags: ["gone", "kept"] });
    }
    const folderId = await addFolder("Tagged", { tags: ["gone", "kept"] });
    await create();
    await call("DELETE /api/v1/tags/gone");
    await call("PATCH /api/v1/tags/kept", { name: "renamed" });
    expect((await create()).body.tags).toEqual(["renamed"]);
    expect((await create({ folder: folderId })).body.tags).toEqual(["renamed"]);
    await setDefaults(ofDomain(), null);
    expect((await create()).body.tags).toEqual(["renamed"]);
  });

  it("that grow beyond their room with a tag's name are kept, and so is all else that their domain says", async () => {
    const value = "x".repeat(255);
    // As long as they may be, to a few characters.
    const allowed = Array.from({ length: 30 }, (_, at) => value.slice(0, 253) + String(at + 10));
    const defaults = { utm: { term: { allowed } }, tags: ["a"] };
    const rest = 8_000 - JSON.stringify(defaults).length;
    const full = {
      ...defaults,
      utm: { ...defaults.utm, id: { value: "y".repeat(Math.min(255, rest - 20)) } },
    };
    await setDefaults(ofWorkspace(), full);
    await setDefaults(ofDomain(), full);
    await call(ofDomain(), { rootUrl: "https://example.com/", title: "Ours" });
    await call("POST /api/v1/links", { url, tags: ["a"], utm: { term: allowed[0] } });
    expect((await call("PATCH /api/v1/tags/a", { name: "b".repeat(64) })).status).toBe(200);
    const { body } = await call<object>(ofDomain(), { color: "#0b7a75" });
    expect(body).toMatchObject({ rootUrl: "https://example.com/", title: "Ours", color: "#0b7a75" });
    expect(body).toMatchObject({ defaults: { tags: ["b".repeat(64)] } });
    const ours = await call<object>(ofWorkspace().replace("PATCH", "GET"));
    expect(ours.body).toMatchObject({ defaults: { tags: ["b".repeat(64)] } });
  });

  it.each([
    ["workspace", ofWorkspace],
    ["domain", ofDomain],
  ])(
    "of a %s are another version with a renamed tag: a colleague's form does not bring the old name back",
    async (_level, target) => {
      const old = { defaults: { tags: ["before"] } };
      await setDefaults(target(), old.defaults);
      await create();
      const read = await call(target().replace("PATCH", "GET"));
      expect((await call("PATCH /api/v1/tags/before", { name: "after" })).status).toBe(200);
      const headers = { "if-match": read.headers.get("etag") ?? "" };
      expect((await callApi(stage, target(), { key, body: old, headers })).status).toBe(412);
      expect((await create()).body.tags).toEqual(["after"]);
    },
  );

  it("of the folder that a bounded key has no choice of are its links', beside the tag that it must give", async () => {
    const folderId = await addFolder("Bounded", {
      tags: ["of-folder"],
      utm: { source: { value: "{folder}" } },
    });
    await call("POST /api/v1/tags", { name: "must" });
    const { body: made } = await call<{ key: string }>("POST /api/v1/keys", {
      name: "Bounded",
      scopes: ["links:write"],
      bounds: { folders: ["Bounded"], tags: ["must"] },
    });
    const { body } = await create({}, made.key);
    expect(body).toMatchObject({ folderId, tags: ["must", "of-folder"], utm: { source: "Bounded" } });
    for (const target of [ofWorkspace(), ofDomain(), `PATCH /api/v1/folders/${folderId}`]) {
      expect((await call(target, { defaults: null }, made.key)).status).toBe(403);
    }
    // Another workspace's folder is none.
    const other = await stage.addWorkspace();
    const foreign = await create({ folder: folderId }, await stage.addKey(other, ["links:write"]));
    expect(faultsOf(foreign)).toEqual([422, ["folder"]]);
  });

  it("are in the audit log, and change only from the version that was read", async () => {
    const read = await call(ofWorkspace().replace("PATCH", "GET"));
    const ifMatch = { "if-match": read.headers.get("etag") ?? "" };
    const body = { defaults: { tags: ["a"] } };
    const statuses = [];
    for (let time = 0; time < 2; time += 1) {
      statuses.push((await callApi(stage, ofWorkspace(), { key, body, headers: ifMatch })).status);
    }
    expect(statuses).toEqual([200, 412]);
    await setDefaults(ofDomain(), { tags: ["b"] });
    const { body: log } = await call<{ data: readonly { action: string; after: object }[] }>(
      "GET /api/v1/audit-log",
    );
    expect(log.data.slice(0, 2)).toMatchObject([
      { action: "domain.updated", after: { defaults: { tags: ["b"] } } },
      { action: "workspace.updated", after: body },
    ]);
  });

  it("of nothing are nothing", () => {
    expect(nearestOf({ workspace: null, domain: null, folder: null })).toEqual({ utm: {}, slug: {} });
  });
});

describe("reuse", () => {
  const reuse = (body: object = {}, as = key) => create({ reuse: true, ...body }, as);

  it("makes one link of fifty requests at the same moment, and answers all of them with it", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => reuse({ tags: ["once"] })));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(49).fill(200), 201]);
    const { rows } = await stage.client.query("SELECT 1 FROM links WHERE workspace_id = $1", [workspace.id]);
    expect(rows).toHaveLength(1);
  });

  it("knows the same destination however its host is written, in the same folder, with the same UTM values", async () => {
    await call("POST /api/v1/folders", { name: "Other" });
    const first = (await reuse({ url: "https://example.com", title: "First" })).body;
    const same = [
      {},
      { url: "HTTPS://EXAMPLE.com:443/" },
      { title: "Second", tags: ["x"] },
      { folder: null },
      { domain: workspace.host },
    ];
    for (const body of same) {
      const answer = await reuse({ url: "https://example.com/", ...body });
      expect([body, answer.status, answer.body]).toMatchObject([body, 200, { id: first.id, title: "First" }]);
    }
    const others = [
      { url: "http://example.com/" },
      { url: "https://example.com/?" },
      { url: "https://example.com/A" },
      { url: "https://example.com/a" },
      { folder: "Other" },
      { utm: { source: "mail" } },
    ];
    for (const body of others) {
      const other = { url: "https://example.com/", ...body };
      const made = await reuse(other);
      expect([body, made.status]).toEqual([body, 201]);
      expect([body, (await reuse(other)).body.id]).toEqual([body, made.body.id]);
    }
  });

  it.each([
    ["rules", { rules: [{ id: "r", when: { country: ["DE"] }, to: { url } }] }],
    [
      "a split",
      {
        split: [
          { id: "a", url, weight: 1 },
          { id: "b", url: "https://example.com/b", weight: 1 },
        ],
      },
    ],
    ["a planned change", { next: { url: "https://example.com/b", activateAt: "2099-01-01T00:00:00Z" } }],
    ["a start", { startsAt: "2099-01-01T00:00:00Z" }],
    ["an end", { expiresAt: "2099-01-01T00:00:00Z" }],
    ["a cap", { cap: { mode: "fast", maxClicks: 5 } }],
    ["a password", { password: "correct horse battery" }],
    ["forwarding of the query", { forwardQuery: "link-wins" }],
    ["forwarding behind its slug", { slug: "docs/*" }],
  ])("takes no link with %s for the same, and can't be asked for together with it", async (_what, field) => {
    const { body: other } = await create(field);
    const answer = await reuse();
    expect([answer.status, answer.body.id === other.id]).toEqual([201, false]);
    expect(faultsOf(await reuse(field))).toEqual([422, Object.keys(field)]);
  });

  it("takes no link that is off, archived, in the trash or ended", async () => {
    await setDefaults(ofWorkspace(), { expiresAfterDays: 1 });
    const seen = new Set<string>();
    const patches = [
      { status: "disabled" },
      { status: "archived" },
      { expiresAt: "2020-01-01T00:00:00Z" },
      null,
    ];
    for (const patch of patches) {
      const { status, body } = await reuse();
      expect([patch, status, seen.has(body.id)]).toEqual([patch, 201, false]);
      // With an end that a default gives, it is the same while that is ahead.
      expect((await reuse()).body.id).toBe(body.id);
      seen.add(body.id);
      await call(`${patch === null ? "DELETE" : "PATCH"} /api/v1/links/${body.id}`, patch ?? undefined);
    }
    // Without one, what ends is not.
    const { body: ends } = await reuse();
    expect((await reuse({ expiresAt: null })).body.id).not.toBe(ends.id);
    const item = { url: "https://example.com/list", reuse: true };
    const { body: list } = await call<{ readonly results: readonly { readonly link: Link }[] }>(
      "POST /api/v1/links/bulk",
      { items: [item, { ...item, expiresAt: null }] },
    );
    expect(list.results.map(({ link }) => link.expiresAt)).toEqual([expect.any(String), null]);
  });

  it("tells a placeholder from its escape, and a path from the one it leads to, within a list, too", async () => {
    const paths = ["{path}", "%7Bpath%7D", "a/../b", "b"];
    const items = paths.map((path) => ({ url: `https://example.com/${path}`, reuse: true }));
    type Bulk = { readonly results: readonly { readonly link: { readonly url: string } }[] };
    const { body } = await call<Bulk>("POST /api/v1/links/bulk", { items });
    expect(body.results.map(({ link }) => link.url)).toEqual(items.map((item) => item.url));
  });

  it.each([false, true])(
    "is said of each item of many, also twice in a list (atomic: %s)",
    async (atomic) => {
      const { body: there } = await create();
      type Bulk = { readonly created: number; readonly results: readonly { status: number; link: Link }[] };
      const again = { url: "https://example.com/twice", reuse: true };
      const items = [{ url, reuse: true }, again, again, { url }];
      const send = () => call<Bulk>("POST /api/v1/links/bulk", { items, atomic });
      const { body } = await send();
      expect([body.created, body.results.map(({ status }) => status)]).toEqual([2, [200, 201, 200, 201]]);
      const ids = body.results.map(({ link }) => link.id);
      expect([ids[0], ids[1]]).toEqual([there.id, ids[2]]);
      // All at once: whoever is first makes what all others get.
      const different = Array.from({ length: 5 }, (_, at) => ({ url: `${url}/${at}`, reuse: true }));
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => call<Bulk>("POST /api/v1/links/bulk", { items: different, atomic })),
      );
      const made = answers.map((answer) => answer.body.results.map(({ link }) => link.id).join());
      expect([new Set(made).size, answers.reduce((sum, answer) => sum + answer.body.created, 0)]).toEqual([
        1, 5,
      ]);
    },
  );

  it("is answered where the workspace may make no more links", async () => {
    const { body } = await reuse();
    await stage.client.query("INSERT INTO workspace_limits (workspace_id, links) VALUES ($1, 1)", [
      workspace.id,
    ]);
    const answers = [await reuse(), await reuse({ url: "https://example.com/new" })];
    expect(answers.map(({ status }) => status)).toEqual([200, 402]);
    expect(answers[0]?.body.id).toBe(body.id);
  });

  it("shows no link outside of a key's bounds, and a create-only key none at all", async () => {
    const { body: hidden } = await reuse();
    const bounded = await call<{ key: string }>("POST /api/v1/keys", {
      name: "Own",
      scopes: ["links:write"],
      bounds: { ownLinks: true },
    });
    const own = await reuse({}, bounded.body.key);
    expect([own.status, own.body.id === hidden.id]).toEqual([201, false]);
    expect((await reuse({}, bounded.body.key)).body.id).toBe(own.body.id);
    const origin = "https://www.example.com";
    const createOnly = { origins: [origin], destinationHosts: ["example.com"], linksPerMinute: 10 };
    const page = await call<{ key: string }>("POST /api/v1/keys", {
      name: "Page",
      scopes: ["links:write"],
      bounds: { createOnly },
    });
    const answer = await callApi<Link>(stage, "POST /api/v1/links", {
      key: page.body.key,
      headers: { origin },
      body: { url, reuse: true },
    });
    expect(faultsOf(answer)).toEqual([422, ["reuse"]]);
  });

  it("finds its link by an index, as a list does by destination", async () => {
    await stage.client.query(
      `INSERT INTO links (id, workspace_id, domain_id, slug, url, record)
       SELECT gen_random_uuid(), $1, $2, 'many-' || n, 'https://example.com/' || n, '{"format":1}' FROM generate_series(1, 2000) AS n`,
      [workspace.id, workspace.domainId],
    );
    await stage.client.query("ANALYZE links");
    const plans: string[] = [];
    const sent: { readonly query: string; readonly params: readonly unknown[] }[] = [];
    stage.endpoint.setFault(({ statements }) => {
      sent.push(...statements.filter(({ query }) => query.includes("destination_key")));
      return null;
    });
    expect((await reuse({ url: "HTTPS://example.com/7" })).status).toBe(200);
    expect((await reuse({ url: "https://example.com/new" })).status).toBe(201);
    const found = await call<{ data: readonly unknown[] }>("GET /api/v1/links?url=https://EXAMPLE.com/7");
    stage.endpoint.setFault(null);
    expect(found.body.data).toHaveLength(1);
    for (const { query, params } of sent) {
      const { rows } = await stage.client.query(`EXPLAIN ${query}`, [...params]);
      plans.push(rows.map((row) => row["QUERY PLAN"]).join("\n"));
    }
    expect(plans.length).toBeGreaterThanOrEqual(4);
    expect(plans.filter((plan) => !plan.includes("links_by_destination"))).toEqual([]);
  });
});

/** Changing a link after its creation: edits, moves, statuses, deletion; and what is published of it. */
import { describe, expect, it } from "vitest";
import { LINK_STATUSES } from "../../src/links/store/link-status.ts";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { clientOf, statusOf } from "../stage-client.ts";
import { toUuid } from "../to-uuid.ts";
import type { ClickRow } from "@hopline/db/ingest/click-row";
import { insertClicks } from "@hopline/db/ingest/insert-clicks";
import { aBatch } from "../../../../packages/db/test/click-batch.ts";
import { runSqlOf } from "../run-sql-of.ts";
import type { CreateLink, Link, UpdateLink } from "@hopline/client/openapi";

const { stage, workspace, key } = await openKeyedStage("admin", "links:read", "links:write");
const hopline = clientOf(stage, key);

type Headers = { readonly "if-match"?: string };

const create = (body: Partial<CreateLink> = {}) =>
  hopline.createLink({ body: { url: "https://example.com/", ...body } });
const change = (link: Link, body: UpdateLink, headers: Headers = {}) =>
  hopline.updateLink({ linkId: link.id, body }, { headers });
const remove = (link: Link, headers: Headers = {}) => hopline.deleteLink({ linkId: link.id }, { headers });
const destroy = ({ id }: Link) => hopline.deleteLinks({ body: { items: [{ id }], clicks: "delete" } });
const read = (link: Link) => hopline.readLink({ linkId: link.id });

const atEdge = (slug: string) => stage.edge.recordAt(workspace.host, slug);

describe("PATCH /api/v1/links/{linkId}", () => {
  it("changes only the given fields, and publishes the change", async () => {
    const link = await create({ title: "Spring", tags: ["a"] });
    const change = { url: "https://example.com/new", redirectStatus: 301 as const };
    const { data: changed, response } = await hopline
      .updateLink({ linkId: link.id, body: change })
      .withResponse();
    expect(changed).toEqual({
      ...link,
      ...change,
      hasOwnRedirectStatus: true,
      version: 2,
      updatedAt: expect.any(String),
    });
    expect(response.headers.get("etag")).toMatch(/^"v2\.[0-9a-f]{16}"$/);
    expect(await read(link)).toEqual(changed);
    expect(atEdge(link.slug)).toMatchObject({
      url: "https://example.com/new",
      redirectStatus: 301,
      version: 2,
    });
  });

  it.each([
    ["its tag before some clicks", '"v1.0123456789abcdef"', 200],
    ["one of several", '"v7.0123456789abcdef", "v1.0123456789abcdef"', 200],
    ["anything", "*", 200],
    ["an older or newer tag", '"v2.0123456789abcdef"', 412],
    ["no tag of ours", '"abc"', 412],
    ["nonsense", "v1", 412],
  ])("with If-Match of %s is answered %s %s", async (_what, ifMatch, status) => {
    const link = await create();
    expect(await statusOf(change(link, { title: "x" }, { "if-match": ifMatch }))).toBe(status);
    expect((await read(link)).version).toBe(status === 200 ? 2 : 1);
  });

  it("loses no edit of four at the same time", async () => {
    const link = await create();
    await Promise.all(
      [..."abcd"].map((letter, index) =>
        change(link, index % 2 === 0 ? { title: letter } : { tags: [letter] }),
      ),
    );
    expect((await read(link)).version).toBe(5);
  });

  it.each([
    ["disabled", "disabled"],
    ["archived", "disabled"],
    ["live", "live"],
  ] as const)("sets the status %s, which is published as %s", async (status, state) => {
    const link = await create();
    expect((await change(link, { status })).status).toBe(status);
    expect(atEdge(link.slug)).toMatchObject({ state, version: 2 });
    expect((await change(link, { status: "live" })).status).toBe("live");
    expect(atEdge(link.slug)).toMatchObject({ state: "live", version: 3 });
  });

  it("moves a link: the old address stays with it as an alias, and shows what it shows", async () => {
    const link = await create({ slug: "before" });
    const moved = await change(link, { slug: "after" });
    expect(moved).toMatchObject({ id: link.id, slug: "after", aliases: ["before"], version: 2 });
    await change(link, { url: "https://example.com/edited" });
    expect(atEdge("before")).toEqual({ ...atEdge("after"), alias: "before" });
    expect(atEdge("after")).toMatchObject({
      linkId: toUuid(link.id),
      url: "https://example.com/edited",
      version: 3,
    });
    const back = await change(link, { slug: "before" });
    expect(back).toMatchObject({ slug: "before", aliases: ["after"], version: 4 });
    expect(atEdge("before")).toMatchObject({ state: "live", version: 4 });
    expect([atEdge("before"), atEdge("after")].map((record) => record?.alias)).toEqual([undefined, "after"]);
  });

  it("keeps an alias for its link until that releases it", async () => {
    const link = await create({ slug: "kept" });
    await change(link, { slug: "renamed" });
    const refused = await callApi(stage, "POST /api/v1/links", {
      key,
      body: { url: link.url, slug: "kept" },
    });
    expect(refused).toMatchObject({ status: 409, body: { code: "slug_taken" } });
    const aliases = `/api/v1/links/${link.id}/aliases`;
    expect((await callApi(stage, `GET ${aliases}`, { key })).body).toEqual({
      data: [{ slug: "kept", shortUrl: expect.stringMatching(/\/kept$/), clicks: 0, lastClickedAt: null }],
      nextCursor: null,
    });
    for (const [alias, status] of [
      ["renamed", 404],
      ["nonsense", 404],
      ["kept", 204],
      ["kept", 404],
    ] as const) {
      const released = await callApi(stage, `DELETE ${aliases}/${alias}`, { key });
      expect([alias, released.status]).toEqual([alias, status]);
    }
    expect(atEdge("kept")).toMatchObject({ state: "deleted", version: 3 });
    expect(await read(link)).toMatchObject({ slug: "renamed", aliases: [], version: 3 });
    expect(await create({ slug: "kept" })).toMatchObject({ version: 4 });
  });

  it("says how many people came through each alias, also while it was the slug, and asks before one is released that is in use", async () => {
    const link = await create({ slug: "first" });
    const click = async (first: number, count: number, row: Partial<ClickRow> = {}) => {
      const clickedAtMs = Date.now() - 86_400_000 + first;
      const shape = { first, count, row: () => ({ linkId: toUuid(link.id), clickedAtMs, ...row }) };
      await insertClicks(runSqlOf(stage.client), aBatch([shape]), 30_000);
      return clickedAtMs;
    };
    await click(1, 5);
    await click(6, 1, { class: "bot" });
    await change(link, { slug: "second" });
    await click(7, 4);
    const lastAtMs = await click(11, 2, { alias: "first" });
    await click(13, 3, { alias: "first", class: "bot" });
    await change(link, { slug: "third" });
    await click(16, 1, { alias: "second", clickedAtMs: Date.now() - 40 * 86_400_000 });
    const { data } = await hopline.listAliases({ linkId: link.id });
    expect(data.map(({ slug, clicks }) => [slug, clicks])).toEqual([
      ["first", 7],
      ["second", 4],
    ]);
    expect(data[0]?.lastClickedAt).toBe(new Date(lastAtMs).toISOString());
    const release = (alias: string) => `DELETE /api/v1/links/${link.id}/aliases/${alias}`;
    const asked = await callApi<{ code: string; errors: object[] }>(stage, release("first"), { key });
    expect(asked).toMatchObject({ status: 409, body: { code: "alias_in_use", errors: [{ path: "alias" }] } });
    expect(JSON.stringify(asked.body.errors)).toContain(
      `had 7 clicks of people in the last 30 days, the last one at ${new Date(lastAtMs).toISOString()}`,
    );
    expect((await callApi(stage, `${release("first")}?confirm=clicks`, { key })).status).toBe(204);
    // Back to a former slug, and away again: its clicks are all of both times.
    await change(link, { slug: "second" });
    await click(17, 1);
    await change(link, { slug: "third" });
    const again = (await hopline.listAliases({ linkId: link.id })).data;
    expect(again.map(({ slug, clicks }) => [slug, clicks])).toEqual([["second", 5]]);
    await destroy(link);
    const left = await stage.client.query("SELECT FROM alias_clicks WHERE link_id = $1", [toUuid(link.id)]);
    expect(left.rowCount).toBe(0);
  });

  it("has at most 20 aliases, and at that number may still take back one of its own", async () => {
    const link = await create({ slug: "name-0" });
    for (let count = 1; count <= 20; count += 1) {
      await change(link, { slug: `name-${count}` });
    }
    await expect(change(link, { slug: "name-21" })).rejects.toMatchObject({ status: 422, code: "invalid" });
    expect(await change(link, { slug: "name-0" })).toMatchObject({ slug: "name-0" });
  });

  it("gives a link that moves to a used address a version above all earlier ones there", async () => {
    const old = await create({ slug: "busy" });
    for (const title of ["a", "b", "c"]) {
      await change(old, { title });
    }
    await destroy(old);
    const mover = await create({ slug: "mover" });
    expect(await change(mover, { slug: "busy" })).toMatchObject({ version: 6 });
    expect(atEdge("busy")).toMatchObject({ state: "live", version: 6, linkId: toUuid(mover.id) });
  });

  it("does not move a link to a taken address", async () => {
    await create({ slug: "occupied" });
    const link = await create();
    await expect(change(link, { slug: "occupied" })).rejects.toMatchObject({
      status: 409,
      code: "slug_taken",
    });
    expect(await read(link)).toEqual(link);
  });

  it.each([
    ["an empty title is a title", { title: "" }, 200],
    ["tags without repetition", { tags: ["a", "a", "b"] }, 200],
    ["nothing", {}, 200],
    ["a status that clients can't set", { status: "deleted" }, 422],
    ["another id", { id: "lnk_1" }, 422],
    ["null for a url", { url: null }, 422],
    ["51 tags", { tags: Array.from({ length: 51 }, (_, index) => `t${index}`) }, 422],
    ["an empty tag", { tags: [" "] }, 422],
    ["a destination on a private address", { url: "http://10.0.0.1/" }, 422],
  ])("%s", async (_what, body, status) => {
    const { id } = await create();
    expect((await callApi(stage, `PATCH /api/v1/links/${id}`, { key, body })).status).toBe(status);
  });

  it("refuses a destination on a short domain, its own or another workspace's", async () => {
    const stranger = await stage.addWorkspace();
    const link = await create();
    for (const host of [workspace.host, stranger.host]) {
      await expect(change(link, { url: `https://${host}/x` })).rejects.toMatchObject({
        status: 422,
        problem: { code: "invalid", errors: [{ path: "url" }] },
      });
    }
  });
});

describe("DELETE /api/v1/links/{linkId}", () => {
  it("publishes a tombstone, and the link can no longer be read", async () => {
    const link = await create();
    expect(await statusOf(remove(link))).toBe(204);
    expect(atEdge(link.slug)).toMatchObject({ state: "deleted", version: 2, url: "" });
    for (const call of [read, remove, (one: Link) => change(one, {})]) {
      await expect(call(link)).rejects.toMatchObject({ status: 404 });
    }
  });

  it("compares versions if there is an If-Match", async () => {
    const link = await create();
    await change(link, { title: "x" });
    expect(await statusOf(remove(link, { "if-match": '"v1.0123456789abcdef"' }))).toBe(412);
    expect(await statusOf(remove(link, { "if-match": '"v2.0123456789abcdef"' }))).toBe(204);
  });

  it("frees the address once the link is destroyed: the next one there has a version above the tombstone", async () => {
    const first = await create({ slug: "again", externalId: "again" });
    await destroy(first);
    const second = await create({ slug: "again", externalId: "again" });
    expect([second.version, second.id === first.id]).toEqual([3, false]);
    expect(atEdge("again")).toMatchObject({ state: "live", version: 3, linkId: toUuid(second.id) });
    await destroy(second);
    expect((await create({ slug: "again" })).version).toBe(5);
  });
});

describe("the versions of a link", () => {
  const versionsOf = async (link: Link) =>
    (
      await stage.client.query(
        "SELECT version::int, destination, state FROM link_versions WHERE link_id = $1 ORDER BY version",
        [toUuid(link.id)],
      )
    ).rows;

  it("are kept, each with its destination and all that an edit can change", async () => {
    const link = await create({ slug: "kept-versions", url: "https://example.com/1", title: "One" });
    await change(link, { url: "https://example.com/2", tags: ["a"], cap: { mode: "strict", maxClicks: 5 } });
    await change(link, { title: null, cap: { mode: "fast", maxClicks: 7 }, password: "secret of the link" });
    await change(link, { slug: "kept-renamed", cap: null });
    await remove(link);
    const plain = { slug: "kept-versions", state: "live", redirect_status: 302, smart: {} };
    const cap = { mode: "strict", max_clicks: 5 };
    const of = (version: number, state: object, destination = "https://example.com/2") => ({
      version,
      destination,
      state: expect.objectContaining(state),
    });
    expect(await versionsOf(link)).toEqual([
      of(1, { ...plain, title: "One", tags: [] }, "https://example.com/1"),
      of(2, { ...plain, title: "One", tags: ["a"], cap }),
      of(3, { ...plain, cap: { mode: "fast", max_clicks: 7 }, password: expect.any(Object) }),
      of(4, { ...plain, slug: "kept-renamed" }),
      of(5, { ...plain, slug: "kept-renamed", state: "deleted" }),
    ]);
    expect((await versionsOf(link))[3]?.state).not.toHaveProperty("cap");
  });

  it("have nothing that is worked out from the rest, or that no edit can change", async () => {
    const link = await create();
    await stage.client.query(
      "ALTER TABLE links ADD COLUMN derived text GENERATED ALWAYS AS (upper(slug)) STORED",
    );
    await change(link, { title: "Edited" });
    await stage.client.query("ALTER TABLE links DROP COLUMN derived");
    const [, edited] = await versionsOf(link);
    expect(Object.keys(edited?.state ?? {}).toSorted()).toEqual([
      "follows_domain_status",
      "redirect_status",
      "slug",
      "smart",
      "state",
      "tags",
      "title",
    ]);
  });

  it("are not changed by uses of a cap", async () => {
    const link = await create({ cap: { mode: "strict", maxClicks: 5 } });
    const before = await versionsOf(link);
    await stage.client.query("UPDATE link_caps SET used = used + 1 WHERE link_id = $1", [toUuid(link.id)]);
    expect(await versionsOf(link)).toEqual(before);
    expect(before).toMatchObject([{ version: 1, state: { cap: { mode: "strict", max_clicks: 5 } } }]);
  });
});

describe("an external id", () => {
  it("belongs to one link of a workspace", async () => {
    const link = await create({ externalId: "p-1" });
    const second = await callApi(stage, "POST /api/v1/links", {
      key,
      body: { url: "https://example.com/", externalId: "p-1" },
    });
    expect(second).toMatchObject({ status: 409, body: { code: "external_id_taken" } });
    const other = await create();
    await expect(change(other, { externalId: "p-1" })).rejects.toMatchObject({ code: "external_id_taken" });
    expect(await change(link, { externalId: null })).toMatchObject({ externalId: null });
    expect(await change(other, { externalId: "p-1" })).toMatchObject({ externalId: "p-1" });
  });
});

it.each([{ slug: "upserted" }, {}])(
  "upserts of %j at the same moment are one link, and none is refused",
  async (body) => {
    const externalId = `race-${JSON.stringify(body)}`;
    const upsert = (title: string) =>
      callApi<Link>(stage, "POST /api/v1/links/upsert", {
        key,
        body: { externalId, url: "https://example.com/", title, ...body },
      });
    const answers = await Promise.all(["a", "b", "c", "d"].map(upsert));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 201]);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
  },
);

describe("a link as GET showed it", () => {
  it("is taken back with rules and limits, and follows its domain's redirect status as before", async () => {
    const made = await create({
      title: "All of it",
      tags: ["a"],
      rules: [{ id: "r", when: { country: ["DE"] }, to: { url: "https://example.com/de" } }],
      expiresAt: "2099-01-01T00:00:00Z",
      cap: { mode: "fast", maxClicks: 10 },
      utm: { source: "x" },
      openGraph: { title: "t" },
    });
    const link = await read(made);
    expect(link).toMatchObject({ hasOwnRedirectStatus: false });
    expect(await change(link, { ...link, title: "Another" })).toMatchObject({
      ...link,
      title: "Another",
      version: 2,
      updatedAt: expect.any(String),
    });
    expect(await change(link, { redirectStatus: 302 })).toMatchObject({
      hasOwnRedirectStatus: true,
      redirectStatus: 302,
    });
  });

  it("is taken back although it was clicked meanwhile, and refused with clicks that it never had", async () => {
    const link = await create({ cap: { mode: "fast", maxClicks: 100 } });
    const counted = { human: 7, total: 9 };
    await stage.client.query(
      "UPDATE link_totals SET human = 7, total = 9, last_clicked_at = now() WHERE link_id = $1",
      [link.id.slice(4)],
    );
    expect(await change(link, { ...link, version: link.version })).toMatchObject({ clicks: counted });
    await expect(change(link, { clicks: { ...counted, total: 10 } })).rejects.toMatchObject({
      status: 422,
      problem: { errors: [{ path: "clicks.total" }] },
    });
    await expect(change(link, { cap: { mode: "fast", maxClicks: 100, used: 1 } })).rejects.toMatchObject({
      status: 422,
      problem: { errors: [{ path: "cap.used" }] },
    });
  });

  it("is refused after another edit, by its version", async () => {
    const link = await create();
    await change(link, { title: "First" });
    await expect(change(link, { ...link, title: "Second" })).rejects.toMatchObject({
      status: 422,
      problem: { errors: [{ path: "version" }, { path: "updatedAt" }] },
    });
  });
});

describe("a link's status", () => {
  const past = "2020-01-01T00:00:00Z";
  const future = "2099-01-01T00:00:00Z";
  const useUp = (link: Link) =>
    stage.client.query("UPDATE link_caps SET used = max_clicks WHERE link_id = $1", [link.id.slice(4)]);

  it.each([
    ["live", {}],
    ["scheduled", { startsAt: future }],
    ["live", { startsAt: past, expiresAt: future }],
    ["expired", { expiresAt: past }],
    ["expired", { startsAt: "2019-01-01T00:00:00Z", expiresAt: past }],
    ["scheduled", { startsAt: future, cap: { mode: "fast", maxClicks: 1 } }],
    ["used-up", { cap: { mode: "fast", maxClicks: 1 } }],
    ["expired", { expiresAt: past, cap: { mode: "strict", maxClicks: 1 } }],
  ] as const)("is %s with %j, in the answer and in lists", async (status, limits) => {
    const made = await create({ ...limits, tags: ["status"] });
    await useUp(made);
    expect(await read(made)).toMatchObject({ status });
    for (const asked of LINK_STATUSES) {
      const page = await hopline.listLinks({ status: [asked], tag: ["status"], limit: 100 });
      expect(page.data.map((one) => one.status).filter((one) => one !== asked)).toEqual([]);
      expect(page.data.some(({ id }) => id === made.id)).toBe(asked === status);
    }
    const all = await hopline.listLinks({ tag: ["status"], limit: 100 });
    expect(all.data.some(({ id }) => id === made.id)).toBe(true);
  });

  it("that follows from other fields is taken back, and never set", async () => {
    const link = await create({ expiresAt: past });
    expect(await change(link, { ...(await read(link)), title: "t" })).toMatchObject({ title: "t" });
    await expect(change(link, { status: "scheduled" })).rejects.toMatchObject({
      status: 422,
      problem: {
        errors: [{ path: "status", message: "follows from startsAt, expiresAt and cap: change those" }],
      },
    });
    const again = await change(link, { status: "expired", expiresAt: future });
    expect(again).toMatchObject({ status: "live" });
    const started = await create({ startsAt: future });
    await change(started, { startsAt: past });
    expect(await change(started, { status: "scheduled" })).toMatchObject({ status: "live" });
    expect(await change(started, { status: "archived" })).toMatchObject({ status: "archived" });
  });
});

/** Tags as a resource: what they are called, how they look, and which links have them. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import pg from "pg";
import { countDeadlocks, untilWaitingForLock } from "../../../../packages/db/test/lock-waits.ts";
import { toPublicId } from "../../src/http/entity-id.ts";
import { replaceTag, replaceTagLater } from "../../src/tags/replace-tag.ts";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import type { Workspace } from "../stage.ts";

const { stage } = await openKeyedStage();
let workspace: Workspace;
let key: string;

beforeEach(async () => {
  workspace = await stage.addWorkspace();
  key = await stage.addKey(workspace, ["links:read", "links:write"]);
});

/** After each test: no count has drifted from the links, whatever was done to them. */
afterEach(async () => {
  const { rows } = await stage.client.query(`
    SELECT * FROM (
      SELECT workspace_id, name, sum(links) AS links FROM tag_counts GROUP BY 1, 2 HAVING sum(links) <> 0
    ) AS kept FULL JOIN (
      SELECT workspace_id, tag AS name, count(*) AS counted FROM links, unnest(tags) AS tag WHERE state <> 'deleted' GROUP BY 1, 2
    ) AS counted USING (workspace_id, name)
    WHERE links IS DISTINCT FROM counted`);
  if (rows.length > 0) {
    throw new Error(`Counts of tags have drifted from the links: ${JSON.stringify(rows)}`);
  }
});

type Link = { readonly id: string; readonly tags: readonly string[]; readonly version: number };
type Tag = {
  readonly id: string;
  readonly name: string;
  readonly color: string | null;
  readonly links: number;
};
type Page<Item> = { readonly data: readonly Item[]; readonly nextCursor: string | null };

const send = <Body>(target: string, body?: unknown, headers = {}) =>
  callApi<Body>(stage, target, { key, headers, ...(body === undefined ? {} : { body }) });

const addLink = async (...tags: readonly string[]) =>
  (await send<Link>("POST /api/v1/links", { url: "https://example.com/", tags })).body;
const readLink = (id: string) => send<Link>(`GET /api/v1/links/${id}`);
const tagsOf = async (id: string) => (await readLink(id)).body.tags;
const listTags = async () => (await send<Page<Tag>>("GET /api/v1/tags")).body.data;
const namesOf = async () => (await listTags()).map(({ name, links }) => `${name}: ${links}`);

const ID = expect.stringMatching(/^tag_[0-9a-f]{32}$/);

describe("a tag", () => {
  it("that gets a name which another request is giving to a tag is answered as if that one had been first", async () => {
    await addLink("before");
    await stage.client.query("BEGIN");
    await stage.client.query(
      "INSERT INTO tags (id, workspace_id, name) VALUES (gen_random_uuid(), $1, 'after')",
      [workspace.id],
    );
    const answer = send("PATCH /api/v1/tags/before", { name: "after" });
    await untilWaitingForLock(stage.client);
    await stage.client.query("COMMIT");
    expect(await answer).toMatchObject({ status: 409, body: { code: "tag_taken" } });
  });

  it("is named by its id or its name, and keeps its id when it is renamed, coloured, or created after its links", async () => {
    await addLink("mail");
    const { rows } = await stage.client.query("SELECT id FROM tags WHERE workspace_id = $1", [workspace.id]);
    expect(rows).toHaveLength(1); // The link has made it: a GET writes nothing.
    const [listed] = await listTags();
    expect(listed?.id).toBe(toPublicId("tag", String(rows[0]?.id)));
    const { id } = (await send<Tag>("GET /api/v1/tags/mail")).body;
    expect([id, listed?.id]).toEqual([ID, id]);
    expect((await send<Tag>(`PATCH /api/v1/tags/${id}`, { name: "letter" })).body).toMatchObject({
      id,
      links: 1,
    });
    expect((await send<Tag>(`PATCH /api/v1/tags/letter`, { color: "#000000" })).body.id).toBe(id);
    expect((await send(`GET /api/v1/tags/${id}`)).body).toEqual({
      id,
      name: "letter",
      color: "#000000",
      links: 1,
    });
    const other = await stage.addKey(await stage.addWorkspace(), ["links:read"]);
    expect((await callApi(stage, `GET /api/v1/tags/${id}`, { key: other })).status).toBe(404);
    expect((await send(`DELETE /api/v1/tags/${id}`)).status).toBe(204);
    expect((await send(`GET /api/v1/tags/${id}`)).status).toBe(404);
  });

  it("that was shown and that no link has any more is not there: its name can be created, or given to another", async () => {
    const link = await addLink("gone", "mail");
    const [gone, mail] = await listTags();
    await send(`PATCH /api/v1/links/${link.id}`, { tags: ["mail"] });
    expect((await send(`GET /api/v1/tags/${gone?.id}`)).status).toBe(404);
    expect((await send<Tag>("PATCH /api/v1/tags/mail", { name: "gone" })).body.id).toBe(mail?.id);
    await send(`DELETE /api/v1/links/${link.id}`);
    expect(await namesOf()).toEqual([]);
    expect((await send("POST /api/v1/tags", { name: "gone" })).status).toBe(201);
    expect(await namesOf()).toEqual(["gone: 0"]);
  });

  it("is there while links have it, with their number, page by page", async () => {
    const link = await addLink("mail", "2026");
    await addLink("mail", "print");
    const first = await send<Page<Tag>>("GET /api/v1/tags?limit=2");
    expect(first.body.data).toEqual([
      { id: ID, name: "2026", color: null, links: 1 },
      { id: ID, name: "mail", color: null, links: 2 },
    ]);
    const next = await send<Page<Tag>>(`GET /api/v1/tags?limit=2&cursor=${first.body.nextCursor}`);
    expect(next.body).toEqual({ data: [{ id: ID, name: "print", color: null, links: 1 }], nextCursor: null });
    await send(`DELETE /api/v1/links/${link.id}`);
    expect(await namesOf()).toEqual(["mail: 1", "print: 1"]);
    expect((await send("GET /api/v1/tags/2026")).status).toBe(404);
  });

  it("is found by a part of its name, listed both ways, and counted", async () => {
    await addLink("mail", "e-mail", "print");
    await send("POST /api/v1/tags", { name: "Mailbox" });
    const list = async (query: string) => (await send<Page<Tag>>(`GET /api/v1/tags?${query}`)).body;
    const names = ({ data }: Page<Tag>) => data.map(({ name }) => name);
    const found = await list("search=MAIL&sort=-name&count=true&limit=2");
    expect([names(found), found]).toMatchObject([["mail", "e-mail"], { count: 3 }]);
    const next = await list(`search=MAIL&sort=-name&limit=2&cursor=${found.nextCursor}`);
    expect([names(next), next.nextCursor]).toEqual([["Mailbox"], null]);
    expect((await send(`GET /api/v1/tags?cursor=${found.nextCursor}`)).status).toBe(422);
  });

  it("that was created stays where no link has it, once under each name", async () => {
    const body = { name: "later", color: "#0E7C86" };
    expect(await send("POST /api/v1/tags", body)).toMatchObject({
      status: 201,
      body: { name: "later", color: "#0e7c86", links: 0 },
    });
    await addLink("now");
    for (const name of ["later", "now"]) {
      expect(await send("POST /api/v1/tags", { name })).toMatchObject({
        status: 409,
        body: { code: "tag_taken" },
      });
    }
    expect(await namesOf()).toEqual(["later: 0", "now: 1"]);
    const other = await stage.addKey(await stage.addWorkspace(), ["links:write"]);
    expect((await callApi(stage, "POST /api/v1/tags", { key: other, body })).status).toBe(201);
  });

  it("gets a colour, another one, and none", async () => {
    await addLink("mail");
    for (const color of ["#b8336a", "#000000", null]) {
      expect((await send("PATCH /api/v1/tags/mail", { color })).body).toEqual({
        id: ID,
        name: "mail",
        color,
        links: 1,
      });
    }
    expect((await send("PATCH /api/v1/tags/nobody", { color: "#000000" })).status).toBe(404);
    expect((await send("PATCH /api/v1/tags/mail", { color: "red" })).status).toBe(422);
  });

  it("is counted whatever is done to its links, by several at the same moment too", async () => {
    const links = await Promise.all(["a", "b", "c", "d"].map((own) => addLink("all", own)));
    const [one, two, three, four] = links.map(({ id }) => id);
    await Promise.all([
      send("POST /api/v1/links/bulk/update", {
        items: [
          { id: one, addTags: ["new"], removeTags: ["a"] },
          { id: two, addTags: ["new"] },
        ],
      }),
      send(`PATCH /api/v1/links/${three}`, { tags: ["all", "new"] }),
      send(`DELETE /api/v1/links/${four}`),
    ]);
    expect(await namesOf()).toEqual(["all: 3", "b: 1", "new: 3"]);
    // As after a domain or a workspace is gone.
    await stage.client.query("DELETE FROM links WHERE workspace_id = $1", [workspace.id]);
    expect(await namesOf()).toEqual([]);
  });

  it.each(["50% off/now?", "a#b", "ä & ö", "+"])("may be called %j", async (name) => {
    const { id } = await addLink(name);
    const path = `/api/v1/tags/${encodeURIComponent(name)}`;
    expect((await send(`GET ${path}`)).body).toMatchObject({ name, links: 1 });
    await send(`PATCH ${path}`, { name: "plain" });
    expect(await tagsOf(id)).toEqual(["plain"]);
  });

  it("may not be called what browsers take for a step in a path", async () => {
    expect((await send("POST /api/v1/tags", { name: ".." })).status).toBe(422);
  });
});

describe("renaming a tag", () => {
  it("renames it on every link, archived and deleted ones too, and in no other workspace", async () => {
    const links = [await addLink("a", "mail", "z"), await addLink("mail"), await addLink("mail")];
    const [live, archived, deleted] = links.map(({ id }) => id);
    await send(`PATCH /api/v1/links/${archived}`, { status: "archived" });
    await send(`DELETE /api/v1/links/${deleted}`);
    const theirs = await stage.addWorkspace();
    const { linkId = "" } = await stage.addObjects(theirs);
    await stage.client.query("UPDATE links SET tags = '{mail}' WHERE workspace_id = $1", [theirs.id]);
    await send("PATCH /api/v1/tags/mail", { color: "#0e7c86" });
    expect((await send("PATCH /api/v1/tags/mail", { name: "letter" })).body).toEqual({
      id: ID,
      name: "letter",
      color: "#0e7c86",
      links: 2,
    });
    expect(await tagsOf(live ?? "")).toEqual(["a", "letter", "z"]);
    expect(await tagsOf(archived ?? "")).toEqual(["letter"]);
    expect(await namesOf()).toEqual(["a: 1", "letter: 2", "z: 1"]);
    const { rows } = await stage.client.query<{ tags: string[] }>(
      "SELECT tags FROM links WHERE id = ANY($1)",
      [[deleted, linkId].map((id) => id?.slice(4))],
    );
    expect(rows.map(({ tags }) => tags)).toEqual(expect.arrayContaining([["letter"], ["mail"]]));
  });

  it("is an edit of each link that nobody overwrites unseen, and publishes nothing", async () => {
    const { id } = await addLink("mail");
    const before = await readLink(id);
    const tag = before.headers.get("etag") ?? "";
    await send("PATCH /api/v1/tags/mail", { name: "letter" });
    const after = await readLink(id);
    expect(after.body.version).toBe(before.body.version + 1);
    expect(after.headers.get("etag")).not.toBe(tag);
    expect(
      (await send(`PATCH /api/v1/links/${id}`, { tags: ["mail", "x"] }, { "if-match": tag })).status,
    ).toBe(412);
    expect((await send(`GET /api/v1/links/${id}/cache-status`)).body).toMatchObject({
      state: "settled",
      database: { version: 1 },
      kv: { version: 1 },
    });
    const { body } = await send<Link>(`PATCH /api/v1/links/${id}`, { url: "https://example.com/next" });
    expect(body).toMatchObject({ version: 3, tags: ["letter"] });
    expect((await send(`GET /api/v1/links/${id}/cache-status`)).body).toMatchObject({ kv: { version: 3 } });
  });

  it("onto another tag is refused, or merges both: a link that had both has it once", async () => {
    const [both, one] = [await addLink("mail", "x", "letter"), await addLink("mail")];
    await send("PATCH /api/v1/tags/letter", { color: "#b8336a" });
    await send("PATCH /api/v1/tags/mail", { color: "#000000" });
    expect(await send("PATCH /api/v1/tags/mail", { name: "letter" })).toMatchObject({
      status: 409,
      body: { code: "tag_taken" },
    });
    expect(await tagsOf(one.id)).toEqual(["mail"]);
    expect((await send("PATCH /api/v1/tags/mail", { name: "letter", merge: true })).body).toEqual({
      id: ID,
      name: "letter",
      color: "#b8336a",
      links: 2,
    });
    expect(await tagsOf(both.id)).toEqual(["x", "letter"]);
    expect(await tagsOf(one.id)).toEqual(["letter"]);
    expect(await namesOf()).toEqual(["letter: 2", "x: 1"]);
  });

  it("that is not there is answered 404", async () => {
    expect((await send("PATCH /api/v1/tags/nobody", { name: "x" })).status).toBe(404);
    expect((await send(`PATCH /api/v1/tags/${"x".repeat(65)}`, { name: "x" })).status).toBe(404);
  });
});

it("deleting a tag takes it from its links", async () => {
  const { id } = await addLink("mail", "x");
  await send("PATCH /api/v1/tags/mail", { color: "#000000" });
  expect((await send("DELETE /api/v1/tags/mail")).status).toBe(204);
  expect(await tagsOf(id)).toEqual(["x"]);
  expect(await namesOf()).toEqual(["x: 1"]);
  expect((await send("DELETE /api/v1/tags/mail")).status).toBe(404);
});

describe("a tag with more links than one statement changes", () => {
  const LINKS = 2_300;

  beforeEach(async () => {
    await stage.client.query("SET session_replication_role = replica");
    await stage.client.query(
      `INSERT INTO links (id, workspace_id, domain_id, slug, url, tags, record)
       SELECT gen_random_uuid(), $1, $2, 'large-' || n, 'https://example.com/', '{large}', '{}' FROM generate_series(1, $3) AS n`,
      [workspace.id, workspace.domainId, LINKS],
    );
    await stage.client.query("INSERT INTO tag_counts VALUES ($1, 'large', $2)", [workspace.id, LINKS]);
    await stage.client.query(
      "INSERT INTO tags (id, workspace_id, name, is_kept) VALUES (gen_random_uuid(), $1, 'large', false)",
      [workspace.id],
    );
    await stage.client.query("SET session_replication_role = DEFAULT");
  });

  /** As the job does it. */
  async function runWork(): Promise<number> {
    const { rows } = await stage.client.query("SELECT key, payload FROM work WHERE kind = 'replace-tag'");
    for (let runs = 1; ; runs += 1) {
      if ((await replaceTagLater(rows[0], stage)) === undefined) {
        await stage.client.query("DELETE FROM work WHERE kind = 'replace-tag'");
        return runs;
      }
    }
  }

  it("is renamed by work, as one change in the audit log, and until then no other tag is changed and none is created under a name in between", async () => {
    const { id } = await addLink("small");
    expect((await send("PATCH /api/v1/tags/large", { name: "grand" })).body).toMatchObject({ links: 1_000 });
    expect(await namesOf()).toEqual(["grand: 1000", "large: 1300", "small: 1"]);
    for (const target of ["PATCH /api/v1/tags/grand", "PATCH /api/v1/tags/small"]) {
      expect(await send(target, { name: "large", merge: true })).toMatchObject({
        status: 409,
        body: { code: "tags_busy" },
      });
    }
    expect(await send("DELETE /api/v1/tags/small")).toMatchObject({ body: { code: "tags_busy" } });
    expect(await tagsOf(id)).toEqual(["small"]);
    expect(await runWork()).toBe(2);
    const { rows } = await stage.client.query(
      "SELECT actor, after FROM audit_log WHERE workspace_id = $1 AND action = 'tag.replaced'",
      [workspace.id],
    );
    expect(rows).toEqual([{ actor: expect.stringMatching(/^key:/), after: { by: "grand", links: LINKS } }]);
    expect(await namesOf()).toEqual(["grand: 2300", "small: 1"]);
    expect((await send("DELETE /api/v1/tags/small")).status).toBe(204);
  });

  it("is never handed back and forth by two who rename it at the same moment", async () => {
    await addLink("small");
    const [there, back] = await Promise.all([
      replaceTag(stage.database, { workspaceId: workspace.id, from: "large", to: "small" }, true),
      replaceTag(stage.database, { workspaceId: workspace.id, from: "small", to: "large" }, true),
    ]);
    expect([there, back].filter((outcome) => outcome === "replaced").length).toBeGreaterThanOrEqual(1);
    const { rows } = await stage.client.query("SELECT FROM work WHERE kind = 'replace-tag'");
    expect(rows.length).toBeLessThanOrEqual(1);
    if (rows.length === 1) {
      await runWork();
    }
    const total = (await listTags()).reduce((sum, { links }) => sum + links, 0);
    expect(total).toBe(LINKS + 1);
  });
});

it("a tag of defaults is renamed while its workspace is suspended, without a deadlock", async () => {
  const defaults = '{"tags":["old"]}';
  const { id, domainId } = workspace;
  await stage.client.query(
    "INSERT INTO tags (id, workspace_id, name) VALUES (gen_random_uuid(), $1, 'old')",
    [id],
  );
  await stage.client.query("UPDATE workspaces SET defaults = $2 WHERE id = $1", [id, defaults]);
  // The first of two: a rename that began with domains would hold it, while it waits for the second.
  await stage.client.query(
    "INSERT INTO domains (id, workspace_id, host, proof, settings) VALUES (gen_random_uuid(), $1, $2, 'vouched', $3)",
    [id, `first-${workspace.host}`, { defaults: { tags: ["old"] } }],
  );
  await stage.client.query("UPDATE domains SET settings = $2 WHERE id = $1", [
    domainId,
    { defaults: { tags: ["old"] } },
  ]);
  const deadlocks = await countDeadlocks(stage.client);
  const [holding, suspending] = [0, 1].map(() => new pg.Client({ connectionString: stage.databaseUrl }));
  await Promise.all([holding?.connect(), suspending?.connect()]);
  await holding?.query("BEGIN");
  await holding?.query("SELECT FROM domains WHERE id = $1 FOR UPDATE", [domainId]);
  const renaming = replaceTag(stage.database, { workspaceId: id, from: "old", to: "new" }, false);
  await untilWaitingForLock(stage.client);
  const suspended = suspending?.query("UPDATE workspaces SET suspended_at = now() WHERE id = $1", [id]);
  await untilWaitingForLock(stage.client, 2);
  await holding?.query("COMMIT");
  expect(await renaming).toBe("replaced");
  await suspended;
  await Promise.all([holding?.end(), suspending?.end()]);
  expect(await countDeadlocks(stage.client)).toBe(deadlocks);
  const { rows } = await stage.client.query(
    "SELECT suspended_at IS NOT NULL AS is_suspended, settings -> 'defaults' -> 'tags' AS tags FROM domains WHERE workspace_id = $1",
    [id],
  );
  expect(rows).toEqual([1, 2].map(() => ({ is_suspended: true, tags: ["new"] })));
});

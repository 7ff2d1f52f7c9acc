/** A domain's deletion: what visitors get, and what the host's next owner starts with. */
import { domainKeyOf } from "@hopline/core/link/domain-record";
import { linkKeyOf } from "@hopline/core/link/link-address";
import { sql } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { untilWaitingForLock } from "../../../../packages/db/test/lock-waits.ts";
import { removeDomain } from "../../src/domains/remove-domain.ts";
import { describeGivenUp } from "../../src/domains/taken-host.ts";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";

const SCOPES = ["admin", "links:read", "links:write", "analytics:read"] as const;
const { stage, workspace, key } = await openKeyedStage(...SCOPES);
const stranger = await stage.addKey(await stage.addWorkspace(), SCOPES);

const call = <Body = { id: string; code?: string }>(target: string, body?: object, as = key) =>
  callApi<Body>(stage, target, { key: as, body });

const url = "https://former.example/";
const theirs = "https://next.example/";

it("a host's next owner starts clean, above five edits and a deletion of the owner before", async () => {
  const host = "handed-over.example";
  const domain = await addDomain(host);
  await call(`PATCH /api/v1/domains/${domain}`, { rootUrl: url, notFoundUrl: url });
  const link = await addLink(host, "sale");
  for (const title of ["1", "2", "3", "4", "5"]) {
    await call(`PATCH /api/v1/links/${link}`, { title });
  }
  await call(`DELETE /api/v1/links/${link}`);
  expect((await call(`DELETE /api/v1/domains/${domain}`)).status).toBe(204);
  expect(atEdge(host, "@")).toMatchObject({ state: "deleted", version: 3 });

  await passSeconds(120);
  expect(await removeDomain({ key: await domainIdOf(host), payload: {} }, stage)).toBeUndefined();
  expect((await call("POST /api/v1/domains", { host }, stranger)).status).toBe(201);
  expect(atEdge(host, "@")).toEqual({ format: 1, domain: expect.any(String), version: 4 });
  const imported = await call(
    "POST /api/v1/links/import",
    [{ domain: host, slug: "sale", url: theirs }],
    stranger,
  );
  expect(imported.body).toMatchObject({ created: 1 });
  await publishDue();
  expect(atEdge(host, "sale")).toMatchObject({ state: "live", url: theirs, version: 8 });
});

it("a deleted domain's host is refused, with when it is free, until no copy of what KV had can lead to its former owner", async () => {
  const host = "copied.example";
  const domain = await addDomain(host);
  await addLink(host, "sale");
  expect((await call(`DELETE /api/v1/domains/${domain}?links=true`)).status).toBe(204);
  expect(atEdge(host, "sale")).toMatchObject({ state: "deleted" });
  const add = () =>
    call<{ code?: string; errors?: { message: string }[] }>("POST /api/v1/domains", { host }, stranger);
  const item = { key: await domainIdOf(host), payload: {} };
  for (const seconds of [0, 115]) {
    await passSeconds(seconds);
    expect(await removeDomain(item, stage)).toEqual({ againInSeconds: 5 });
    const { status, body } = await add();
    expect([status, body.code]).toEqual([409, "domain_taken"]);
    expect(body.errors?.[0]?.message).toMatch(
      /^was deleted, .* it is free at \d\d:\d\d UTC, try again then$/,
    );
  }
  await passSeconds(5);
  expect(await removeDomain(item, stage)).toBeUndefined();
  expect((await add()).status).toBe(201);
});

it("the refusal of a deleted host names the minute in which the job has released it, and then none", () => {
  const at = (time: string) => Date.parse(`2026-03-01T${time}Z`);
  expect(describeGivenUp(at("23:57:01"), at("23:57:02"))).toContain("it is free at 00:01 UTC");
  expect(describeGivenUp(at("10:00:00"), at("10:02:59.999"))).toContain("it is free at 10:03 UTC");
  expect(describeGivenUp(at("10:00:00"), at("10:03:00"))).toContain("try again in some minutes");
});

it("the links of a deleted domain end with it, aliases too, and can't be reached by the API", async () => {
  const host = "ends.example";
  const domain = await addDomain(host);
  const link = await addLink(host, "before");
  await call(`PATCH /api/v1/links/${link}`, { slug: "after" });
  expect(await call(`DELETE /api/v1/domains/${domain}`)).toMatchObject({
    status: 409,
    body: { code: "domain_in_use" },
  });
  expect((await call(`DELETE /api/v1/domains/${domain}?links=true`)).status).toBe(204);
  for (const slug of ["before", "after", "@"]) {
    expect(atEdge(host, slug)).toMatchObject({ state: "deleted" });
  }
  for (const target of [
    `GET /api/v1/links/${link}`,
    `GET /api/v1/domains/${domain}`,
    `DELETE /api/v1/domains/${domain}`,
  ]) {
    expect((await call(target)).status).toBe(404);
  }
  expect(await call("POST /api/v1/links", { url, domain: host })).toMatchObject({
    status: 422,
    body: { code: "no_domain" },
  });
});

it("analytics keep the names of a deleted domain and its links", async () => {
  const host = "remembered.example";
  const domain = await addDomain(host);
  await addLink(host, "kept");
  for (const [table, columns] of [
    ["click_rollups", "link_id, "],
    ["workspace_rollups", ""],
  ]) {
    await stage.client.query(
      `INSERT INTO ${table} (${columns}bucket_start, class, workspace_id, domain_id, clicks)
       SELECT ${columns === "" ? "" : "id, "}date_bin('15 minutes', now(), 'epoch'), 'human', workspace_id, domain_id, 1
       FROM links WHERE slug = 'kept'`,
    );
  }
  await call(`DELETE /api/v1/domains/${domain}?links=true`);
  const labels = async (dimension: string) => {
    const target = `GET /api/v1/analytics/breakdown?dimension=${dimension}`;
    const { values } = (await call<{ values: { label: string }[] }>(target)).body;
    return values.map(({ label }) => label);
  };
  expect(await labels("link")).toContain(`${host}/kept`);
  expect(await labels("domain")).toContain(host);
});

describe("a domain with thousands of links", () => {
  it("is one announcement and not one a link, and keeps its host until no copy of its links is left", async () => {
    const host = "large.example";
    const domain = await addDomain(host);
    const { rows } = await stage.client.query<{ id: string }>("SELECT id FROM domains WHERE host = $1", [
      host,
    ]);
    const domainId = rows[0]?.id ?? "";
    await stage.client.query(
      `INSERT INTO links (id, workspace_id, domain_id, slug, url, record)
       SELECT gen_random_uuid(), workspace_id, id, 'n' || n, $2,
         '{"format":1,"link":"x","state":"live","url":"https://former.example/","status":302}'
       FROM domains, generate_series(1, 1500) AS n WHERE id = $1`,
      [domainId, url],
    );
    expect((await call(`DELETE /api/v1/domains/${domain}?links=true`)).status).toBe(204);
    expect(atEdge(host, "@")).toMatchObject({ state: "deleted" });
    expect(await countLive(domainId)).toBe(1_250);
    const refused = { status: 409, body: { code: "domain_taken" } };
    expect(await call("POST /api/v1/domains", { host }, stranger)).toMatchObject(refused);
    const sentBefore = stage.edge.sent.length;
    expect(await removeDomain({ key: domainId, payload: {} }, stage)).toEqual({ againInSeconds: 0 });
    // The publishing queue is woken up: its tombstones don't wait for the next run of the job.
    expect(stage.edge.sent.slice(sentBefore)).toEqual([10]);
    expect(await removeDomain({ key: domainId, payload: {} }, stage)).toEqual({ againInSeconds: 5 });
    expect(await countLive(domainId)).toBe(0);
    expect(await call("POST /api/v1/domains", { host }, stranger)).toMatchObject(refused);
    await publishDue();
    const isAnnounced = (n: number) => stage.edge.inFeed.has(linkKeyOf(host, `n${n}`));
    const all = Array.from({ length: 1_500 }, (_, index) => index + 1);
    const texts = all.map((n) => stage.edge.inKv.get(linkKeyOf(host, `n${n}`)) ?? "");
    expect(
      texts.filter((text) => text.includes('"state":"deleted"') && text.endsWith('"version":2}')),
    ).toHaveLength(1_500);
    // Those that were ended with the request: for all others the domain was announced.
    expect(all.filter(isAnnounced)).toHaveLength(250);
    // A data centre and an isolate may still have copies of what KV had.
    expect(await removeDomain({ key: domainId, payload: {} }, stage)).toEqual({ againInSeconds: 5 });
    expect(await call("POST /api/v1/domains", { host }, stranger)).toMatchObject(refused);
    await passSeconds(120);
    expect(await removeDomain({ key: domainId, payload: {} }, stage)).toBeUndefined();
    expect((await call("POST /api/v1/domains", { host }, stranger)).status).toBe(201);
  });

  it("takes no link that arrives while it is deleted", async () => {
    const host = "late.example";
    const domain = await addDomain(host);
    await call(`DELETE /api/v1/domains/${domain}`);
    const { rowCount } = await stage.client.query(
      `INSERT INTO links (id, workspace_id, domain_id, slug, url, record)
       SELECT gen_random_uuid(), workspace_id, id, 'late', $2, '{}' FROM domains WHERE host = $1`,
      [host, url],
    );
    expect(rowCount).toBe(0);
  });
});

describe("with clicks=delete", () => {
  const removals = async () => {
    const { rows } = await stage.client.query<{ payload: object }>(
      "DELETE FROM work WHERE kind = 'remove-clicks' RETURNING payload",
    );
    return rows.map(({ payload }) => payload);
  };
  const idsOf = async (host: string) => {
    const { rows } = await stage.client.query(
      `SELECT links.id AS "linkId", links.domain_id AS "domainId", links.workspace_id AS "workspaceId"
       FROM links JOIN domains ON domains.id = domain_id WHERE host = $1`,
      [host],
    );
    return rows[0];
  };
  const gone = async ({ domainId }: { domainId: string }) =>
    (await stage.client.query("SELECT FROM links WHERE domain_id = $1", [domainId])).rowCount === 0;

  it("a link's row goes at once, so that late clicks belong to nobody, and its clicks by work", async () => {
    const host = "link-clicks.example";
    await addDomain(host);
    const link = await addLink(host, "clicked");
    const { linkId, workspaceId, ...ids } = await idsOf(host);
    await stage.client.query(
      `INSERT INTO link_versions SELECT link_id, n, 'https://' || repeat('x', 600), created_at, actor, state
       FROM link_versions, generate_series(1001, 2000) AS n WHERE link_id = $1 AND version = 1`,
      [linkId],
    );
    expect((await call(`DELETE /api/v1/links/${link}?clicks=delete`)).status).toBe(204);
    // However many versions there were: they go with the link, and where each led stays until its clicks are removed.
    expect([await removals(), await gone(ids)]).toEqual([[{ linkId, workspaceId }], true]);
    const { rows } = await stage.client.query(
      `SELECT destination, count(*)::int AS versions FROM removed_destinations WHERE link_id = $1 GROUP BY 1`,
      [linkId],
    );
    expect(new Map(rows.map(({ destination, versions }) => [destination, versions]))).toEqual(
      new Map([
        ["https://former.example/", 2],
        [`https://${"x".repeat(504)}`, 1_000],
      ]),
    );
    expect(atEdge(host, "clicked")).toMatchObject({ state: "deleted", version: 2 });
    expect((await call(`DELETE /api/v1/links/${link}?clicks=delete`)).status).toBe(404);
  });

  it("a link that was deleted before loses its clicks too, and never by a key of another workspace", async () => {
    const host = "second-thought.example";
    await addDomain(host);
    const link = await addLink(host, "clicked");
    await call(`DELETE /api/v1/links/${link}`);
    expect((await call(`DELETE /api/v1/links/${link}?clicks=delete`, undefined, stranger)).status).toBe(404);
    expect(await removals()).toEqual([]);
    expect((await call(`DELETE /api/v1/links/${link}?clicks=delete`)).status).toBe(204);
    expect(await removals()).toHaveLength(1);
  });

  it("a domain's rows go when its host is free, and its clicks after them, also if it was deleted before", async () => {
    for (const [host, queries] of [
      ["domain-clicks.example", ["?links=true&clicks=delete"]],
      ["domain-later.example", ["?links=true", "?clicks=delete"]],
    ] as const) {
      const domain = await addDomain(host);
      await addLink(host, "clicked");
      const { domainId, workspaceId } = await idsOf(host);
      for (const query of queries) {
        expect((await call(`DELETE /api/v1/domains/${domain}${query}`)).status).toBe(204);
      }
      const { rows } = await stage.client.query(
        "SELECT key, payload FROM work WHERE kind = 'remove-domain' AND key = $1",
        [domainId],
      );
      await passSeconds(120);
      expect(await removeDomain(rows[0], stage)).toBeUndefined();
      expect([await removals(), await gone({ domainId })]).toEqual([[{ workspaceId, domainId }], true]);
    }
  });

  it("a key that may write links, but does not administer the workspace, deletes no clicks", async () => {
    const writer = await stage.addKey(workspace, ["links:read", "links:write"]);
    const host = "writer.example";
    await addDomain(host);
    const link = await addLink(host, "clicked");
    const refused = await call(`DELETE /api/v1/links/${link}?clicks=delete`, undefined, writer);
    expect(refused).toMatchObject({ status: 403, body: { code: "scope_missing" } });
    expect((await call(`GET /api/v1/links/${link}`)).status).toBe(200);
    expect((await call(`DELETE /api/v1/links/${link}?clicks=keep`, undefined, writer)).status).toBe(204);
    expect(await removals()).toEqual([]);
  });
});

it("a deletion that Postgres ends because of a deadlock is carried out all the same, and other refusals are not repeated", async () => {
  const domain = await addDomain("deadlock.example");
  const refusedWith = (code: string) => {
    const real = globalThis.fetch;
    const refusals = [Response.json({ message: "refused", code }, { status: 400 })];
    const sent = vi.fn<typeof fetch>(async (...request) => refusals.pop() ?? real(...request));
    vi.stubGlobal("fetch", sent);
    return sent;
  };
  try {
    refusedWith("40P01");
    expect((await call(`DELETE /api/v1/domains/${domain}`)).status).toBe(204);
    const sent = refusedWith("22P02");
    await expect(stage.database.execute(sql`SELECT 1`)).rejects.toThrow("SELECT 1");
    expect(sent).toHaveBeenCalledTimes(1);
  } finally {
    vi.unstubAllGlobals();
  }
});

it("an edit of a link at the moment when its domain is deleted ends in no deadlock", async () => {
  const host = "edited.example";
  const domain = await addDomain(host);
  await addLink(host, "edited");
  const { rows } = await stage.client.query<{ id: string }>("SELECT id FROM links WHERE slug = 'edited'");
  await stage.client.query("BEGIN");
  await stage.client.query("SELECT FROM links WHERE id = $1 FOR UPDATE", [rows[0]?.id]);
  const deleted = call(`DELETE /api/v1/domains/${domain}?links=true`);
  await untilWaitingForLock(stage.client);
  const edited = await stage.client.query("UPDATE links SET version = version + 1 WHERE id = $1", [
    rows[0]?.id,
  ]);
  await stage.client.query("COMMIT");
  expect(edited.rowCount).toBe(0);
  expect((await deleted).status).toBe(204);
  expect(atEdge(host, "edited")).toMatchObject({ state: "deleted" });
});

async function addDomain(host: string): Promise<string> {
  return (await call("POST /api/v1/domains", { host })).body.id;
}

async function addLink(host: string, slug: string): Promise<string> {
  return (await call("POST /api/v1/links", { url, domain: host, slug })).body.id;
}

async function domainIdOf(host: string): Promise<string> {
  const { rows } = await stage.client.query<{ id: string }>("SELECT id FROM domains WHERE host = $1", [host]);
  return rows[0]?.id ?? "";
}

/** For what was published: it waits for its confirming write. */
async function passSeconds(seconds: number): Promise<void> {
  await stage.client.query("UPDATE work SET due_at = due_at - $1 * interval '1 second'", [seconds]);
}

/** What the publishing queue does. */
async function publishDue(): Promise<void> {
  const limits = { maxChanges: 5_000, maxDurationMs: 60_000 };
  await stage.publisher.publishDue({
    ...limits,
    nowMs: () => performance.now(),
    wait: async () => undefined,
  });
}

/** In KV and in the feed alike. */
function atEdge(host: string, slug: string): unknown {
  const address = slug === "@" ? domainKeyOf(host) : linkKeyOf(host, slug);
  const text = stage.edge.inKv.get(address) ?? "null";
  expect(stage.edge.inFeed.get(address)?.recordText).toBe(text);
  return JSON.parse(text);
}

async function countLive(domainId: string): Promise<number> {
  const { rows } = await stage.client.query<{ live: number }>(
    "SELECT count(*)::int AS live FROM links WHERE domain_id = $1 AND state <> 'deleted'",
    [domainId],
  );
  return rows[0]?.live ?? -1;
}

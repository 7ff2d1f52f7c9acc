/** The audit log: what an entry says, who may read it, how it ends; and the history of a link. */
import { describe, expect, it } from "vitest";
import { actAs } from "../../src/acting.ts";
import { auditRetentionHandler, readAuditRetentionDays } from "../../src/audit/audit-retention.ts";
import { toPublicFields } from "../../src/audit/public-fields.ts";
import { parsePublicId } from "../../src/http/entity-id.ts";
import { endUsedUp } from "../../src/links/end-used-up.ts";
import { callApi } from "../call-api.ts";
import { IS_FULL } from "../../../../packages/core/test/runs.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { clientOf, statusOf } from "../stage-client.ts";
import { APP_ORIGIN } from "../people/people-stage.ts";

const { stage, workspace, key } = await openKeyedStage("admin");
const hopline = clientOf(stage, key);
const { rows: keyRows } = await stage.client.query<{ id: string }>("SELECT id FROM api_keys");
const keyId = `key_${keyRows[0]?.id.replaceAll("-", "")}`;
const ada = await stage.addPerson(workspace, "owner");

type Entry = {
  readonly action: string;
  readonly actor: { readonly type: string; readonly id: string | null; readonly name: string | null };
  readonly resource: { readonly id: string | null; readonly label: string | null };
  readonly before: object | null;
  readonly after: object | null;
  readonly requestId: string | null;
};
type Page = { readonly data: readonly Entry[]; readonly nextCursor: string | null };

const readLog = async (query: string) =>
  (await callApi<Page>(stage, `GET /api/v1/audit-log?${query}`, { key })).body;
const asAda = async (method: string, path: string, body?: unknown) =>
  stage.app.request(path, {
    method,
    headers: { ...ada.headers, origin: APP_ORIGIN, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

describe("an entry", () => {
  it("says who changed what, from what to what, in which request", async () => {
    const link = await hopline.createLink({
      body: { url: "https://example.com/a", slug: "audited", cap: { mode: "fast", maxClicks: 5 } },
    });
    const changed = await asAda("PATCH", `/api/v1/links/${link.id}`, {
      url: "https://example.com/b",
      utm: { source: "mail" },
      cap: null,
      password: "a secret of the link",
    });
    expect(changed.status).toBe(200);
    const { data } = await readLog(`resource=${link.id}`);
    expect(data).toMatchObject([
      {
        action: "link.updated",
        actor: { type: "person", name: "Test" },
        resource: { id: link.id, label: `${workspace.host}/audited` },
        before: {
          url: "https://example.com/a",
          utm: null,
          cap: { mode: "fast", maxClicks: 5 },
          password: null,
        },
        after: { url: "https://example.com/b", utm: { source: "mail" }, cap: null, password: "(secret)" },
        requestId: changed.headers.get("x-request-id"),
      },
      {
        action: "link.created",
        actor: { type: "key", id: keyId, name: "Test" },
        before: null,
        after: { slug: "audited", status: "live", cap: { mode: "fast", maxClicks: 5 } },
      },
    ]);
    expect(Object.keys(data[0]?.after ?? {}).toSorted()).toEqual(["cap", "password", "url", "utm"]);
  });

  it("is left out where an edit changes nothing", async () => {
    const link = await hopline.createLink({ body: { url: "https://example.com/" } });
    await hopline.updateLink({ linkId: link.id, body: { url: "https://example.com/" } });
    expect((await readLog(`resource=${link.id}`)).data.map(({ action }) => action)).toEqual(["link.created"]);
  });

  it("names the job or the operator that wrote", async () => {
    const link = await hopline.createLink({
      body: { url: "https://example.com/", cap: { mode: "fast", maxClicks: 1 } },
    });
    const linkId = parsePublicId("lnk", link.id);
    await stage.client.query("UPDATE link_caps SET used = 1 WHERE link_id = $1", [linkId]);
    await actAs({ actor: "job:end-used-up" }, () => endUsedUp(stage));
    await stage.client.query("UPDATE links SET title = 'By hand', version = version + 1 WHERE id = $1", [
      linkId,
    ]);
    const { data: entries } = await readLog(`resource=${link.id}&actor=operator`);
    expect(entries).toMatchObject([{ actor: { type: "operator", id: null }, after: { title: "By hand" } }]);
    const { data: versions } = await hopline.listLinkHistory({ linkId: link.id });
    expect(versions.map(({ actor, after }) => [actor?.type, actor?.id, Object.keys(after).length])).toEqual([
      ["operator", null, 1],
      ["job", "end-used-up", 0],
      ["key", keyId, expect.any(Number)],
    ]);
  });

  it("is one for a file, however many links it has", async () => {
    const rows = Array.from({ length: 1_001 }, (_, index) => `https://example.com/${index}`);
    const response = await stage.app.request("/api/v1/links/import", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "text/csv", "idempotency-key": "file" },
      body: `url\n${rows.join("\n")}`,
    });
    expect(response.status).toBe(200);
    const { data } = await readLog("action=link.imported");
    expect(data).toMatchObject([{ after: { links: 1_001 }, actor: { id: keyId }, resource: { id: null } }]);
  });

  it("is one for a tag that many links lose, and each of them has it in its history", async () => {
    const made = [];
    for (const slug of ["tagged-a", "tagged-b"]) {
      made.push(await hopline.createLink({ body: { url: "https://example.com/", slug, tags: ["before"] } }));
    }
    await hopline.updateTag({ tag: "before", body: { name: "after" } });
    const { data } = await readLog("action=tag.replaced");
    expect(data).toMatchObject([
      { actor: { id: keyId }, resource: { id: null, label: "before" }, after: { by: "after", links: 2 } },
    ]);
    const { data: versions } = await hopline.listLinkHistory({ linkId: made[0]?.id ?? "" });
    expect(versions[0]).toMatchObject({ actor: { id: keyId }, after: { tags: ["after"] } });
  });

  it("tells the end of a domain once, and not of each of its links", async () => {
    const own = await stage.addWorkspace();
    const ownKey = await stage.addKey(own, ["admin"]);
    const made = await clientOf(stage, ownKey).createLink({ body: { url: "https://example.com/" } });
    const domainId = `dom_${own.domainId.replaceAll("-", "")}`;
    await callApi(stage, `DELETE /api/v1/domains/${domainId}?links=true`, { key: ownKey });
    const { body } = await callApi<Page>(
      stage,
      "GET /api/v1/audit-log?action=domain.deleted&action=link.deleted",
      {
        key: ownKey,
      },
    );
    expect([made.status, body.data.map(({ action }) => action)]).toEqual(["live", ["domain.deleted"]]);
  });
});

describe("GET /api/v1/audit-log", () => {
  it("is read in pages, newest first, without gaps or repetitions", async () => {
    await Promise.all(
      [..."abcdefg"].map((name) => hopline.createFolder({ body: { name: `Folder ${name}` } })),
    );
    const all = (await readLog("action=folder.created&limit=100")).data;
    const paged: Entry[] = [];
    for (let cursor = ""; ;) {
      const page = await readLog(`action=folder.created&limit=3${cursor}`);
      paged.push(...page.data);
      if (page.nextCursor === null) {
        break;
      }
      cursor = `&cursor=${page.nextCursor}`;
    }
    expect(all).toHaveLength(7);
    expect(paged).toEqual(all);
  });

  it("is filtered by actor, action, resource and time", async () => {
    const folder = await (await asAda("POST", "/api/v1/folders", { name: "Of Ada" })).json();
    const [entry] = (await readLog(`actor=per_${ada.personId.replaceAll("-", "")}&action=folder.created`))
      .data;
    expect(entry).toMatchObject({ resource: { id: (folder as { id: string }).id, label: "Of Ada" } });
    expect((await readLog("actor=person&actor=operator&action=folder.created")).data).toEqual([entry]);
    const ids = new Set((await readLog("")).data.flatMap(({ resource }) => resource.id ?? []));
    const two = [...ids].slice(0, 2);
    const { data: ofTwo } = await readLog(two.map((id) => `resource=${id}`).join("&"));
    expect([...new Set(ofTwo.map(({ resource }) => resource.id))].toSorted()).toEqual(two.toSorted());
    expect((await readLog("to=2020-01-01T00:00:00Z")).data).toEqual([]);
    expect((await readLog("from=2999-01-01T00:00:00Z")).data).toEqual([]);
  });

  it.each([
    ["resource=nonsense", "invalid"],
    ["from=yesterday", "invalid"],
    ["cursor=nonsense", "cursor_invalid"],
    [
      `cursor=${btoa(JSON.stringify(["audit-log", "1e9", "0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f"]))}`,
      "cursor_invalid",
    ],
  ])("refuses %s as %s", async (query, code) => {
    expect((await callApi(stage, `GET /api/v1/audit-log?${query}`, { key })).body.code).toBe(code);
  });

  it("shows nothing of another workspace", async () => {
    const other = await stage.addWorkspace();
    const answer = await callApi<Page>(stage, "GET /api/v1/audit-log", {
      key: await stage.addKey(other, ["admin"]),
    });
    // What the test's own client made.
    expect(new Set(answer.body.data.map(({ actor }) => actor.type))).toEqual(new Set(["operator"]));
  });

  it("is exported as CSV, harmless to spreadsheets", async () => {
    await hopline.createFolder({ body: { name: "=1+1" } });
    const response = await stage.app.request("/api/v1/audit-log.csv?action=folder.created", {
      headers: { authorization: `Bearer ${key}` },
    });
    const lines = (await response.text()).split("\r\n");
    expect(lines[0]).toBe(
      "id,at,actorType,actorId,actorName,action,resourceId,resource,before,after,requestId",
    );
    expect(lines.find((line) => line.includes("1+1"))).toContain(",'=1+1,");
  });
});

it("tells of exports, its own too", async () => {
  for (const path of ["/links/export", "/analytics/events.csv", "/audit-log.csv"]) {
    await (await stage.app.request(`/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } })).text();
  }
  const { data } = await readLog("limit=3");
  expect(data.map(({ action, actor }) => [action, actor.id])).toEqual([
    ["workspace.log_exported", keyId],
    ["workspace.clicks_exported", keyId],
    ["link.exported", keyId],
  ]);
});

it("an account's own log tells of sign-ins that failed, and not from where", async () => {
  const person = await stage.addPerson(null, "viewer");
  await stage.app.request("/api/auth/sign-in", {
    method: "POST",
    headers: {
      origin: APP_ORIGIN,
      "content-type": "application/json",
      "cf-connecting-ip": "203.0.113.77",
      "user-agent": "Spy/1.0",
    },
    body: JSON.stringify({ email: person.email, password: "wrong" }),
  });
  const response = await stage.app.request("/api/v1/me/audit-log", { headers: { cookie: person.cookie } });
  const { data } = (await response.json()) as Page;
  expect(data[0]).toMatchObject({
    action: "session.refused",
    actor: { type: "anonymous" },
    resource: { label: null },
  });
  const { rows } = await stage.client.query(
    "SELECT audit_log::text FROM audit_log WHERE action = 'session.refused'",
  );
  expect([rows.length, JSON.stringify(rows)]).toEqual([1, expect.not.stringMatching(/203\.0|Spy|example/)]);
});

it.runIf(IS_FULL)(
  "filters of 100,000 entries answer within 50 ms, 95 times in 100, by its indexes",
  async () => {
    const crowded = await stage.addWorkspace();
    const crowdedKey = await stage.addKey(crowded, ["admin"]);
    await stage.client.query(
      `INSERT INTO audit_log (workspace_id, actor, action, at)
     SELECT $1, CASE WHEN n % 1000 = 0 THEN 'job:publish' WHEN n % 10 = 0 THEN 'key:' || md5((n % 50)::text)::uuid
       ELSE 'person:' || md5((n % 20)::text)::uuid END,
       CASE WHEN n % 997 = 0 THEN 'member.deleted' ELSE 'link.updated' END, now() - n * interval '1 second'
     FROM generate_series(1, 100000) AS n`,
      [crowded.id],
    );
    await stage.client.query("ANALYZE audit_log");
    const asked = [
      "actor=job",
      "actor=key",
      "actor=operator",
      "action=member.deleted",
      "action=link.deleted",
      "actor=job&action=member.deleted",
    ];
    const milliseconds: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      for (const query of asked) {
        const startedAt = performance.now();
        await callApi(stage, `GET /api/v1/audit-log?${query}`, { key: crowdedKey });
        milliseconds.push(performance.now() - startedAt);
      }
    }
    milliseconds.sort((one, other) => one - other);
    expect(milliseconds[Math.floor(milliseconds.length * 0.95)]).toBeLessThan(50);
    for (const [condition, index] of [
      [`actor COLLATE "C" = 'job:publish'`, "audit_log_by_actor"],
      ["action = 'member.deleted'", "audit_log_by_action"],
    ] as const) {
      const { rows } = await stage.client.query(
        `EXPLAIN SELECT * FROM audit_log WHERE workspace_id = $1 AND ${condition} ORDER BY at DESC, id DESC LIMIT 51`,
        [crowded.id],
      );
      expect(JSON.stringify(rows)).toContain(index);
    }
    await stage.client.query("DELETE FROM audit_log WHERE workspace_id = $1", [crowded.id]);
  },
);

it("a person's own log tells of their account, and not of workspaces", async () => {
  await stage.people.deps.loadAuth().then((auth) => auth.startSession(ada.personId));
  expect((await asAda("PATCH", "/api/v1/me", { name: "Ada" })).status).toBe(200);
  const { data } = (await (await asAda("GET", "/api/v1/me/audit-log")).json()) as Page;
  expect(data.map(({ action }) => action)).toEqual([
    "person.updated",
    "session.created",
    "session.created",
    "person.created",
  ]);
  expect(data[0]).toMatchObject({ before: { name: "Test" }, after: { name: "Ada" } });
});

it("old entries are removed in slices, and none with AUDIT_RETENTION_DAYS=0", async () => {
  await stage.client.query(`
    INSERT INTO audit_log (at, workspace_id, actor, action)
    SELECT now() - interval '400 days', gen_random_uuid(), 'operator', 'folder.created' FROM generate_series(1, 5001)`);
  const count = async () =>
    Number(
      (await stage.client.query("SELECT count(*) FROM audit_log WHERE at < now() - interval '1 day'")).rows[0]
        .count,
    );
  const run = (days: string) =>
    auditRetentionHandler({
      database: stage.database,
      auditRetentionDays: readAuditRetentionDays({ AUDIT_RETENTION_DAYS: days }),
    }).run({} as never, new AbortController().signal);
  expect([await run("0"), await count()]).toEqual([{ againInSeconds: 3_600 }, 5_001]);
  expect([await run("365"), await count()]).toEqual([{ againInSeconds: 0 }, 1]);
  expect([await run("365"), await count()]).toEqual([{ againInSeconds: 3_600 }, 0]);
  expect(() => readAuditRetentionDays({ AUDIT_RETENTION_DAYS: "a year" })).toThrow("AUDIT_RETENTION_DAYS");
});

it("names fields as the API does", () => {
  expect(
    toPublicFields({
      state: "live",
      follows_domain_status: true,
      starts_at: "2027-01-01T01:00:00+01:00",
      folder_id: "0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f",
      cap: { mode: "fast", max_clicks: 1 },
      external_id: null,
    }),
  ).toEqual({
    status: "live",
    hasOwnRedirectStatus: false,
    startsAt: "2027-01-01T00:00:00.000Z",
    folderId: "fld_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f",
    cap: { mode: "fast", maxClicks: 1 },
    externalId: null,
  });
});

describe("reverting a link", () => {
  const everything = {
    url: "https://example.com/first",
    title: "First",
    tags: ["a", "b"],
    externalId: "first",
    redirectStatus: 307 as const,
    rules: [{ id: "r", when: { country: ["DE"] }, to: { url: "https://example.com/de" } }],
    split: [
      { id: "x", url: "https://example.com/x", weight: 1 },
      { id: "y", url: "https://example.com/y", weight: 2 },
    ],
    next: { url: "https://example.com/next", activateAt: "2098-01-01T00:00:00Z" },
    startsAt: "2020-01-01T00:00:00.000Z",
    expiresAt: "2099-01-01T00:00:00.000Z",
    expiredUrl: "https://example.com/over",
    cap: { mode: "strict" as const, maxClicks: 7 },
    forwardQuery: "visitor-wins" as const,
    utm: { source: "mail" },
    openGraph: { title: "Seen" },
  };

  it("puts back everything that an edit can change, its password too, as a new version", async () => {
    const folder = await hopline.createFolder({ body: { name: "Of the first" } });
    const first = await hopline.createLink({
      body: { ...everything, slug: "first-slug", folder: folder.id, password: "the first password" },
    });
    const record = stage.edge.recordAt(workspace.host, "first-slug");
    await hopline.updateLink({
      linkId: first.id,
      body: {
        url: "https://example.com/second",
        slug: "second-slug",
        status: "archived",
        title: null,
        tags: [],
        externalId: null,
        folder: null,
        redirectStatus: null,
        rules: null,
        split: null,
        next: null,
        startsAt: null,
        expiresAt: null,
        expiredUrl: null,
        cap: null,
        forwardQuery: null,
        utm: null,
        openGraph: null,
        password: "the second password",
      },
    });
    const reverted = await hopline.revertLink({ linkId: first.id, version: "1" });
    const { version: _v, updatedAt: _u, aliases, ...same } = reverted;
    expect(first).toMatchObject(same);
    expect([reverted.version, aliases]).toEqual([3, ["second-slug"]]);
    expect(stage.edge.recordAt(workspace.host, "first-slug")).toEqual({ ...record, version: 3 });
    const { data } = await hopline.listLinkHistory({ linkId: first.id });
    expect(data.map(({ version }) => version)).toEqual([3, 2, 1]);
    expect(data[0]?.fields).toEqual(data[2]?.fields);
    expect(JSON.stringify(data)).not.toMatch(/salt|iterations/);
    expect(data[0]).toMatchObject({ actor: { id: keyId }, after: { title: "First", password: "(secret)" } });
  });

  it("leaves out a folder that is gone, and keeps what a plain version never had", async () => {
    const folder = await hopline.createFolder({ body: { name: "Soon gone" } });
    const link = await hopline.createLink({ body: { url: "https://example.com/", folder: folder.id } });
    await hopline.updateLink({ linkId: link.id, body: { ...everything, externalId: null } });
    await hopline.deleteFolder({ folderId: folder.id });
    const reverted = await hopline.revertLink({ linkId: link.id, version: "1" });
    expect(reverted).toMatchObject({
      folderId: null,
      rules: [],
      split: null,
      cap: null,
      hasOwnRedirectStatus: false,
    });
  });

  it.each([
    ["a version that is not there", "9", {}, 404],
    ["no version", "first", {}, 404],
    ["a link that has changed since", "1", { "if-match": '"v9.c0"' }, 412],
  ])("refuses %s", async (_what, version, headers, status) => {
    const { id: linkId } = await hopline.createLink({ body: { url: "https://example.com/" } });
    expect(await statusOf(hopline.revertLink({ linkId, version }, { headers }))).toBe(status);
  });

  it("is for links of one's own workspace only", async () => {
    const { id: linkId } = await hopline.createLink({ body: { url: "https://example.com/" } });
    const strange = clientOf(stage, await stage.addKey(await stage.addWorkspace(), ["admin"]));
    expect(await statusOf(strange.revertLink({ linkId, version: "1" }))).toBe(404);
    expect(await statusOf(strange.listLinkHistory({ linkId }))).toBe(404);
  });
});

/** What a visitor would get, domain settings, and links that have reached their cap. */
import { domainKeyOf } from "@hopline/core/link/domain-record";
import { decodeDomainRecord } from "@hopline/core/link/domain-record";
import { describe, expect, it } from "vitest";
import { callApi } from "../call-api.ts";
import { insertEdgeReports } from "@hopline/db/ingest/insert-edge-reports";
import type { MissedVisits } from "@hopline/client/openapi";
import { openKeyedStage } from "../keyed-stage.ts";
import { runSqlOf } from "../run-sql-of.ts";
import { toUuid } from "../to-uuid.ts";

const { stage, workspace, key } = await openKeyedStage(
  "links:read",
  "links:write",
  "admin",
  "analytics:read",
);

describe("POST /api/v1/links/{linkId}/resolve", () => {
  it("explains what would happen and why each earlier rule did not match", async () => {
    const link = await create({
      rules: [
        { id: "ios", when: { os: ["iOS"], country: ["FR"] }, to: { url: "https://example.com/ios" } },
        { id: "swiss", when: { country: ["CH"] }, to: { url: "https://example.com/ch" } },
        { id: "bots", when: { visitor: "bot" }, to: { block: true } },
      ],
      forwardQuery: "visitor-wins",
    });
    expect(await resolve(link.id, { country: "CH", os: "android", query: "a=1" })).toEqual({
      outcome: "redirect",
      status: 302,
      location: "https://example.com/ch?a=1",
      alias: null,
      why: null,
      ruleId: "swiss",
      variantId: null,
      missed: [
        {
          ruleId: "ios",
          unmet: [
            { field: "country", expected: ["FR"], actual: "CH" },
            { field: "os", expected: ["iOS"], actual: "Android" },
          ],
        },
      ],
      off: [],
    });
    expect(await resolve(link.id, { isBot: true })).toMatchObject({
      outcome: "blocked",
      status: 403,
      ruleId: "bots",
    });
    expect(await resolve(link.id, { userAgent: "curl/8.0" })).toMatchObject({ ruleId: "bots" });
    expect(await resolve(link.id, {})).toMatchObject({ location: "https://example.com/", ruleId: null });
  });

  it("knows of no path behind a slug that forwards none", async () => {
    const url = "https://example.com/{path}";
    const { host: domain } = await addDomain();
    const [plain, forwards] = [await create({ url, domain }), await create({ url, domain, slug: "docs/*" })];
    expect(await resolve(plain.id, { path: "a/b" })).toMatchObject({ location: "https://example.com/" });
    expect(await resolve(forwards.id, { path: "a/b" })).toMatchObject({
      location: "https://example.com/a/b",
    });
  });

  it("answers for any instant", async () => {
    const link = await create({
      startsAt: "2030-01-01T00:00:00Z",
      expiresAt: "2031-01-01T00:00:00Z",
      expiredUrl: "https://example.com/over",
      next: { url: "https://example.com/next", activateAt: "2030-06-01T00:00:00Z" },
    });
    const at = async (instant: string) => resolve(link.id, { at: instant });
    expect(await at("2029-12-31T23:59:59.999Z")).toMatchObject({ outcome: "not-started", status: 404 });
    expect(await at("2030-01-01T00:00:00Z")).toMatchObject({ location: "https://example.com/" });
    expect(await at("2030-06-01T00:00:00Z")).toMatchObject({ location: "https://example.com/next" });
    expect(await at("2031-01-01T00:00:00Z")).toMatchObject({
      outcome: "gone",
      why: "expired",
      location: "https://example.com/over",
    });
  });

  it("shows what a password and Open Graph do", async () => {
    const link = await create({ password: "open sesame", openGraph: { title: "Spring" } });
    const userAgent = "facebookexternalhit/1.1";
    expect(await resolve(link.id, { userAgent })).toMatchObject({
      outcome: "password-required",
      status: 401,
    });
    expect(await resolve(link.id, { userAgent, hasPassword: true })).toMatchObject({ outcome: "preview" });
  });
});

describe("a domain's settings", () => {
  it("are read as they were written, and are published under their own key", async () => {
    const path = `/api/v1/domains/dom_${workspace.domainId.replaceAll("-", "")}`;
    const change = {
      rootUrl: "https://example.com/root",
      notFoundUrl: "https://example.com/lost",
      endedUrl: "https://example.com/over",
      title: "Example",
      homeUrl: "https://example.com/",
      color: "#0a7b3c",
      imprintUrl: "https://example.com/imprint",
      privacyUrl: "https://example.com/privacy",
      reportUrl: "https://example.com/report",
      redirectStatus: 307,
    };
    const { status, body } = await callApi(stage, `PATCH ${path}`, { key, body: change });
    expect([status, body]).toMatchObject([200, { ...change, ignoresCase: false }]);
    const text = stage.edge.inKv.get(`${workspace.host}/@`) ?? "";
    expect(decodeDomainRecord(text)).toMatchObject({
      ok: true,
      value: {
        version: 2,
        rootUrl: change.rootUrl,
        color: "#0a7b3c",
        reportUrl: change.reportUrl,
        ignoresCase: false,
      },
    });
    expect((await create({})).redirectStatus).toBe(307);
    expect((await create({ redirectStatus: 302 })).redirectStatus).toBe(302);
  });

  it("ignore case only if every slug is in lower case, and then store new ones in lower case", async () => {
    const host = `relaxed.${workspace.host}`;
    const made = await callApi<{ id: string }>(stage, "POST /api/v1/domains", { key, body: { host } });
    const path = `/api/v1/domains/${made.body.id}`;
    const mixed = await create({ domain: host, slug: "Mixed" });
    const body = { ignoresCase: true };
    expect((await callApi(stage, `PATCH ${path}`, { key, body })).status).toBe(422);
    await callApi(stage, `DELETE /api/v1/links/${mixed.id}`, { key });
    expect((await callApi(stage, `PATCH ${path}`, { key, body })).status).toBe(200);
    expect((await create({ domain: host, slug: "GRÜSSE" })).slug).toBe("grüsse");
    const items = [
      { url: "https://example.com/", domain: host, slug: "Bulk" },
      { url: "https://example.com/", domain: host, slug: "BULK" },
      { url: "https://example.com/", domain: host, slug: "Grüsse" },
    ];
    const bulk = await callApi<{ results: unknown[] }>(stage, "POST /api/v1/links/bulk", {
      key,
      body: { items },
    });
    expect(bulk.body.results).toMatchObject([
      { status: 201, link: { slug: "bulk" } },
      { code: "slug_taken" },
      { code: "slug_taken" },
    ]);
    const generated = await create({ domain: host });
    expect(generated.slug).toBe(generated.slug.toLowerCase());
  });

  it("ignore case for releasing an alias too: it is found as a visitor's request would find it", async () => {
    const { host, change } = await addDomain();
    await change({ ignoresCase: true });
    const link = await create({ domain: host, slug: "before" });
    await callApi(stage, `PATCH /api/v1/links/${link.id}`, { key, body: { slug: "after" } });
    const released = await callApi(stage, `DELETE /api/v1/links/${link.id}/aliases/BEFORE`, { key });
    expect(released.status).toBe(204);
    expect(stage.edge.recordAt(host, "before")).toMatchObject({ state: "deleted" });
  });

  it("turned to ignoring case while a slug with capitals is written, wait for it and are refused", async () => {
    const { host, change } = await addDomain();
    await stage.client.query("BEGIN");
    await insertLink(host, "Capitals");
    const changing = change({ ignoresCase: true });
    await waitForLock();
    await stage.client.query("COMMIT");
    expect((await changing).status).toBe(422);
  });

  it("that ignore case by now fold the slug of a link that was prepared before", async () => {
    const { host, change } = await addDomain();
    await change({ ignoresCase: true });
    expect(await insertLink(host, "Prepared")).toEqual([{ slug: "prepared" }]);
  });
});

describe("a domain's default redirect status", () => {
  it("is published with the domain, and with none of its links, however many follow it", async () => {
    const { host, change } = await addDomain();
    const following = await create({ domain: host });
    const own = await create({ domain: host, redirectStatus: 302 });
    const smart = await create({ domain: host, forwardQuery: "link-wins", password: "open sesame" });
    const writesBefore = stage.edge.writes.length;
    expect((await change({ redirectStatus: 308 })).status).toBe(200);
    expect(stage.edge.writes.slice(writesBefore).map(({ key: address }) => address)).toEqual([`${host}/@`]);
    expect(JSON.parse(stage.edge.inKv.get(domainKeyOf(host)) ?? "")).toMatchObject({ status: 308 });
    expect(published(following)).toMatchObject({ redirectStatus: 302, followsDomain: true, version: 1 });
    expect(published(smart)).toMatchObject({ followsDomain: true, forward: "link-wins" });
    expect(published(own)).not.toHaveProperty("followsDomain");
    expect(await read(following)).toMatchObject({ redirectStatus: 308, hasOwnRedirectStatus: false });
    expect(await resolve(following.id, {})).toMatchObject({ status: 308 });
    expect(await resolve(own.id, {})).toMatchObject({ status: 302 });
    await change({ redirectStatus: null });
    expect(await read(following)).toMatchObject({ redirectStatus: 302 });
  });

  it("stops applying to a link with a status of its own, and applies again with null", async () => {
    const { host, change } = await addDomain();
    const link = await create({ domain: host });
    const patch = (redirectStatus: number | null) =>
      callApi(stage, `PATCH /api/v1/links/${link.id}`, { key, body: { redirectStatus } });
    await patch(307);
    await change({ redirectStatus: 301 });
    expect(await read(link)).toMatchObject({ redirectStatus: 307, hasOwnRedirectStatus: true });
    await patch(null);
    expect(published(link)).toMatchObject({ redirectStatus: 301, followsDomain: true });
    expect(await read(link)).toMatchObject({ redirectStatus: 301, hasOwnRedirectStatus: false });
  });
});

describe("GET /api/v1/domains/{domainId}/missed-visits", () => {
  it("says what was asked for most, when, and whether it is there by now", async () => {
    const { host, id } = await addDomain();
    const path = `/api/v1/domains/dom_${id}/missed-visits`;
    const readMissed = async (query = "") =>
      (await callApi<MissedVisits>(stage, `GET ${path}${query}`, { key })).body;
    expect(await readMissed()).toEqual({ root: 0, ended: 0, unknown: 0, slugs: [] });
    const slugs = Array.from({ length: 20 }, (_, index) => [`word${index}`, 1] as const);
    const misses = [[toUuid(id), 4, 2, 30, [["prüfung/a", 3], ["sumer", 7], ...slugs]] as const];
    const report = { number: 1, colo: null, feedAgeMs: null, feedGaps: 0, facts: null, cells: [], misses };
    const row = { isolateId: "00c0ffee00000001", report, colo: null };
    await insertEdgeReports(runSqlOf(stage.client), [row], 30_000);
    const link = await create({ domain: host, slug: "sumer" });
    const missed = await readMissed();
    expect(missed).toMatchObject({ root: 4, ended: 2, unknown: 30 });
    expect(missed.slugs).toHaveLength(22);
    const lastVisitedAt = expect.stringMatching(/^20\d\d-/);
    expect(missed.slugs.slice(0, 2)).toEqual([
      { slug: "sumer", shortUrl: `https://${host}/sumer`, visits: 7, lastVisitedAt, linkId: link.id },
      {
        slug: "prüfung/a",
        shortUrl: `https://${host}/pr%C3%BCfung/a`,
        visits: 3,
        lastVisitedAt,
        linkId: null,
      },
    ]);
    await stage.client.query("UPDATE missed_visits SET day = day - 5 WHERE domain_id = $1", [toUuid(id)]);
    expect((await readMissed("?days=5")).slugs).toEqual([]);
    expect((await readMissed("?days=6")).unknown).toBe(30);
    // A hundred of each day are more, together; the sums are not among them.
    await stage.client.query(
      `INSERT INTO missed_visits SELECT domain_id, day, 'more-' || number, 2
       FROM missed_visits, generate_series(1, 120) AS number WHERE domain_id = $1 AND slug = '/root'`,
      [toUuid(id)],
    );
    const most = await readMissed();
    expect([most.slugs.length, most.root, most.slugs[2]?.visits]).toEqual([100, 4, 2]);
    expect((await callApi(stage, `GET ${path}?days=91`, { key })).status).toBe(422);
  });

  it("names no link of the workspace that has the host now", async () => {
    const { id, host } = await addDomain();
    await stage.client.query(
      "INSERT INTO missed_visits (domain_id, day, slug, visits) VALUES ($1, current_date, 'theirs', 1)",
      [toUuid(id)],
    );
    await stage.client.query("UPDATE domains SET proof = 'pending' WHERE id = $1", [toUuid(id)]);
    const other = await stage.addWorkspace();
    const theirs = await stage.addKey(other, ["admin"]);
    await callApi(stage, "POST /api/v1/domains", { key: theirs, body: { host } });
    const body = { url: "https://example.com/", domain: host, slug: "theirs" };
    expect((await callApi(stage, "POST /api/v1/links", { key: theirs, body })).status).toBe(201);
    const path = `GET /api/v1/domains/dom_${id}/missed-visits`;
    const missed = await callApi<MissedVisits>(stage, path, { key });
    expect(missed.body.slugs).toMatchObject([{ slug: "theirs", linkId: null }]);
  });
});

/** As by a request that has read the domain's settings before. */
async function insertLink(host: string, slug: string): Promise<unknown> {
  const { rows } = await stage.client.query(
    `INSERT INTO links (id, workspace_id, domain_id, slug, url, record)
     SELECT gen_random_uuid(), workspace_id, id, $2, 'https://example.com/', '{"format":1}' FROM domains WHERE host = $1
     RETURNING slug`,
    [host, slug],
  );
  return rows;
}

async function waitForLock(): Promise<void> {
  await expect
    .poll(async () => (await stage.client.query("SELECT FROM pg_locks WHERE NOT granted")).rowCount)
    .toBeGreaterThan(0);
}

async function addDomain() {
  const host = `d${crypto.randomUUID().slice(0, 8)}.example.com`;
  const { body } = await callApi<{ id: string }>(stage, "POST /api/v1/domains", { key, body: { host } });
  const change = (settings: object) =>
    callApi(stage, `PATCH /api/v1/domains/${body.id}`, { key, body: settings });
  return { host, id: body.id.slice(4), change };
}

async function read({ id }: Link): Promise<unknown> {
  return (await callApi<unknown>(stage, `GET /api/v1/links/${id}`, { key })).body;
}

type Link = {
  readonly id: string;
  readonly slug: string;
  readonly domain: string;
  readonly redirectStatus: number;
};

async function create(change: object): Promise<Link> {
  const body = { url: "https://example.com/", ...change };
  const answer = await callApi<Link>(stage, "POST /api/v1/links", { key, body });
  expect([answer.status, answer.body]).toMatchObject([201, {}]);
  return answer.body;
}

async function resolve(linkId: string, body: object): Promise<unknown> {
  return (await callApi<unknown>(stage, `POST /api/v1/links/${linkId}/resolve`, { key, body })).body;
}

const published = ({ domain, slug }: Link) => stage.edge.recordAt(domain, slug);

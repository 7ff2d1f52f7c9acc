/** Many links in one request, and links by the client's own id. */
import { describe, expect, it } from "vitest";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";

const { stage, workspace, key } = await openKeyedStage("links:read", "links:write");

type Result = {
  readonly index: number;
  readonly status: number;
  readonly code?: string;
  readonly errors?: readonly { readonly path: string }[];
  readonly link?: { readonly slug: string; readonly version: number };
};
type BulkAnswer = {
  readonly created: number;
  readonly results: readonly Result[];
  readonly code?: string;
} & Pick<Result, "errors">;

const pathsOf = ({ errors = [] }: Pick<Result, "errors">) => errors.map(({ path }) => path);

const url = "https://example.com/";
const bulk = (items: readonly unknown[], atomic = false) =>
  callApi<BulkAnswer>(stage, "POST /api/v1/links/bulk", { key, body: { items, atomic } });

const countLinks = async () =>
  Number((await stage.client.query("SELECT count(*) FROM links WHERE state <> 'deleted'")).rows[0]?.count);

describe("POST /api/v1/links/bulk", () => {
  it("creates 500 links, publishes them, and answers each whole", async () => {
    const items = Array.from({ length: 500 }, (_, index) => ({
      url: `${url}${index}`,
      slug: `bulk-${index}`,
    }));
    const { status, body } = await bulk(items);
    expect([status, body.created, body.results.length]).toEqual([200, 500, 500]);
    expect(body.results.map(({ link }) => link?.slug)).toEqual(items.map(({ slug }) => slug));
    expect(items.every(({ slug }) => stage.edge.inKv.has(`${workspace.host}/${slug}`))).toBe(true);
  });

  const mixed = [
    { url },
    { url: "nonsense" },
    { url, slug: "twice" },
    { url, slug: "twice" },
    { url, externalId: "e" },
    { url, externalId: "e" },
    { url, domain: "foreign.example" },
    17,
  ];

  it("gives each item its own result", async () => {
    const { body } = await bulk([...mixed, { url: `https://${workspace.host}/loop` }]);
    expect(body.results.map(({ index, status, code }) => [index, status, code])).toEqual([
      [0, 201, undefined],
      [1, 422, "invalid"],
      [2, 201, undefined],
      [3, 409, "slug_taken"],
      [4, 201, undefined],
      [5, 409, "external_id_taken"],
      [6, 422, "no_domain"],
      [7, 422, "invalid"],
      [8, 422, "loop"],
    ]);
    expect(body.created).toBe(3);
    expect(body.results[1]?.errors?.[0]?.path).toBe("url");
  });

  it("creates nothing if atomic is set and an item is refused: that is a 422, with the faults", async () => {
    const before = await countLinks();
    const invalid = await bulk([{ url }, { url: "nonsense" }], true);
    expect([invalid.status, invalid.body.code, pathsOf(invalid.body)]).toEqual([
      422,
      "invalid",
      ["items[1].url"],
    ]);
    const taken = await bulk([{ url }, { url, slug: "twice" }], true);
    expect([taken.status, pathsOf(taken.body)]).toEqual([422, ["items[1]"]]);
    expect(await countLinks()).toBe(before);
    expect((await bulk([{ url }, { url }], true)).body.created).toBe(2);
  });

  it("rolls back if an address is taken between look-up and insert", async () => {
    const before = await countLinks();
    let isInserted = false;
    stage.endpoint.setFault(({ statements }) => {
      if (statements.some(({ query }) => query.includes("INSERT INTO links")) && !isInserted) {
        isInserted = true;
        void stage.client.query(
          `INSERT INTO links (id, workspace_id, domain_id, slug, url, record)
           SELECT gen_random_uuid(), workspace_id, domain_id, 'race', url, record FROM links LIMIT 1`,
        );
        return { kind: "delay", delayMs: 300 };
      }
      return null;
    });
    const { status, body } = await bulk([{ url }, { url, slug: "race" }], true);
    stage.endpoint.setFault(null);
    expect([status, pathsOf(body)]).toEqual([422, ["items"]]);
    expect(await countLinks()).toBe(before + 1);
  });

  it.each([
    ["none", []],
    ["501", Array.from({ length: 501 }, () => ({ url }))],
  ])("refuses %s items", async (_what, items) => {
    expect(await bulk(items)).toMatchObject({ status: 422, body: { code: "invalid" } });
  });

  it("gives a link at a deleted one's address a version above the tombstone", async () => {
    const { body } = await bulk([{ url, slug: "phoenix" }]);
    await stage.client.query("UPDATE links SET state = 'deleted', version = 7 WHERE slug = 'phoenix'");
    expect((await bulk([{ url, slug: "phoenix" }])).body.results[0]?.link?.version).toBe(8);
    expect(body.created).toBe(1);
  });
});

/** One of each smart field. */
const SMART = {
  rules: [{ id: "ios", when: { os: ["ios"] }, to: { url: "https://example.com/ios" } }],
  split: [{ id: "b", url: "https://example.com/b", weight: 2 }],
  next: { url: "https://example.com/next", activateAt: "2030-01-01T00:00:00Z" },
  startsAt: "2026-01-01T00:00:00.000Z",
  expiresAt: "2031-01-01T00:00:00.000Z",
  expiredUrl: "https://example.com/over",
  cap: { mode: "fast", maxClicks: 10 },
  forwardQuery: "link-wins",
  utm: { source: "poster" },
  openGraph: { title: "Spring", image: "https://example.com/i.png" },
};
const SMART_ANSWER = { ...SMART, cap: { ...SMART.cap, used: 0 }, hasPassword: true };

describe("smart links", () => {
  it("are the same in bulk as one by one: same answer, same record", async () => {
    const wanted = { url, ...SMART, password: "open sesame" };
    const single = await callApi<object>(stage, "POST /api/v1/links", { key, body: wanted });
    const { body } = await bulk([{ ...wanted, slug: "clever" }, { url }], true);
    expect([single.status, body.created]).toEqual([201, 2]);
    expect(body.results[0]?.link).toMatchObject(SMART_ANSWER);
    expect(single.body).toMatchObject(SMART_ANSWER);
    const plain = (slug: string) => ({ ...published(slug), linkId: "", password: null });
    expect(plain("clever")).toEqual(plain(String(Reflect.get(single.body, "slug"))));
    expect(published("clever")?.password?.iterations).toBe(100_000);
    const { rows } = await stage.client.query(
      "SELECT mode, max_clicks FROM link_caps JOIN links ON id = link_id WHERE slug = 'clever'",
    );
    expect(rows).toEqual([{ mode: "fast", max_clicks: "10" }]);
  });

  it("are refused in bulk with the field, without affecting other items", async () => {
    const rule = (to: string) => ({ id: "r", when: { country: ["DE"] }, to: { url: to } });
    const to = `https://example.com/${"a".repeat(4_000)}`;
    const { body } = await bulk([
      { url, rules: [rule("https://example.com/"), { ...rule("http://10.0.0.1/"), id: "s" }] },
      { url, rules: [rule(`https://${workspace.host}/loop`)] },
      { url, startsAt: "2030-01-01T00:00:00Z", expiresAt: "2029-01-01T00:00:00Z" },
      { url, rules: Array.from({ length: 20 }, (_, index) => ({ ...rule(to), id: `r${index}` })) },
      { url, openGraph: {} },
      { url, cap: { mode: "lenient", maxClicks: 1 } },
      { url },
    ]);
    expect(body.results.map(({ status, errors }) => [status, errors?.[0]?.path])).toEqual([
      [422, "rules[1].to.url"],
      [422, "rules[0].to.url"],
      [422, "expiresAt"],
      [422, "rules"],
      [422, "openGraph"],
      [422, "cap.mode"],
      [201, undefined],
    ]);
  });

  it("may have a password in 50 items of a request, because hashing is slow", async () => {
    const items = Array.from({ length: 52 }, (_, index) => ({ url, password: `tractor and plum ${index}` }));
    const { body } = await bulk([...items, { url }]);
    expect([body.created, body.results[50]?.errors?.[0]?.path, body.results[52]?.status]).toEqual([
      51,
      "password",
      201,
    ]);
  });

  it("need two more statements, however many they are", async () => {
    let statements = 0;
    stage.endpoint.setFault((request) => {
      statements += request.statements.length;
      return null;
    });
    await bulk(Array.from({ length: 100 }, () => ({ url, ...SMART })));
    stage.endpoint.setFault(null);
    // Like plain ones (statements.test.ts), and one for their short domains, one for their caps.
    expect(statements).toBe(11 + 2);
  });

  it("are upserted, and keep what a later upsert leaves out", async () => {
    const upsert = (body: object) =>
      callApi<{ readonly slug: string }>(stage, "POST /api/v1/links/upsert", { key, body });
    const first = await upsert({ externalId: "clever", url, ...SMART, password: "open sesame" });
    expect([first.status, first.body]).toMatchObject([201, SMART_ANSWER]);
    const second = await upsert({ externalId: "clever", url: `${url}2`, utm: null, cap: null });
    const { utm: _utm, cap: _cap, ...kept } = SMART_ANSWER;
    expect([second.status, second.body]).toMatchObject([200, { ...kept, utm: null, cap: null }]);
    expect(published(first.body.slug)).toMatchObject({ url: `${url}2`, forward: "link-wins", password: {} });
    const bad = await upsert({ externalId: "clever", url, split: [{ id: "a", url, weight: 0 }] });
    expect([bad.status, Reflect.get(bad.body, "errors")]).toMatchObject([422, [{ path: "split[0].weight" }]]);
  });
});

const published = (slug: string) => stage.edge.recordAt(workspace.host, slug);

describe("POST /api/v1/links/upsert", () => {
  const upsert = (body: object) =>
    callApi<{ readonly id: string }>(stage, "POST /api/v1/links/upsert", { key, body });

  it("creates a link the first time and changes it from then on", async () => {
    const first = await upsert({ externalId: "p", url: `${url}a` });
    const second = await upsert({ externalId: "p", url: `${url}b`, slug: "named" });
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.body).toMatchObject({ id: first.body.id, url: `${url}b`, slug: "named", version: 2 });
  });

  it("ends with one link after four simultaneous requests", async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => upsert({ externalId: "many", url })));
    const { rows } = await stage.client.query("SELECT 1 FROM links WHERE external_id = 'many'");
    expect(rows.length).toBe(1);
    expect(answers.every(({ status }) => [200, 201, 409].includes(status))).toBe(true);
  });
});

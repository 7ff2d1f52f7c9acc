/** Many links at once, and links by the client's own id. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callApi } from "./call-api.ts";
import { openStage, type Stage, type Workspace } from "./stage.ts";

let stage: Stage;
let workspace: Workspace;
let key: string;

beforeAll(async () => {
  stage = await openStage();
  workspace = await stage.addWorkspace();
  key = await stage.addKey(workspace, ["links:read", "links:write"]);
});

afterAll(() => stage.close());

type Result = {
  readonly index: number;
  readonly status: number;
  readonly code?: string;
  readonly errors?: readonly { readonly path: string }[];
  readonly link?: { readonly slug: string; readonly version: number };
};
type BulkAnswer = { readonly created: number; readonly results: readonly Result[]; readonly code?: string };

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

  it("creates nothing when all or nothing is asked for and one item is refused", async () => {
    const before = await countLinks();
    const invalid = await bulk([{ url }, { url: "nonsense" }], true);
    expect(invalid.body.results.map(({ status, code }) => [status, code])).toEqual([
      [424, "not_done"],
      [422, "invalid"],
    ]);
    const taken = await bulk([{ url }, { url, slug: "twice" }], true);
    expect(taken.body.results.map(({ code }) => code)).toEqual(["not_done", "slug_taken"]);
    expect(taken.body.created).toBe(0);
    expect(await countLinks()).toBe(before);
    expect((await bulk([{ url }, { url }], true)).body.created).toBe(2);
  });

  it("takes all back when an address is taken between the look and the write", async () => {
    const before = await countLinks();
    let isInserted = false;
    stage.endpoint.setFault(({ isTransaction }) => {
      if (isTransaction && !isInserted) {
        isInserted = true;
        void stage.client.query(
          `INSERT INTO links (id, workspace_id, domain_id, slug, url, record)
           SELECT gen_random_uuid(), workspace_id, domain_id, 'race', url, record FROM links LIMIT 1`,
        );
        return { kind: "delay", delayMs: 300 };
      }
      return null;
    });
    const { body } = await bulk([{ url }, { url, slug: "race" }], true);
    stage.endpoint.setFault(null);
    expect([body.created, body.results.map(({ code }) => code)]).toEqual([0, ["not_done", "not_done"]]);
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

describe("POST /api/v1/links/upsert", () => {
  const upsert = (body: object) =>
    callApi<{ readonly id: string; readonly version: number; readonly url: string }>(
      stage,
      "POST /api/v1/links/upsert",
      { key, body },
    );

  it("creates a link the first time and changes it from then on", async () => {
    const first = await upsert({ externalId: "p", url: `${url}a` });
    const second = await upsert({ externalId: "p", url: `${url}b`, slug: "named" });
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.body).toMatchObject({ id: first.body.id, url: `${url}b`, slug: "named", version: 2 });
  });

  it("ends with one link when ten ask at once", async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => upsert({ externalId: "many", url })));
    const { rows } = await stage.client.query("SELECT 1 FROM links WHERE external_id = 'many'");
    expect(rows.length).toBe(1);
    expect(answers.every(({ status }) => [200, 201, 409].includes(status))).toBe(true);
  });
});

/**
 * Versions at an address never go back, whoever comes between the reading of the highest one and the writing of the
 * next. The other editor is a connection of its own, whose transaction is open while the API is at work.
 */
import { randomUUID } from "node:crypto";
import { linkKeyOf } from "@hopline/core/link/link-address";
import { decodeLinkRecord, encodeLinkRecord } from "@hopline/core/link/link-record";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callApi } from "../call-api.ts";
import { openStage, type Stage, type Workspace } from "../stage.ts";

let stage: Stage;
let workspace: Workspace;
let key: string;
let other: pg.Client;

beforeAll(async () => {
  stage = await openStage();
  workspace = await stage.addWorkspace();
  key = await stage.addKey(workspace, ["links:read", "links:write"]);
  other = new pg.Client({ connectionString: stage.databaseUrl });
  await other.connect();
});

afterAll(async () => {
  await other.end();
  await stage.close();
});

type Leave = (link: Stored) => Promise<unknown>;
type Stored = { readonly uuid: string; readonly slug: string };

/** In version 7, so that what was read before is far behind. */
const LEAVES: readonly (readonly [string, Leave])[] = [
  [
    "deleted",
    ({ uuid }) => other.query("UPDATE links SET state = 'deleted', version = 7 WHERE id = $1", [uuid]),
  ],
  [
    "moved elsewhere",
    async ({ uuid, slug }) => {
      await other.query("UPDATE links SET slug = slug || '-moved', version = 7 WHERE id = $1", [uuid]);
      await other.query("INSERT INTO retired_addresses (link_key, link_id, version) VALUES ($1, $2, 7)", [
        `${workspace.host}/${slug}`,
        uuid,
      ]);
    },
  ],
];

type Come = (slug: string) => Promise<number>;

const call = (target: string, body: object, headers = {}) => callApi(stage, target, { key, body, headers });
const url = "https://example.com/second";

const COMES: readonly (readonly [string, number, Come])[] = [
  ["create", 201, async (slug) => (await call("POST /api/v1/links", { slug, url })).status],
  [
    "upsert",
    201,
    async (slug) => (await call("POST /api/v1/links/upsert", { externalId: `x-${slug}`, slug, url })).status,
  ],
  [
    "slug change",
    200,
    async (slug) => {
      const { uuid } = await addLink(`${slug}-origin`);
      return (await call(`PATCH /api/v1/links/lnk_${uuid.replaceAll("-", "")}`, { slug })).status;
    },
  ],
];

describe.each(LEAVES)("a link that is %s while another comes to its address by", (how, leave) => {
  it.each(COMES)("%s: the newcomer starts above its tombstone", async (by, status, come) => {
    const slug = `${how} ${by}`.replaceAll(" ", "-");
    const link = await addLink(slug);
    expect(
      await interleave(
        () => leave(link),
        () => come(slug),
      ),
    ).toBe(status);
    await expectAbove(slug);
  });
});

describe("a list that finds an address free, while a link comes and goes there before its insert, by", () => {
  it.each([
    ["bulk", "POST /api/v1/links/bulk", (item: object) => ({ items: [item] })],
    ["bulk, all or nothing", "POST /api/v1/links/bulk", (item: object) => ({ items: [item], atomic: true })],
    ["import", "POST /api/v1/links/import", (item: object) => [item]],
  ])("%s: the newcomer starts above the tombstone", async (by, target, toBody) => {
    const slug = by.replaceAll(/[ ,]+/g, "-");
    const isHeld = holdInserts();
    const answer = call(target, toBody({ slug, url }));
    await isHeld;
    const link = await addLink(slug);
    await other.query("UPDATE links SET state = 'deleted', version = 7 WHERE id = $1", [link.uuid]);
    stage.endpoint.setFault(null);
    expect((await answer).status).toBe(200);
    await expectAbove(slug);
  });
});

it("the database refuses a version that is not above all others at its address, whoever writes it", async () => {
  const link = await addLink("refused");
  await other.query("UPDATE links SET state = 'deleted', version = 7 WHERE id = $1", [link.uuid]);
  await expect(addLink("refused", 7)).rejects.toMatchObject({ code: "HL001" });
  await expect(addLink("refused", 8)).resolves.toMatchObject({ slug: "refused" });
});

/** `leave` in an open transaction, which is committed once `come` waits for it. */
async function interleave<Answer>(
  leave: () => Promise<unknown>,
  come: () => Promise<Answer>,
): Promise<Answer> {
  await other.query("BEGIN");
  await leave();
  const coming = come();
  await expect.poll(async () => (await stage.client.query(COUNT_WAITING)).rows).toEqual([{ waiting: 1 }]);
  await other.query("COMMIT");
  return coming;
}

const COUNT_WAITING = `
  SELECT count(*)::int AS waiting FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Resolves when the API is about to insert; it goes on when the fault is taken back. */
function holdInserts(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  stage.endpoint.setFault(({ statements }) => {
    const isInsert = statements.some(({ query }) => query.includes("INSERT INTO links "));
    if (isInsert) {
      resolve();
    }
    return isInsert ? { kind: "hang" } : null;
  });
  return promise;
}

async function addLink(slug: string, version = 1): Promise<Stored> {
  const uuid = randomUUID();
  const first = "https://example.com/first";
  const record = encodeLinkRecord({ linkId: uuid, version, state: "live", url: first, redirectStatus: 302 });
  await stage.client.query(
    `INSERT INTO links (id, workspace_id, domain_id, slug, url, record, version) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [uuid, workspace.id, workspace.domainId, slug, first, record, version],
  );
  return { uuid, slug };
}

/** In the database, in KV and in what the isolates heard. */
async function expectAbove(slug: string): Promise<void> {
  const { rows } = await stage.client.query<{ record: string }>(
    "SELECT record FROM links WHERE domain_id = $1 AND slug = $2 AND state <> 'deleted'",
    [workspace.domainId, slug],
  );
  const address = linkKeyOf(workspace.host, slug);
  const texts = [rows[0]?.record, stage.edge.inKv.get(address), stage.edge.inFeed.get(address)?.recordText];
  for (const text of texts) {
    const decoded = decodeLinkRecord(text ?? "");
    expect(decoded.ok && decoded.value).toMatchObject({
      version: 8,
      url: expect.stringContaining("example"),
    });
  }
}

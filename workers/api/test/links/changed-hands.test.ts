/**
 * Versions at an address never go back, whatever happens between reading the highest one and writing the next. The other
 * editor is a separate connection, whose transaction is open while the API works.
 */
import { randomUUID } from "node:crypto";
import { linkKeyOf } from "@hopline/core/link/link-address";
import { decodeLinkRecord, encodeLinkRecord } from "@hopline/core/link/link-record";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";

const { stage, workspace, key } = await openKeyedStage("links:read", "links:write");
const other = new pg.Client({ connectionString: stage.databaseUrl });

beforeAll(() => other.connect());
afterAll(() => other.end());

type Leave = (link: Stored) => Promise<unknown>;
type Stored = { readonly uuid: string; readonly slug: string };

/** As version 7, far above what was read before. */
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

const call = (target: string, body: object) => callApi(stage, target, { key, body });
const url = "https://example.com/second";

it.each(LEAVES)(
  "a link that moves to the address of one that is just %s starts above its tombstone",
  async (how, leave) => {
    const slug = how.replaceAll(" ", "-");
    const link = await addLink(slug);
    const mover = await addLink(`${slug}-origin`);
    const move = () => call(`PATCH /api/v1/links/lnk_${mover.uuid.replaceAll("-", "")}`, { slug });
    expect((await interleave(() => leave(link), move)).status).toBe(200);
    await expectAbove(slug);
  },
);

it.each([
  ["create", "POST /api/v1/links", (item: object) => item],
  ["upsert", "POST /api/v1/links/upsert", (item: object) => ({ ...item, externalId: "upsert" })],
  ["bulk", "POST /api/v1/links/bulk", (item: object) => ({ items: [item] })],
  ["bulk, all or nothing", "POST /api/v1/links/bulk", (item: object) => ({ items: [item], atomic: true })],
  ["import", "POST /api/v1/links/import", (item: object) => [item]],
])(
  "%s starts above the tombstone of a link that comes and goes before its insert",
  async (by, target, toBody) => {
    const slug = by.replaceAll(/[ ,]+/g, "-");
    const isHeld = holdInserts();
    const answer = call(target, toBody({ slug, url }));
    await isHeld;
    const link = await addLink(slug);
    await other.query("UPDATE links SET state = 'deleted', version = 7 WHERE id = $1", [link.uuid]);
    stage.endpoint.setFault(null);
    expect([200, 201]).toContain((await answer).status);
    await expectAbove(slug);
  },
);

it("the database refuses a version that is not above all others at its address, whoever writes it", async () => {
  const link = await addLink("refused");
  await other.query("UPDATE links SET state = 'deleted', version = 7 WHERE id = $1", [link.uuid]);
  await expect(addLink("refused", 7)).rejects.toMatchObject({ code: "HL001" });
  await expect(addLink("refused", 8)).resolves.toMatchObject({ slug: "refused" });
});

/** Runs `leave` in an open transaction, and commits it once `come` waits for it. */
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

/** Resolves when the API is about to insert, and holds it until the fault is removed. */
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

/** In the database, in KV and in the change feed. */
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

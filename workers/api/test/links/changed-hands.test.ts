/**
 * Versions at an address never go back, whatever happens between reading the highest one and writing the next. The other
 * editor is a separate connection, whose transaction is open while the API works.
 */
import { randomUUID } from "node:crypto";
import { linkKeyOf } from "@hopline/core/link/link-address";
import { decodeLinkRecord, encodeLinkRecord, type UnversionedLink } from "@hopline/core/link/link-record";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { untilWaitingForLock } from "../../../../packages/db/test/lock-waits.ts";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";

const { stage, workspace, key } = await openKeyedStage("links:read", "links:write");
const other = new pg.Client({ connectionString: stage.databaseUrl });

beforeAll(() => other.connect());
afterAll(() => other.end());

type Stored = { readonly uuid: string; readonly slug: string };

/** As version 7, far above what was read before. */
const END = "UPDATE links SET state = 'deleted', version = 7 WHERE id = $1";

const call = (target: string, body: object) => callApi(stage, target, { key, body });
const url = "https://example.com/second";

it("a link that moves to the address of one that is just deleted starts above its tombstone", async () => {
  const link = await addLink("deleted");
  const mover = await addLink("deleted-origin");
  const move = () => call(`PATCH /api/v1/links/${idOf(mover)}`, { slug: link.slug });
  expect((await interleave(() => other.query(END, [link.uuid]), move)).status).toBe(200);
  await expectAbove(link.slug);
});

it("a link that moves to an address that is just becoming another's alias is refused", async () => {
  const link = await addLink("alias");
  const mover = await addLink("alias-origin");
  const leave = () => other.query("UPDATE links SET slug = slug || '-moved' WHERE id = $1", [link.uuid]);
  const move = () => call(`PATCH /api/v1/links/${idOf(mover)}`, { slug: link.slug });
  expect(await interleave(leave, move)).toMatchObject({ status: 409, body: { code: "slug_taken" } });
});

it("two links that swap their addresses at the same moment are both refused, and no deadlock is reported", async () => {
  const [one, two] = [await addLink("swap-one"), await addLink("swap-two")];
  const answers = await Promise.all([
    call(`PATCH /api/v1/links/${idOf(one)}`, { slug: two.slug }),
    call(`PATCH /api/v1/links/${idOf(two)}`, { slug: one.slug }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([409, 409]);
});

it("a link whose domain is just being deleted is told that, and not that its slug is taken", async () => {
  const host = `ends-${workspace.host}`;
  await other.query(
    "INSERT INTO domains (id, workspace_id, host, proof) VALUES (gen_random_uuid(), $1, $2, 'vouched')",
    [workspace.id, host],
  );
  const leave = () => other.query("UPDATE domains SET deleted_at = now() WHERE host = $1", [host]);
  const create = () => call("POST /api/v1/links", { url, slug: "late", domain: host });
  expect(await interleave(leave, create)).toMatchObject({ status: 422, body: { code: "no_domain" } });
});

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
    await other.query(END, [link.uuid]);
    stage.endpoint.setFault(null);
    expect([200, 201]).toContain((await answer).status);
    // What the publishing queue does after an import.
    await stage.publisher.publishDue({ maxChanges: 100, maxDurationMs: 1_000, nowMs: Date.now });
    await expectAbove(slug);
  },
);

describe("whoever writes to the database,", () => {
  it("a link starts above all earlier ones at its address, and its record says so", async () => {
    const link = await addLink("scripted");
    await other.query(END, [link.uuid]);
    const next = await addLink("scripted");
    const { rows } = await other.query(
      "SELECT links.version::int, addresses.version::int AS published, addresses.record FROM links JOIN addresses ON link_id = id WHERE links.slug = $1 AND state = 'live'",
      ["scripted"],
    );
    expect(rows).toEqual([
      { version: 8, published: 8, record: encodeLinkRecord({ ...recordOf(next.uuid), version: 8 }) },
    ]);
  });

  it("a new link at an address that leads elsewhere is skipped", async () => {
    const link = await addLink("held");
    await addLink("held");
    const { rows } = await other.query("SELECT id FROM links WHERE slug = 'held'");
    expect(rows).toEqual([{ id: link.uuid }]);
  });

  it("a tombstone is what the API's encoder would write", async () => {
    const link = await addLink("encoded");
    await other.query(END, [link.uuid]);
    const { rows } = await other.query<{ record: string }>(
      "SELECT record FROM addresses WHERE slug = 'encoded'",
    );
    expect(rows[0]?.record).toBe(
      encodeLinkRecord({ linkId: link.uuid, version: 7, state: "deleted", url: "", redirectStatus: 302 }),
    );
  });
});

/** Runs `leave` in an open transaction, and commits it once `come` waits for it. */
async function interleave<Answer>(
  leave: () => Promise<unknown>,
  come: () => Promise<Answer>,
): Promise<Answer> {
  await other.query("BEGIN");
  await leave();
  const coming = come();
  await untilWaitingForLock(stage.client);
  await other.query("COMMIT");
  return coming;
}

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

function idOf({ uuid }: Stored): string {
  return `lnk_${uuid.replaceAll("-", "")}`;
}

/** As the database keeps it: the version is in a column. */
function recordOf(linkId: string): UnversionedLink {
  return { linkId, state: "live", url: "https://example.com/first", redirectStatus: 302 };
}

async function addLink(slug: string): Promise<Stored> {
  const uuid = randomUUID();
  const record = recordOf(uuid);
  await stage.client.query(
    `INSERT INTO links (id, workspace_id, domain_id, slug, url, record) VALUES ($1, $2, $3, $4, $5, $6)`,
    [uuid, workspace.id, workspace.domainId, slug, record.url, encodeLinkRecord(record)],
  );
  return { uuid, slug };
}

/** In the database, in KV and in the change feed. */
async function expectAbove(slug: string): Promise<void> {
  const { rows } = await stage.client.query<{ record: string }>(
    "SELECT record FROM addresses WHERE host = $1 AND slug = $2",
    [workspace.host, slug],
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

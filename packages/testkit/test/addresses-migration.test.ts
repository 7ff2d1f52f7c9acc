/**
 * Migrations over the data of a release without addresses: what the edge is told, where the next owner starts (0021), and today's
 * version of each link (0030).
 */
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeDomainRecord } from "@hopline/core/link/domain-record";
import { decodeLinkRecord } from "@hopline/core/link/link-record";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabaseServer } from "../src/postgres/database-server.ts";
import { migrate } from "../src/postgres/migrate.ts";
import { inWorkspace } from "../src/workspace/workspace.ts";

const WORKSPACE = "0198f3c2-0000-7000-8000-000000000001";
const [PLAIN, SET] = ["0198f3c2-0000-7000-8000-0000000000d1", "0198f3c2-0000-7000-8000-0000000000d2"];
const idOf = (n: number) => `0198f3c2-0000-7000-8000-00000000000${n}`;
const recordOf = (id: string, version: number, state = "live") =>
  JSON.stringify({
    format: 1,
    link: id,
    version,
    state,
    url: state === "live" ? "https://a.example/" : "",
    status: 302,
  });

const directory = mkdtempSync(join(tmpdir(), "hopline-migrations-"));
const server = await openDatabaseServer();
const database = await server.createScratchDatabase();
const client = new pg.Client({ connectionString: database.url });

beforeAll(async () => {
  for (const name of readdirSync(inWorkspace("migrations")).filter((file) => file < "0020")) {
    cpSync(join(inWorkspace("migrations"), name), join(directory, name));
  }
  await migrate(database.url, { directory, onProgress: () => undefined });
  await client.connect();
  await fill();
  await migrate(database.url, { directory: inWorkspace("migrations"), onProgress: () => undefined });
});

afterAll(async () => {
  await client.end();
  await database.drop();
  await server.stop();
  rmSync(directory, { recursive: true });
});

/** A link that was deleted and followed by another; one that moved away; one at an address that another has left. */
async function fill(): Promise<void> {
  await client.query("INSERT INTO workspaces (id, name) VALUES ($1, 'Before')", [WORKSPACE]);
  await client.query(
    `INSERT INTO domains (id, workspace_id, host, version, record, arrivals) VALUES
     ($1, $3, 'plain.example', 1, NULL, 7), ($2, $3, 'set.example', 4, '{"format":1,"domain":"x","version":4,"root":"https://r.example/"}', 0)`,
    [PLAIN, SET, WORKSPACE],
  );
  const links = [
    [idOf(1), "reused", "deleted", 6],
    [idOf(2), "reused", "live", 7],
    [idOf(3), "moved-to", "live", 3],
    [idOf(4), "ended", "deleted", 9],
    [idOf(5), "taken-over", "live", 5],
  ] as const;
  for (const [id, slug, state, version] of links) {
    await client.query(
      `INSERT INTO links (id, workspace_id, domain_id, slug, url, state, version, record)
       VALUES ($1, $2, $3, $4, 'https://a.example/', $5, $6, $7)`,
      [id, WORKSPACE, PLAIN, slug, state, version, recordOf(id, version, state)],
    );
  }
  await client.query("UPDATE links SET follows_domain_status = true WHERE id = $1", [idOf(3)]);
  await client.query(`UPDATE domains SET settings = '{"redirectStatus":308}' WHERE id = $1`, [SET]);
  await client.query(
    `INSERT INTO retired_addresses (link_key, link_id, version) VALUES
     ('plain.example/moved-from', $1, 3), ('plain.example/taken-over', $1, 4), ('gone.example/old', $1, 8)`,
    [idOf(3)],
  );
  await client.query(
    `INSERT INTO link_outbox (link_key, link_id, version, record, published_at) VALUES
     ('plain.example/taken-over', $1, 5, $2, NULL), ('plain.example/reused', $3, 7, $4, now())`,
    [idOf(5), recordOf(idOf(5), 5), idOf(2), recordOf(idOf(2), 7)],
  );
  await client.query("UPDATE links SET updated_at = now() - interval '1 day'");
  await client.query(
    `INSERT INTO click_events (event_id, clicked_at, link_id, link_version, source, class, classifier_version)
     SELECT gen_random_uuid(), now() - n * interval '1 hour', $1, 9, 'link', 'human', 1 FROM generate_series(1, 50) AS n`,
    [idOf(4)],
  );
}

async function addressOf(key: string) {
  const { rows } = await client.query(
    `SELECT version::int, link_id, ended_at IS NOT NULL AS "isFree", record FROM addresses WHERE host || '/' || slug = $1`,
    [key],
  );
  return rows[0];
}

describe("an address from before", () => {
  it.each([
    ["reused", 7, idOf(2), false],
    ["moved-from", 3, idOf(3), true],
    ["ended", 9, idOf(4), true],
    ["taken-over", 5, idOf(5), false],
  ])(
    "%s keeps its highest version, %i, and what was published in it",
    async (slug, version, linkId, isFree) => {
      const record = recordOf(linkId, version, isFree ? "deleted" : "live");
      expect(await addressOf(`plain.example/${slug}`)).toEqual({ version, link_id: linkId, isFree, record });
    },
  );

  it("of a domain that is gone keeps its version for whoever adds the host", async () => {
    expect(await addressOf("gone.example/old")).toMatchObject({ version: 8, isFree: true });
  });

  it("with a domain's settings has them, and a plain domain has a record that says so", async () => {
    expect(await addressOf("set.example/@")).toMatchObject({ version: 5, link_id: SET });
    const record = `{"format":1,"domain":"${PLAIN}","version":1}`;
    expect(await addressOf("plain.example/@")).toEqual({ version: 1, link_id: PLAIN, isFree: false, record });
    expect(await addressOf("plain.example/*")).toMatchObject({ version: 7, record: "" });
  });
});

it("links that follow their domain's status say so from now on, and are published again, as domains are", async () => {
  const follower = await addressOf("plain.example/moved-to");
  expect(follower).toMatchObject({ version: 4 });
  const decoded = decodeLinkRecord(follower?.record ?? "");
  expect(decoded.ok && decoded.value).toMatchObject({ followsDomain: true, redirectStatus: 302, version: 4 });
  const domain = decodeDomainRecord((await addressOf("set.example/@"))?.record ?? "");
  expect(domain.ok && domain.value).toMatchObject({
    redirectStatus: 308,
    version: 5,
    rootUrl: "https://r.example/",
  });
});

it("what waits to be published keeps waiting; links that are published again spare the day's writes and come after edits", async () => {
  const { rows } = await client.query(
    "SELECT kind, key, (payload ->> 'version')::int AS version, payload -> 'isPublished' AS done FROM work WHERE kind LIKE 'publish%' ORDER BY key",
  );
  expect(rows).toEqual([
    { kind: "publish", key: "plain.example/@", version: 1, done: null },
    { kind: "publish-import", key: "plain.example/moved-to", version: 4, done: null },
    { kind: "publish", key: "plain.example/reused", version: 7, done: true },
    { kind: "publish", key: "plain.example/taken-over", version: 5, done: null },
    { kind: "publish", key: "set.example/@", version: 5, done: null },
  ]);
});

it("links of any state have today's version, with its destination", async () => {
  const { rows } = await client.query(
    `SELECT right(link_id::text, 1)::int AS n, link_versions.version::int, destination, link_versions.created_at = updated_at AS "isOfLastUpdate",
       link_versions.state ->> 'state' AS state
     FROM link_versions JOIN links ON links.id = link_id ORDER BY n`,
  );
  const versionOf = (n: number, version: number, state: string) => ({
    n,
    version,
    state,
    destination: "https://a.example/",
    isOfLastUpdate: true,
  });
  expect(rows).toEqual([
    versionOf(1, 6, "deleted"),
    versionOf(2, 7, "live"),
    versionOf(3, 4, "live"),
    versionOf(4, 9, "deleted"),
    versionOf(5, 5, "live"),
  ]);
});

it("clicks stay, and so does the deleted link that they are shown with", async () => {
  const { rows } = await client.query(
    "SELECT count(*)::int AS clicks, min(slug) AS slug FROM click_events JOIN links ON links.id = link_id",
  );
  expect(rows).toEqual([{ clicks: 50, slug: "ended" }]);
});

it("the next link at each address starts above", async () => {
  for (const [n, slug] of ["moved-from", "ended"].entries()) {
    const id = idOf(6 + n);
    await client.query(
      `INSERT INTO links (id, workspace_id, domain_id, slug, url, record) VALUES ($1, $2, $3, $4, 'https://b.example/', $5)`,
      [id, WORKSPACE, PLAIN, slug, recordOf(id, 1)],
    );
  }
  expect(await addressOf("plain.example/moved-from")).toMatchObject({
    version: 4,
    record: recordOf(idOf(6), 4),
  });
  expect(await addressOf("plain.example/ended")).toMatchObject({
    version: 10,
    record: recordOf(idOf(7), 10),
  });
});

it("an edit by the release before keeps the address up to date", async () => {
  await client.query("UPDATE links SET version = 5, record = $2 WHERE id = $1", [
    idOf(3),
    recordOf(idOf(3), 5),
  ]);
  expect(await addressOf("plain.example/moved-to")).toMatchObject({
    version: 5,
    record: recordOf(idOf(3), 5),
  });
});

import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { decodeLinkRecord } from "@hopline/core/link/link-record";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { migrate } from "../src/postgres/migrate.ts";
import { createScratchDatabase, type ScratchDatabase } from "../src/postgres/scratch-database.ts";
import { seedDemo } from "../src/stack/seed.ts";
import { inWorkspace } from "../src/workspace/workspace.ts";

const HOST = "127.0.0.1:8787";
let database: ScratchDatabase;
let client: pg.Client;
let stateDirectory: string;

beforeAll(async () => {
  database = await createScratchDatabase(process.env["DATABASE_URL"] ?? "");
  await migrate(database.url, { directory: inWorkspace("migrations"), onProgress: () => undefined });
  client = new pg.Client(database.url);
  await client.connect();
  stateDirectory = mkdtempSync(join(tmpdir(), "hopline-seed-"));
});
afterAll(async () => {
  await client.end();
  await database.drop();
  rmSync(stateDirectory, { recursive: true, force: true });
});
beforeEach(() => client.query("TRUNCATE workspaces, domains, links, api_keys CASCADE"));

const seed = (host = HOST) => seedDemo({ databaseUrl: database.url, stateDirectory, host });

async function countRows(): Promise<unknown> {
  const { rows } = await client.query(
    "SELECT (SELECT count(*)::int FROM domains) AS domains, (SELECT count(*)::int FROM links) AS links, (SELECT count(*)::int FROM api_keys) AS keys",
  );
  return rows[0];
}

describe("the demo data", () => {
  it("has links whose published record says what the row says", async () => {
    await seed();
    const { rows } = await client.query(
      "SELECT id, url, version, in_version(record, version) AS record FROM links",
    );
    expect(rows).toHaveLength(4);
    for (const { id, url, version, record } of rows) {
      expect(decodeLinkRecord(record)).toEqual({
        ok: true,
        value: { linkId: id, version: Number(version), state: "live", url, redirectStatus: 302 },
      });
    }
  });

  it("has one key, in the form the API accepts, of which the database knows only the hash", async () => {
    const { apiKey } = await seed();
    expect(apiKey).toMatch(/^hop_[A-Za-z0-9]{32}$/);
    const { rows } = await client.query("SELECT key_hash FROM api_keys");
    expect(rows[0].key_hash).toEqual(createHash("sha256").update(apiKey).digest());
    const path = join(stateDirectory, "demo-api-key");
    expect(readFileSync(path, "utf8").trim()).toBe(apiKey);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("is the same after a second start, and keeps what was edited meanwhile", async () => {
    const first = await seed();
    await client.query("UPDATE links SET title = 'Mine', version = 2 WHERE slug = 'hello'");
    const before = await countRows();
    expect(await seed()).toEqual(first);
    expect(await countRows()).toEqual(before);
    const { rows } = await client.query("SELECT title FROM links WHERE slug = 'hello'");
    expect(rows).toEqual([{ title: "Mine" }]);
  });

  it.each([
    ["revoked", "revoked_at = now()"],
    ["expired", "expires_at = now()"],
  ])("has another key at the next start after the first one was %s", async (_what, change) => {
    const { apiKey } = await seed();
    await client.query(`UPDATE api_keys SET ${change}`);
    const next = await seed();
    expect(next.apiKey).not.toBe(apiKey);
    const { rows } = await client.query("SELECT key_hash, revoked_at, expires_at FROM api_keys");
    const hash = createHash("sha256").update(next.apiKey).digest();
    expect(rows).toEqual([{ key_hash: hash, revoked_at: null, expires_at: null }]);
    expect(await seed()).toEqual(next);
  });

  it("moves its domain to another port, with its links, and says where from", async () => {
    expect((await seed()).movedFrom).toBeNull();
    expect((await seed("127.0.0.1:9000")).movedFrom).toBe(HOST);
    const { rows } = await client.query("SELECT host FROM domains");
    expect(rows).toEqual([{ host: "127.0.0.1:9000" }]);
  });

  it("leaves a domain alone that somebody else has", async () => {
    await client.query(`INSERT INTO workspaces (id, name) VALUES (gen_random_uuid(), 'Other')`);
    await client.query(
      `INSERT INTO domains (id, workspace_id, host, proof) SELECT gen_random_uuid(), id, $1, 'vouched' FROM workspaces`,
      [HOST],
    );
    await expect(seed()).rejects.toThrow(/belongs to another workspace/);
  });
});

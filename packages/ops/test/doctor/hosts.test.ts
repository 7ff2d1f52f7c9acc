/** Hosts from before they had to be proved: what the migration makes of them, and what the doctor says. */
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { migrate } from "@hopline/testkit/postgres/migrate";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readDatabase } from "../../src/doctor/judge-database.ts";
import { createKey } from "../../src/operate/create-key.ts";

const WORKSPACES = ["00000000-0000-7000-8000-00000000000a", "00000000-0000-7000-8000-00000000000b"] as const;
const server = await openDatabaseServer();
const scratch = await server.createScratchDatabase();
const earlier = await mkdtemp(join(tmpdir(), "hopline-migrations-"));
const client = new pg.Client({ connectionString: scratch.url });

afterAll(async () => {
  await client.end();
  await rm(earlier, { recursive: true });
  await scratch.drop();
  await server.stop();
});

beforeAll(async () => {
  for (const name of (await readdir(inWorkspace("migrations"))).filter((file) => file < "0022")) {
    await cp(inWorkspace(`migrations/${name}`), join(earlier, name));
  }
  await migrate(scratch.url, { directory: earlier, onProgress: () => undefined });
  await client.connect();
  await client.query("INSERT INTO workspaces (id, name) SELECT unnest($1::uuid[]), 'Acme'", [
    [...WORKSPACES],
  ]);
  await client.query(
    "INSERT INTO domains (id, workspace_id, host) VALUES (gen_random_uuid(), $1, 'go.example.com'), (gen_random_uuid(), $2, 'www.google.com')",
    [...WORKSPACES],
  );
});

it("stay in use, each with a token of its own, and are listed until the operator vouches for them", async () => {
  expect(await readDatabase(scratch.url)).toMatchObject({ unprovedHosts: [], losingHosts: [] });
  await migrate(scratch.url, { directory: inWorkspace("migrations"), onProgress: () => undefined });
  const { rows } = await client.query<{ proof: string; proof_token: string }>(
    "SELECT proof, proof_token FROM domains",
  );
  expect(rows.map(({ proof }) => proof)).toEqual(["vouched", "vouched"]);
  expect(new Set(rows.map((row) => row.proof_token)).size).toBe(2);
  const ids = WORKSPACES.map((id) => `ws_${id.replaceAll("-", "")}`);
  expect(await readDatabase(scratch.url)).toMatchObject({
    unprovedHosts: [`go.example.com (${ids[0]})`, `www.google.com (${ids[1]})`],
  });
  const workspace = { id: ids[0] ?? "" };
  await createKey(scratch.url, { workspace, name: "Key", scopes: ["admin"], domain: "go.example.com" });
  await client.query(
    "UPDATE domains SET proof = 'dns', proved_at = now(), missing_since = now() WHERE host LIKE 'www%'",
  );
  expect(await readDatabase(scratch.url)).toMatchObject({
    unprovedHosts: [],
    losingHosts: [`www.google.com (${ids[1]})`],
  });
});

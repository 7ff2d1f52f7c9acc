/** Hosts that a person vouched for by hand, or that lose their proof: what the doctor says. */
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
const client = new pg.Client({ connectionString: scratch.url });

afterAll(async () => {
  await client.end();
  await scratch.drop();
  await server.stop();
});

beforeAll(async () => {
  await migrate(scratch.url, { directory: inWorkspace("migrations"), onProgress: () => undefined });
  await client.connect();
  await client.query("INSERT INTO workspaces (id, name) SELECT unnest($1::uuid[]), 'Acme'", [
    [...WORKSPACES],
  ]);
  await client.query(
    "INSERT INTO domains (id, workspace_id, host, proof) VALUES (gen_random_uuid(), $1, 'go.example.com', 'vouched'), (gen_random_uuid(), $2, 'www.google.com', 'vouched')",
    [...WORKSPACES],
  );
});

it("stay in use, each with a token of its own, and are listed until `pnpm keys` vouches for them", async () => {
  const { rows } = await client.query<{ proof_token: string }>("SELECT proof_token FROM domains");
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

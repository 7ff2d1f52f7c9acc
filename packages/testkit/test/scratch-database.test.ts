import pg from "pg";
import { afterEach, expect, it, vi } from "vitest";

import { openDatabaseServer } from "../src/postgres/database-server.ts";
import { createScratchDatabase } from "../src/postgres/scratch-database.ts";
import { queryOnce } from "./query-once.ts";

const serverUrl = process.env["DATABASE_URL"] ?? "";
afterEach(() => vi.unstubAllEnvs());

it("makes a separate empty database for each of many callers at once", async () => {
  const databases = await Promise.all(Array.from({ length: 8 }, () => createScratchDatabase(serverUrl)));
  await Promise.all(databases.map((database) => queryOnce(database.url, "CREATE TABLE same_name (n int)")));
  expect(new Set(databases.map((database) => database.name)).size).toBe(8);
  await Promise.all(databases.map((database) => database.drop()));
  const left = await queryOnce(serverUrl, "SELECT datname FROM pg_database");
  for (const { name } of databases) {
    expect(left).not.toContainEqual({ datname: name });
  }
});

it("drops a database that somebody is still connected to, and does not mind being asked twice", async () => {
  const database = await createScratchDatabase(serverUrl);
  const client = new pg.Client(database.url);
  const lost = new Promise<unknown>((resolve) => client.on("error", resolve));
  await client.connect();
  await database.drop();
  await expect(lost).resolves.toBeInstanceOf(Error);
  await database.drop();
});

it("uses the server that DATABASE_URL names and leaves it running", async () => {
  const server = await openDatabaseServer();
  expect(server.label).toMatch(/^Postgres \d+\.\d+ on .* \(DATABASE_URL\)$/);
  expect(server.label).not.toContain("@");
  await server.stop();
  expect(await queryOnce(serverUrl, "SELECT 1 AS n")).toEqual([{ n: 1 }]);
});

it.each([
  ["nonsense", /DATABASE_URL is not a Postgres address/],
  ["mysql://u:sekret@127.0.0.1/x", /DATABASE_URL is not a Postgres address/],
  ["postgresql://u:sekret@127.0.0.1:1/x", /The database at 127\.0\.0\.1:1\/x cannot be reached/],
])("says what is wrong with %s and not the password", async (url, message) => {
  vi.stubEnv("DATABASE_URL", url);
  const opening = openDatabaseServer();
  await expect(opening).rejects.toThrow(message);
  await opening.catch((error: unknown) => expect(String(error)).not.toContain("sekret"));
});

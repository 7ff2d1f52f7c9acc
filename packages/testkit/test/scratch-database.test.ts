import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";

import { type DatabaseServer, openDatabaseServer } from "../src/postgres/database-server.ts";
import { queryOnce } from "./query-once.ts";
import { openTestServer } from "./test-server.ts";

let server: DatabaseServer;
beforeAll(async () => {
  server = await openTestServer();
});
afterAll(() => server.stop());

it("makes a separate empty database for each of many callers at once", async () => {
  const databases = await Promise.all(Array.from({ length: 8 }, () => server.createScratchDatabase()));
  await Promise.all(databases.map((database) => queryOnce(database.url, "CREATE TABLE same_name (n int)")));
  expect(new Set(databases.map((database) => database.name)).size).toBe(8);
  await Promise.all(databases.map((database) => database.drop()));
  const left = await queryOnce(server.url, "SELECT datname FROM pg_database");
  for (const { name } of databases) {
    expect(left).not.toContainEqual({ datname: name });
  }
});

it("drops a database that somebody is still connected to, and does not mind being asked twice", async () => {
  const database = await server.createScratchDatabase();
  const client = new pg.Client(database.url);
  const lost = new Promise<unknown>((resolve) => client.on("error", resolve));
  await client.connect();
  await database.drop();
  await expect(lost).resolves.toBeInstanceOf(Error);
  await database.drop();
});

it("uses the server that DATABASE_URL names and leaves it running", async () => {
  const options = { environment: { DATABASE_URL: server.url }, durable: false, onLog: () => undefined };
  const second = await openDatabaseServer(options);
  expect(second.embedded).toBeNull();
  expect(second.label).toMatch(/^Postgres \d+\.\d+ on .* \(DATABASE_URL\)$/);
  expect(second.label).not.toContain("@");
  await second.stop();
  expect(await queryOnce(server.url, "SELECT 1 AS n")).toEqual([{ n: 1 }]);
});

it.each([
  ["nonsense", /DATABASE_URL is not a Postgres address/],
  ["mysql://u:sekret@127.0.0.1/x", /DATABASE_URL is not a Postgres address/],
  ["postgresql://u:sekret@127.0.0.1:1/x", /The database at 127\.0\.0\.1:1\/x cannot be reached/],
])("says what is wrong with %s and not the password", async (url, message) => {
  const opening = openDatabaseServer({
    environment: { DATABASE_URL: url },
    durable: false,
    onLog: () => undefined,
  });
  await expect(opening).rejects.toThrow(message);
  await opening.catch((error: unknown) => expect(String(error)).not.toContain("sekret"));
});

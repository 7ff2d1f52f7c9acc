/** Holds the drizzle schema to the migrations: every column it names stands in the database, with the same nullability. */
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { migrate } from "@hopline/testkit/postgres/migrate";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import pg from "pg";
import { expect, it } from "vitest";
import * as schema from "../src/schema.ts";

it("names only columns that the migrations make, and knows which may be null", async () => {
  const server = await openDatabaseServer({
    environment: process.env,
    durable: false,
    onLog: () => undefined,
  });
  const scratch = await server.createScratchDatabase();
  const client = new pg.Client({ connectionString: scratch.url });
  try {
    await migrate(scratch.url, { directory: inWorkspace("migrations"), onProgress: () => undefined });
    await client.connect();
    for (const table of Object.values(schema).filter((value) => is(value, PgTable))) {
      const columns = await client.query<{ column_name: string; is_nullable: string }>(
        "SELECT column_name, is_nullable FROM information_schema.columns WHERE table_name = $1",
        [getTableName(table)],
      );
      const inDatabase = new Map(columns.rows.map((row) => [row.column_name, row.is_nullable === "YES"]));
      for (const column of Object.values(getTableColumns(table))) {
        expect([getTableName(table), column.name, inDatabase.get(column.name)]).toEqual([
          getTableName(table),
          column.name,
          !column.notNull,
        ]);
      }
    }
  } finally {
    await client.end();
    await scratch.drop();
    await server.stop();
  }
});

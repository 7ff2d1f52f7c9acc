/** Compares the drizzle schema with the migrations. */
import { readFileSync } from "node:fs";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import { expect, it } from "vitest";
import * as schema from "../src/schema.ts";
import { useDbStage } from "./db-stage.ts";

const { select } = useDbStage();

const tables = Object.values(schema).filter((value) => is(value, PgTable));

it("names only columns that the migrations create, with the same nullability", async () => {
  for (const table of tables) {
    const name = getTableName(table);
    const columns = await select(
      "SELECT column_name, is_nullable FROM information_schema.columns WHERE table_name = $1",
      [name],
    );
    const isNullable = new Map(columns.map((row) => [row["column_name"], row["is_nullable"] === "YES"]));
    for (const column of Object.values(getTableColumns(table))) {
      expect([name, column.name, isNullable.get(column.name)]).toEqual([name, column.name, !column.notNull]);
    }
  }
});

it("names every table that the API's role may write", async () => {
  const written = await select(
    `SELECT DISTINCT table_name FROM information_schema.role_table_grants
     WHERE grantee = 'hopline_api' AND privilege_type IN ('INSERT', 'UPDATE', 'DELETE')`,
  );
  expect(written.length).toBeGreaterThan(20);
  const names = new Set<unknown>(tables.map((table) => getTableName(table)));
  expect(written.map((row) => row["table_name"]).filter((name) => !names.has(name))).toEqual([]);
});

it("has the triggers that migrations/README.md lists, in the order in which they run", async () => {
  const page = readFileSync(inWorkspace("migrations/README.md"), "utf8");
  const listed = [...page.matchAll(/^\| `(\w+)` +\| `(\w+)` +\|/gm)].map(([, table, trigger]) => ({
    table,
    trigger,
  }));
  const found = await select(
    `SELECT relname AS table, tgname AS trigger FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
     WHERE NOT tgisinternal AND relnamespace = 'public'::regnamespace AND tgname NOT LIKE 'ts\\_%'
     ORDER BY relname, tgdeferrable, tgtype::int & 2 = 0, tgtype::int & 1 = 0, tgname`,
  );
  expect(listed).toEqual(found);
});

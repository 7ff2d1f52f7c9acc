/** Compares the drizzle schema with the migrations. */
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import { expect, it } from "vitest";
import * as schema from "../src/schema.ts";
import { useDbStage } from "./db-stage.ts";

const { select } = useDbStage();

it("names only columns that the migrations create, with the same nullability", async () => {
  for (const table of Object.values(schema).filter((value) => is(value, PgTable))) {
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

import { sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { describe, expect, it } from "vitest";
import type { Question } from "../../src/engine.ts";
import { countBreakdowns } from "../../src/postgres/breakdowns.ts";
import { createStatementTables } from "../../src/postgres/statement-tables.ts";

const dialect = new PgDialect();
const textOf = (query: Parameters<typeof dialect.sqlToQuery>[0]) => dialect.sqlToQuery(query).sql;

describe("the tables of a statement", () => {
  it("run once for identical queries", () => {
    const tables = createStatementTables();
    const first = tables.add("links_of", sql`SELECT ${1}::int`);
    const again = tables.add("links_of", sql`SELECT ${1}::int`);
    expect(textOf(sql`${tables.toWith()}SELECT FROM ${first}, ${again}`)).toBe(
      "WITH links_of_0 AS MATERIALIZED (SELECT $1::int) SELECT FROM links_of_0, links_of_0",
    );
  });

  it("are two if only a parameter differs", () => {
    const tables = createStatementTables();
    const names = [1, 2].map((value) => tables.add("links_of", sql`SELECT ${value}::int`));
    expect(names.map(textOf)).toEqual(["links_of_0", "links_of_1"]);
    expect(dialect.sqlToQuery(tables.toWith()).params).toEqual([1, 2]);
  });

  it("are in the order in which they were added, so that one may read those before it", () => {
    const tables = createStatementTables();
    const inner = tables.add("inner", sql`SELECT 1 AS one`);
    tables.add("outer", sql`SELECT one FROM ${inner}`);
    tables.add("inner", sql`SELECT 1 AS one`);
    expect(textOf(tables.toWith())).toBe(
      "WITH inner_0 AS MATERIALIZED (SELECT 1 AS one), outer_1 AS MATERIALIZED (SELECT one FROM inner_0) ",
    );
  });

  it("are inlined if only one part reads them", () => {
    const tables = createStatementTables();
    tables.add("events", sql`SELECT 1`, { isInlinedIfReadOnce: true });
    expect(textOf(tables.toWith())).toBe("WITH events_0 AS (SELECT 1) ");
  });

  it("are not compared if only one part has them", () => {
    const tables = createStatementTables();
    const names = [1, 2].map(() => tables.addOwn("counted", sql`SELECT 1`));
    expect(names.map(textOf)).toEqual(["counted_0", "counted_1"]);
  });

  it("give no WITH if there are none", () => {
    expect(textOf(sql`${createStatementTables().toWith()}SELECT 1`)).toBe("SELECT 1");
  });
});

describe("a screen of a country", () => {
  const question: Question = {
    workspaceId: "0198f3c2-0000-7000-8000-000000000000",
    // In no zone are these midnights.
    range: { fromMs: Date.UTC(2026, 6, 1, 0, 7), toMs: Date.UTC(2026, 7, 1, 0, 7) },
    filters: [{ dimension: "country", is: ["DE"], isNot: [] }],
  };

  it("reads the clicks at the ends of its range once for all its lists", () => {
    const { query } = countBreakdowns(
      (["referrer", "city", "browser", "device"] as const).map((dimension) => ({
        kind: "breakdown",
        question,
        dimension,
        limit: 10,
        search: "",
        visitors: false,
        startsMs: null,
      })),
    );
    // One for quarters of an hour, one for less; and for each list the days that are not in the cube.
    expect(textOf(query).split("FROM click_events")).toHaveLength(1 + 2 + 4);
  });
});

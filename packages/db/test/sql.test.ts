import { describe, expect, it } from "vitest";
import { sql, type SqlValue, toStatement } from "../src/sql.ts";

describe("a statement", () => {
  it("has its values as parameters, in order", () => {
    expect(toStatement(sql`SELECT ${1}::int, ${"a"}::text WHERE ${true} AND ${null}::text IS NULL`)).toEqual({
      text: "SELECT $1::int, $2::text WHERE $3 AND $4::text IS NULL",
      parameters: [1, "a", true, null],
    });
  });

  it("never takes a value for text, whatever is in it", () => {
    const hostile = "'; DROP TABLE links; -- $1 \\ ${x}";
    expect(toStatement(sql`SELECT ${hostile}`)).toEqual({ text: "SELECT $1", parameters: [hostile] });
  });

  it("numbers the parameters of nested parts through", () => {
    const isIn = (ids: readonly string[]) => sql`id = ANY(${ids}::uuid[])`;
    const where = sql`workspace_id = ${"w"} AND ${isIn(["a", "b"])}`;
    expect(toStatement(sql`SELECT ${1} FROM links WHERE ${where} LIMIT ${2}`)).toEqual({
      text: "SELECT $1 FROM links WHERE workspace_id = $2 AND id = ANY($3::uuid[]) LIMIT $4",
      parameters: [1, "w", "{a,b}", 2],
    });
  });

  it("sends an array once that is in several places", () => {
    const ids = ["a"];
    expect(toStatement(sql`SELECT ${ids}::uuid[], ${["a"]}::text[], ${ids}::uuid[], ${1}, ${1}`)).toEqual({
      text: "SELECT $1::uuid[], $2::text[], $1::uuid[], $3, $4",
      parameters: ["{a}", "{a}", 1, 1],
    });
  });

  it("writes arrays as Postgres reads them", () => {
    const parameterOf = (array: readonly SqlValue[]) => toStatement(sql`${array}`).parameters[0];
    expect(parameterOf([1, -2.5, null, 3n, true])).toBe("{1,-2.5,NULL,3,true}");
    expect(parameterOf(["null", "", "a b", 'a"b', "a\\b", "a,b", "{}", "é", "https://a.example/-_"])).toBe(
      String.raw`{"null","","a b","a\"b","a\\b","a,b","{}","é",https://a.example/-_}`,
    );
    expect(parameterOf([["a"], ["b"]])).toBe("{{a},{b}}");
    expect(parameterOf([])).toBe("{}");
  });

  it("is joined from parts, and from none", () => {
    const comma = sql`, `;
    const parts = ["a", "b", "c"].map((value) => sql`(${value})`);
    expect(toStatement(sql`VALUES ${sql.join(parts, comma)}`)).toEqual({
      text: "VALUES ($1), ($2), ($3)",
      parameters: ["a", "b", "c"],
    });
    expect(toStatement(sql`SELECT${sql.join([], comma)}`)).toEqual({ text: "SELECT", parameters: [] });
  });

  it("has identifiers in quotes, and refuses those that could be anything else", () => {
    expect(toStatement(sql`SELECT ${sql.identifier("linkId")}`).text).toBe('SELECT "linkId"');
    for (const name of ['a"', "a b", "", "a-b", "a;", "é"]) {
      expect(() => sql.identifier(name)).toThrow(/letters, digits/);
    }
  });

  it("is made by the tag only", () => {
    // @ts-expect-error a text is no statement
    expect(() => toStatement("SELECT 1")).toThrow(TypeError);
    // @ts-expect-error nor is what looks like one
    expect(() => toStatement({ text: "SELECT 1", parameters: [] })).toThrow(TypeError);
    // @ts-expect-error and no value is missing
    expect(toStatement(sql`SELECT ${undefined}`).parameters).toEqual([undefined]);
  });
});

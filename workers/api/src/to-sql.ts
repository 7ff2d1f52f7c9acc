/** From the tag of `packages/db` to drizzle, and what drizzle lacks. */
import { type Sql, toStatement } from "@hopline/db/sql";
import { type Column, type SQL, sql } from "drizzle-orm";

/** A statement of `packages/db`, or a part of one, as drizzle knows them. */
export function toSql(statement: Sql): SQL {
  const { text, parameters } = toStatement(statement);
  const parts = text.split(/\$(\d+)/);
  return sql.join(
    parts.map((part, index) =>
      index % 2 === 0 ? sql.raw(part) : sql`${sql.param(parameters[Number(part) - 1])}`,
    ),
  );
}

/** With one parameter for all values: `inArray` makes one of each, and another statement of each number of them. */
export function isOneOf(column: Column, values: readonly string[]): SQL {
  return sql`${column} = ANY(${sql.param([...values])})`;
}

/** The functions of packages/db over a test's own connection, with the rights of the tables' owner. */
import type { RunSql } from "@hopline/db/neon-client";
import { toStatement } from "@hopline/db/sql";
import type { ClientBase } from "pg";

export function runSqlOf(client: ClientBase): RunSql {
  return async (statement) => {
    const { text, parameters } = toStatement(statement);
    return (await client.query<Record<string, unknown>>(text, [...parameters])).rows;
  };
}

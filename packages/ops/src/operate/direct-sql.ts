/** Runs the statements of @hopline/db over a plain connection, for commands: the same rows as over the Neon driver. */
import type { RunSql } from "@hopline/db/neon-client";
import pg from "pg";

import { explainConnection, toClientConfig } from "@hopline/testkit/postgres/database-url";
import { Failure } from "@hopline/testkit/console/failure";

/** Opens the database that DATABASE_URL names, for as long as `work` runs. What stands in the way is a Failure. */
export async function withDirectSql<T>(usage: string, work: (runSql: RunSql) => Promise<T>): Promise<T> {
  const databaseUrl = process.env["DATABASE_URL"] ?? "";
  if (databaseUrl === "") {
    throw new Failure(`DATABASE_URL is not set. Usage: DATABASE_URL=postgresql://… ${usage}`);
  }
  const client = new pg.Client(toClientConfig(databaseUrl));
  client.on("error", () => undefined);
  await client.connect().catch((error: unknown) => {
    throw explainConnection(databaseUrl, error);
  });
  try {
    return await work(async (statement, parameters, timeoutMs) => {
      await client.query(`SET statement_timeout = ${Math.ceil(timeoutMs)}`);
      return (await client.query<Record<string, unknown>>(statement, [...parameters])).rows;
    });
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === "42P01") {
      throw new Failure("This database lacks a table of Hopline's: run `pnpm migrate` first.", {
        cause: error,
      });
    }
    throw error;
  } finally {
    await client.end();
  }
}

/** Looks at a database for the doctor: reads only, and asks for nothing that a missing table would spoil. */
import pg from "pg";

import { describeDatabase, explainConnection, toClientConfig } from "@hopline/testkit/postgres/database-url";
import { readCapabilities } from "@hopline/testkit/postgres/server-capabilities";
import type { DatabaseFacts } from "./judge-database.ts";

const HYPERTABLE = "SELECT 1 FROM timescaledb_information.hypertables WHERE hypertable_name = 'click_events'";

/** Rejects with a `Failure` when the server cannot be reached. */
export async function readDatabase(databaseUrl: string): Promise<DatabaseFacts> {
  const client = new pg.Client(toClientConfig(databaseUrl));
  client.on("error", () => undefined);
  await client.connect().catch((error: unknown) => {
    throw explainConnection(databaseUrl, error);
  });
  try {
    const capabilities = await readCapabilities(client);
    const hypertables = capabilities.timescale === null ? [] : (await client.query(HYPERTABLE)).rows;
    return {
      where: describeDatabase(databaseUrl),
      capabilities,
      applied: await readApplied(client),
      isHypertable: hypertables.length > 0,
    };
  } finally {
    await client.end();
  }
}

async function readApplied(client: pg.Client): Promise<ReadonlyMap<number, string>> {
  const table = await client.query<{ found: string | null }>(
    "SELECT to_regclass('schema_migrations') AS found",
  );
  if ((table.rows[0]?.found ?? null) === null) {
    return new Map();
  }
  const result = await client.query<{ version: number; checksum: string }>(
    "SELECT version, checksum FROM schema_migrations",
  );
  return new Map(result.rows.map((row) => [row.version, row.checksum]));
}

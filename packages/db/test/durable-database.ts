/** For measurements: a Postgres of one's own that commits to disk, with a link, through connections as a pooler has them. */
import { DURABLE, startPostgres } from "@hopline/testkit/postgres/postgres-server";
import { createScratchDatabase, migrateForWorkers } from "@hopline/testkit/postgres/scratch-database";
import pg from "pg";
import type { RunSql } from "../src/neon-client.ts";
import { toStatement } from "../src/sql.ts";
import { LINK_ID } from "./click-batch.ts";
import { DOMAIN, WORKSPACE } from "./db-stage.ts";

export async function openDurableDatabase(connections: number) {
  const server = await startPostgres({ settings: DURABLE });
  const { url: connectionString } = await createScratchDatabase(server.url);
  await migrateForWorkers(connectionString);
  const pool = new pg.Pool({ connectionString, max: connections, idleTimeoutMillis: 0 });
  pool.on("error", () => undefined);
  const select = async (statement: string, values: readonly unknown[] = []) =>
    (await pool.query<Record<string, unknown>>(statement, [...values])).rows;
  const runSql: RunSql = async (statement) => {
    const { text, parameters } = toStatement(statement);
    return select(text, parameters);
  };
  await select("INSERT INTO workspaces (id, name) VALUES ($1, 'test')", [WORKSPACE]);
  await select(
    "INSERT INTO domains (id, workspace_id, host, proof) VALUES ($1, $2, 'a.example', 'vouched')",
    [DOMAIN, WORKSPACE],
  );
  await select(
    `INSERT INTO links (id, workspace_id, domain_id, slug, url, record)
     VALUES ($1, $2, $3, 'a', 'https://example.com/', '{}')`,
    [LINK_ID, WORKSPACE, DOMAIN],
  );
  const close = async (): Promise<void> => {
    await pool.end();
    await server.stop();
  };
  return { select, runSql, close };
}

/**
 * Brings the tables in ClickHouse up to date. ClickHouse has no transactions for this, so every statement of a migration can be
 * repeated: a run that was cut off is run again, and two at once do no harm.
 */
import type { ClickHouse } from "../clickhouse-client.ts";
import { type Topology, toStatements } from "./topology.ts";

export type ClickHouseMigration = {
  readonly version: number;
  readonly fileName: string;
  readonly sql: string;
  readonly checksum: string;
};

const TIMEOUT_MS = 120_000;

const SCHEMA_MIGRATIONS = `
CREATE TABLE IF NOT EXISTS schema_migrations $on_cluster (
  version UInt32,
  name String,
  checksum String,
  applied_at DateTime DEFAULT now()
) ENGINE = $replicatedReplacingMergeTree ORDER BY version`;

/** The file names that this run applied. Rejects with a `ClickHouseFailure`. */
export async function migrateClickHouse(
  clickHouse: ClickHouse,
  migrations: readonly ClickHouseMigration[],
  topology: Topology,
): Promise<readonly string[]> {
  const run = (statement: string, parameters = {}) => clickHouse.execute(statement, parameters, TIMEOUT_MS);
  for (const statement of toStatements(SCHEMA_MIGRATIONS, topology)) {
    await run(statement);
  }
  const known = (await readAppliedToClickHouse(clickHouse, TIMEOUT_MS)) ?? new Map();
  const missing = migrations.filter(({ version }) => !known.has(version));
  for (const { version, fileName, sql, checksum } of missing) {
    for (const statement of toStatements(sql, topology)) {
      await run(statement);
    }
    await run(
      `INSERT INTO schema_migrations (version, name, checksum)
       SELECT {version:UInt32}, {name:String}, {checksum:String}`,
      { version, name: fileName, checksum },
    );
  }
  return missing.map(({ fileName }) => fileName);
}

/** Version to checksum; `null` where no migration ever ran. Rejects with a `ClickHouseFailure`. */
export async function readAppliedToClickHouse(
  clickHouse: ClickHouse,
  timeoutMs: number,
): Promise<ReadonlyMap<number, string> | null> {
  const [table] = await clickHouse.select("EXISTS TABLE schema_migrations", {}, timeoutMs);
  if (Number(table?.["result"]) !== 1) {
    return null;
  }
  const query = "SELECT version, any(checksum) AS sum FROM schema_migrations GROUP BY version";
  const rows = await clickHouse.select(query, {}, timeoutMs);
  return new Map(rows.map((row) => [Number(row["version"]), String(row["sum"])]));
}

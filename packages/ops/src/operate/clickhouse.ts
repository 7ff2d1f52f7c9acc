/** The ClickHouse that a command works on: the one that CLICKHOUSE_URL names, or none. */
import { type ClickHouse, ClickHouseFailure, createClickHouse } from "@hopline/clickhouse/clickhouse-client";
import { migrateClickHouse } from "@hopline/clickhouse/schema/migrate-clickhouse";
import { parseTopology } from "@hopline/clickhouse/schema/topology";
import { Failure } from "@hopline/testkit/console/failure";
import { readMigrations } from "@hopline/testkit/postgres/migration-files";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";

/** CLICKHOUSE_URL, or a Failure that shows its form. */
export function readClickHouseUrl(): string {
  const url = process.env["CLICKHOUSE_URL"] ?? "";
  if (url === "") {
    throw new Failure("CLICKHOUSE_URL is not set: set it to https://user:password@host:8443/database.");
  }
  return url;
}

/** Runs `work` with the client. What ClickHouse refuses, and a server that does not answer, is a Failure. */
export async function withClickHouse<T>(
  url: string,
  work: (clickHouse: ClickHouse) => Promise<T>,
): Promise<T> {
  try {
    return await work(createClickHouse(url));
  } catch (error) {
    if (error instanceof ClickHouseFailure) {
      throw new Failure(`ClickHouse at ${describeClickHouse(url)}: ${error.message.trim()}`, {
        cause: error,
      });
    }
    throw error;
  }
}

/** Host and database: fit for a log. */
export function describeClickHouse(url: string): string {
  return URL.canParse(url) ? `${new URL(url).host}${new URL(url).pathname}` : "CLICKHOUSE_URL";
}

export function readClickHouseMigrations() {
  return readMigrations(inWorkspace("migrations/clickhouse"));
}

/** Brings its tables up to date, laid out as CLICKHOUSE_CLUSTER says. Nothing happens without a URL. */
export async function migrateGivenClickHouse(url: string, onProgress: (line: string) => void): Promise<void> {
  if (url === "") {
    return;
  }
  const cluster = process.env["CLICKHOUSE_CLUSTER"] ?? "";
  const topology = parseTopology(cluster);
  if (topology === null) {
    throw new Failure(
      `CLICKHOUSE_CLUSTER is empty, or reads replicated:NAME or distributed:NAME, not "${cluster}".`,
    );
  }
  const migrations = readClickHouseMigrations();
  const applied = await withClickHouse(url, (clickHouse) =>
    migrateClickHouse(clickHouse, migrations, topology),
  );
  applied.forEach((fileName) => onProgress(`ClickHouse: ${fileName} applied`));
  onProgress(`ClickHouse up to date: ${migrations.length} migrations, ${applied.length} new`);
}

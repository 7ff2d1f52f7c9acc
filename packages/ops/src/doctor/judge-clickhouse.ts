/** Reads ClickHouse, and judges it: version, tables, and whether clicks are counted there. */
import { MIN_VERSION } from "@hopline/clickhouse/clickhouse-client";
import type { CountingMode } from "@hopline/db/ingest/count-clicks";
import { readAppliedToClickHouse } from "@hopline/clickhouse/schema/migrate-clickhouse";
import type { Migration } from "@hopline/testkit/postgres/migration-files";
import { describeClickHouse, withClickHouse } from "../operate/clickhouse.ts";
import { about, type Finding } from "./finding.ts";

export type ClickHouseFacts = {
  /** Fit for a log. */
  readonly where: string;
  readonly version: string;
  /** Version to checksum; `null` where no migration ever ran. */
  readonly applied: ReadonlyMap<number, string> | null;
};

const TIMEOUT_MS = 10_000;

/** Rejects with a `Failure` when it cannot be reached. */
export function readClickHouse(url: string): Promise<ClickHouseFacts> {
  return withClickHouse(url, async (clickHouse) => {
    const [row] = await clickHouse.select("SELECT version() AS version", {}, TIMEOUT_MS);
    const applied = await readAppliedToClickHouse(clickHouse, TIMEOUT_MS);
    return { where: describeClickHouse(url), version: String(row?.["version"]), applied };
  });
}

export function judgeClickHouse(
  { where, version, applied }: ClickHouseFacts,
  mode: CountingMode,
  migrations: readonly Migration[],
): readonly Finding[] {
  const clickHouse = about("clickhouse", where);
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isOld = major < MIN_VERSION[0] || (major === MIN_VERSION[0] && minor < MIN_VERSION[1]);
  const findings = [
    isOld
      ? clickHouse.fault(`ClickHouse ${version} is too old`, `Use ${MIN_VERSION.join(".")} or newer.`)
      : clickHouse.good(`ClickHouse ${version}`),
  ];
  const missing = migrations.filter((one) => applied?.has(one.version) !== true);
  const changed = migrations.filter((one) => (applied?.get(one.version) ?? one.checksum) !== one.checksum);
  if (missing.length > 0) {
    findings.push(clickHouse.fault(`not applied: ${listNames(missing)}`, "Run `pnpm migrate`, or deploy."));
  }
  if (changed.length > 0) {
    const todo = "Restore the files, and put the change into a new migration.";
    findings.push(clickHouse.fault(`changed after they were applied: ${listNames(changed)}`, todo));
  }
  return [...findings, judgeMode(where, mode)];
}

function judgeMode(where: string, mode: CountingMode): Finding {
  const clickHouse = about("clickhouse", where);
  return mode === "clickhouse"
    ? clickHouse.good("clicks are counted here")
    : clickHouse.concern(
        "it is not used: clicks are counted in Postgres",
        "Run `pnpm clickhouse on` once consumer and API have CLICKHOUSE_URL, or remove that secret.",
      );
}

function listNames(migrations: readonly Migration[]): string {
  return migrations.map(({ fileName }) => fileName).join(", ");
}

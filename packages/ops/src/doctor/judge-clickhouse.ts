/** Reads ClickHouse and the copy to it, and judges them: version, tables, lag, days that are not alike in both stores. */
import { MIN_VERSION } from "@hopline/clickhouse/clickhouse-client";
import type { CopyState } from "@hopline/clickhouse/copy/find-copy-state";
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

/** @param copy `null`: the copier has not run. */
export function judgeClickHouse(
  { where, version, applied }: ClickHouseFacts,
  copy: CopyState | null,
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
  return [...findings, ...judgeCopy(where, copy)];
}

function judgeCopy(where: string, copy: CopyState | null): readonly Finding[] {
  const clickHouse = about("clickhouse", where);
  if (copy === null) {
    const todo = "Set the secret CLICKHOUSE_URL of the consumer; its next run begins, within a minute.";
    return [clickHouse.concern("nothing was copied yet", todo)];
  }
  const { sealed, unsealed, firstUnsealed } = copy;
  if (unsealed > 0) {
    const what = `${unsealed} days of workspaces are not alike in both stores yet, the first ${firstUnsealed}`;
    const todo =
      "They are answered from Postgres. If it stays so, see docs/run-book.md, ClickHouse is behind.";
    return [clickHouse.concern(what, todo)];
  }
  return [clickHouse.good(`${sealed} days of workspaces are alike in both stores`)];
}

function listNames(migrations: readonly Migration[]): string {
  return migrations.map(({ fileName }) => fileName).join(", ");
}

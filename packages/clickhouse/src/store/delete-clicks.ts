/** Deletes clicks from ClickHouse, and waits until they are gone from every replica. All of it may be repeated. */
import type { RemovedClicks } from "@hopline/db/ledger/remove-clicks";

import type { ClickHouse, Parameters } from "../clickhouse-client.ts";

/** A distributed table is changed in the tables behind it. */
const TARGET = `
  SELECT engine_full AS definition FROM system.tables WHERE database = currentDatabase() AND name = 'clicks'`;

/** Those of a link, a domain or a workspace. Rejects with a `ClickHouseFailure`. */
export async function deleteClicks(
  clickHouse: ClickHouse,
  { workspaceId, linkId, domainId }: RemovedClicks,
  timeoutMs: number,
): Promise<void> {
  const conditions = [
    "workspace_id = {workspace:UUID}",
    ...(linkId === undefined ? [] : ["link_id = {link:String}"]),
    ...(domainId === undefined ? [] : ["domain_id = {domain:String}"]),
  ];
  const given = { workspace: workspaceId, link: linkId, domain: domainId };
  const parameters = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  await deleteWhere(clickHouse, { condition: conditions.join(" AND "), parameters }, timeoutMs);
}

const IS_OLD = "quarter < toDateTime({before:UInt32}, 'UTC')";

/** Those before an instant, epoch milliseconds. Rejects with a `ClickHouseFailure`. */
export async function deleteOldClicks(
  clickHouse: ClickHouse,
  beforeMs: number,
  timeoutMs: number,
): Promise<void> {
  const parameters = { before: Math.floor(beforeMs / 1_000) };
  const [row] = await clickHouse.select(
    `SELECT count() AS clicks FROM clicks WHERE ${IS_OLD}`,
    parameters,
    timeoutMs,
  );
  if (Number(row?.["clicks"] ?? 0) > 0) {
    await deleteWhere(clickHouse, { condition: IS_OLD, parameters }, timeoutMs);
  }
}

/** Rejects with a `ClickHouseFailure`. */
export async function deleteWhere(
  clickHouse: ClickHouse,
  { condition, parameters }: { readonly condition: string; readonly parameters: Parameters },
  timeoutMs: number,
): Promise<void> {
  const [table] = await clickHouse.select(TARGET, {}, timeoutMs);
  const [, cluster, , local] =
    /^Distributed\('([^']*)', '([^']*)', '([^']*)'/.exec(String(table?.["definition"])) ?? [];
  const target = cluster === undefined ? "clicks" : `${local} ON CLUSTER '${cluster}'`;
  const statement = `DELETE FROM ${target} WHERE ${condition} SETTINGS lightweight_deletes_sync = 2`;
  await clickHouse.execute(statement, parameters, timeoutMs);
}

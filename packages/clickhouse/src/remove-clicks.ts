/** Removes clicks from ClickHouse, and waits until they are gone from every replica. */
import type { RemovedClicks } from "@hopline/db/ledger/remove-clicks";

import type { ClickHouse, Parameters } from "./clickhouse-client.ts";

/** A distributed table is changed in the tables behind it. */
const TARGET = `
  SELECT engine_full AS definition FROM system.tables WHERE database = currentDatabase() AND name = 'clicks'`;

/** May be repeated. Rejects with a `ClickHouseFailure`. */
export async function removeClicks(
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
  await remove(clickHouse, { condition: conditions.join(" AND "), parameters }, timeoutMs);
}

/** Quarters of an hour of workspaces, in one statement. May be repeated. Rejects with a `ClickHouseFailure`. */
export async function removeQuarters(
  clickHouse: ClickHouse,
  removed: readonly { readonly workspaceId: string; readonly startS: number }[],
  timeoutMs: number,
): Promise<void> {
  const condition = `workspace_id IN {workspaces:Array(UUID)} AND quarter IN {starts:Array(UInt32)} AND
    (toUUID(workspace_id), toUnixTimestamp(quarter)) IN arrayZip({workspaces:Array(UUID)}, {starts:Array(UInt32)})`;
  const parameters = {
    workspaces: removed.map(({ workspaceId }) => workspaceId),
    starts: removed.map(({ startS }) => startS),
  };
  await remove(clickHouse, { condition, parameters }, timeoutMs);
}

async function remove(
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

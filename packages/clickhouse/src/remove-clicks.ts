/** Removes clicks from ClickHouse, and waits until they are gone from every replica. */
import type { ClickHouse } from "./clickhouse-client.ts";

export type RemovedClicks = {
  readonly workspaceId: string;
  /** All links and domains if absent. */
  readonly linkId?: string;
  readonly domainId?: string;
  /** Epoch milliseconds; all times if absent. */
  readonly fromMs?: number;
  readonly toMs?: number;
};

/** A distributed table is changed in the tables behind it. */
const TARGET = `
  SELECT engine, engine_full AS definition FROM system.tables WHERE database = currentDatabase() AND name = 'clicks'`;

/** May be repeated. Rejects with a `ClickHouseFailure`. */
export async function removeClicks(
  clickHouse: ClickHouse,
  removed: RemovedClicks,
  timeoutMs: number,
): Promise<void> {
  const { workspaceId, linkId, domainId, fromMs, toMs } = removed;
  const [table] = await clickHouse.select(TARGET, {}, timeoutMs);
  const [, cluster, , local] =
    /^Distributed\('([^']*)', '([^']*)', '([^']*)'/.exec(String(table?.["definition"])) ?? [];
  const target = cluster === undefined ? "clicks" : `${local} ON CLUSTER '${cluster}'`;
  const conditions = [
    "workspace_id = {workspace:UUID}",
    ...(linkId === undefined ? [] : ["link_id = {link:UUID}"]),
    ...(domainId === undefined ? [] : ["domain_id = {domain:UUID}"]),
    ...(fromMs === undefined ? [] : ["clicked_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')"]),
    ...(toMs === undefined ? [] : ["clicked_at < fromUnixTimestamp64Milli({to:Int64}, 'UTC')"]),
  ];
  await clickHouse.execute(
    `DELETE FROM ${target} WHERE ${conditions.join(" AND ")} SETTINGS lightweight_deletes_sync = 2`,
    {
      workspace: workspaceId,
      ...(linkId === undefined ? {} : { link: linkId }),
      ...(domainId === undefined ? {} : { domain: domainId }),
      ...(fromMs === undefined ? {} : { from: fromMs }),
      ...(toMs === undefined ? {} : { to: toMs }),
    },
    timeoutMs,
  );
}

/** Clicks that were deleted on request, and that ClickHouse may still have: no answer and no proof counts them. */
import type { RunSql, SqlRow } from "@hopline/db/neon-client";
import { type Sql, sql } from "@hopline/db/sql";

export type PendingRemoval = {
  readonly workspaceId: string;
  readonly linkId: string | null;
  readonly domainId: string | null;
  /** The clicks before it, epoch seconds; `null`: all. */
  readonly untilS: number | null;
};

/** @param workspaceId `null`: of all workspaces. */
export function selectRemovals(workspaceId: string | null): Sql {
  return sql`
    SELECT workspace_id::text AS workspace, link_id::text AS link, domain_id::text AS domain,
      CASE WHEN until < 'infinity' THEN extract(epoch FROM until)::float8 END AS until
    FROM clickhouse_removals WHERE ${workspaceId}::uuid IS NULL OR workspace_id = ${workspaceId}::uuid`;
}

export function toRemovals(rows: readonly SqlRow[]): readonly PendingRemoval[] {
  return rows.map(({ workspace, link, domain, until }) => ({
    workspaceId: String(workspace),
    linkId: typeof link === "string" ? link : null,
    domainId: typeof domain === "string" ? domain : null,
    untilS: typeof until === "number" ? until : null,
  }));
}

/** Rejects as `RunSql` does. */
export async function readRemovals(
  runSql: RunSql,
  workspaceId: string | null,
  timeoutMs: number,
): Promise<readonly PendingRemoval[]> {
  return toRemovals(await runSql(selectRemovals(workspaceId), timeoutMs));
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** For ClickHouse's WHERE, behind other conditions; empty if nothing is being removed. */
export function keptOut(removals: readonly PendingRemoval[]): string {
  return removals
    .map(({ workspaceId, linkId, domainId, untilS }) => {
      const ids = [workspaceId, linkId, domainId];
      if (!ids.every((id) => id === null || UUID.test(id))) {
        throw new Error("invariant: ids are UUIDs");
      }
      const conditions = [
        `workspace_id = '${workspaceId}'`,
        ...(linkId === null ? [] : [`link_id = '${linkId}'`]),
        ...(domainId === null ? [] : [`domain_id = '${domainId}'`]),
        ...(untilS === null ? [] : [`quarter < toDateTime(${Math.floor(untilS)}, 'UTC')`]),
      ];
      return ` AND NOT (${conditions.join(" AND ")})`;
    })
    .join("");
}

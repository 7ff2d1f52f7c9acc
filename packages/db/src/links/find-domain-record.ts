/** The published settings of a short domain. One that never had any is known all the same: its record says just that. */
import type { RunSql } from "../neon-client.ts";

const FIND_DOMAIN_RECORD = `
  SELECT coalesce(record, '{"format":1,"domain":"' || id || '","version":' || version || '}') AS record
  FROM domains WHERE host = $1`;

/** The record's text, or `null` for a host that is no short domain of ours. Rejects as `RunSql` does. */
export async function findDomainRecord(
  runSql: RunSql,
  host: string,
  timeoutMs: number,
): Promise<string | null> {
  const rows = await runSql(FIND_DOMAIN_RECORD, [host], timeoutMs);
  const record = rows[0]?.["record"];
  return typeof record === "string" ? record : null;
}

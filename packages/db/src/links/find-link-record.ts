/** The redirect's only statement: the published record of one address, by two indexes. */
import type { RunSql } from "../neon-client.ts";

const FIND_LINK_RECORD = `
  SELECT links.record
  FROM domains JOIN links ON links.domain_id = domains.id
  WHERE domains.host = $1 AND links.slug = $2
  -- Deleted links keep their rows as tombstones; whatever came after one has a higher version.
  ORDER BY links.version DESC LIMIT 1`;

/** The record's text as published, or `null` when no link ever had this address. Rejects as `RunSql` does. */
export async function findLinkRecord(
  runSql: RunSql,
  address: { readonly host: string; readonly slug: string },
  timeoutMs: number,
): Promise<string | null> {
  const rows = await runSql(FIND_LINK_RECORD, [address.host, address.slug], timeoutMs);
  const record = rows[0]?.["record"];
  return typeof record === "string" ? record : null;
}

/** The redirect's only statement: the published record of one address, by two unique indexes. */
import type { RunSql } from "./neon-client.ts";

const FIND_LINK_RECORD = `
  SELECT links.record
  FROM domains JOIN links ON links.domain_id = domains.id
  WHERE domains.host = $1 AND links.slug = $2`;

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

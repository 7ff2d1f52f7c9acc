/**
 * The redirect's only statement: the published records of many addresses, each by two indexes, and the settings of
 * domains, which have an address of their own. A domain that never had settings has a record that says so.
 */
import { DOMAIN_SLUG } from "@hopline/core/link/domain-record";
import type { LinkKey } from "@hopline/core/link/link-address";
import type { RunSql } from "../neon-client.ts";

const FIND_LINK_RECORDS = `
  SELECT asked.host || '/' || asked.slug AS key, found.record
  FROM unnest($1::text[], $2::text[]) AS asked (host, slug)
  JOIN domains ON domains.host = asked.host AND domains.proof <> 'pending'
  CROSS JOIN LATERAL (
    SELECT links.record, links.version FROM links
    WHERE links.domain_id = domains.id AND links.slug = asked.slug AND asked.slug <> '${DOMAIN_SLUG}'
    UNION ALL
    SELECT coalesce(
        domains.record,
        '{"format":1,"domain":"' || domains.id || '","version":' || domains.version || '}'
      ), domains.version
    WHERE asked.slug = '${DOMAIN_SLUG}'
    -- Deleted links keep their rows as tombstones; whatever came after one has a higher version.
    ORDER BY version DESC LIMIT 1
  ) AS found`;

/** The texts of the records as published; an address that never had a link is not among them. Rejects as `RunSql` does. */
export async function findLinkRecords(
  runSql: RunSql,
  keys: readonly LinkKey[],
  timeoutMs: number,
): Promise<ReadonlyMap<LinkKey, string>> {
  const asked = new Map<unknown, LinkKey>(keys.map((key) => [key, key]));
  const slashes = keys.map((key) => key.indexOf("/"));
  const hosts = keys.map((key, index) => key.slice(0, slashes[index]));
  const slugs = keys.map((key, index) => key.slice((slashes[index] ?? 0) + 1));
  const rows = await runSql(FIND_LINK_RECORDS, [hosts, slugs], timeoutMs);
  const records = new Map<LinkKey, string>();
  for (const { key: text, record } of rows) {
    const key = asked.get(text);
    if (key !== undefined && typeof record === "string") {
      records.set(key, record);
    }
  }
  return records;
}

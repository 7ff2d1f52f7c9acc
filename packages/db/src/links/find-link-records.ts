/** The redirect's only statement: the published records of many addresses. Domains have one too, with their settings. */
import type { LinkKey } from "@hopline/core/link/link-address";
import type { RunSql } from "../neon-client.ts";
import { sql } from "../sql.ts";

/** The texts of the records as published; an address that never led anywhere is not among them. Rejects as `RunSql` does. */
export async function findLinkRecords(
  runSql: RunSql,
  keys: readonly LinkKey[],
  timeoutMs: number,
): Promise<ReadonlyMap<LinkKey, string>> {
  const asked = new Map<unknown, LinkKey>(keys.map((key) => [key, key]));
  const slashes = keys.map((key) => key.indexOf("/"));
  const hosts = keys.map((key, index) => key.slice(0, slashes[index]));
  const slugs = keys.map((key, index) => key.slice((slashes[index] ?? 0) + 1));
  const rows = await runSql(
    sql`
      SELECT host || '/' || slug AS key, record
      FROM unnest(${hosts}::text[], ${slugs}::text[]) AS asked (host, slug) JOIN addresses USING (host, slug)`,
    timeoutMs,
  );
  const records = new Map<LinkKey, string>();
  for (const { key: text, record } of rows) {
    const key = asked.get(text);
    if (key !== undefined && typeof record === "string") {
      records.set(key, record);
    }
  }
  return records;
}

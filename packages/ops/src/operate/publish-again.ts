/**
 * Has addresses published again as they stand in the database, for a KV namespace that was emptied. The API's publishers do it,
 * after edits, and within KV_WRITES_PER_DAY.
 */
import type { RunSql } from "@hopline/db/neon-client";
import { sql } from "@hopline/db/sql";

const ADDRESSES_A_STATEMENT = 5_000;
const TIMEOUT_MS = 60_000;

type Address = { readonly host: string; readonly slug: string };

const enqueueAfter = (after: Address, host: string | null) => sql`
  WITH slice AS MATERIALIZED (
    SELECT host, slug, version FROM addresses
    WHERE (host, slug) > (${after.host}::text, ${after.slug}::text) AND (${host}::text IS NULL OR host = ${host}::text) AND ended_at IS NULL AND slug <> '*'
    ORDER BY host, slug LIMIT ${ADDRESSES_A_STATEMENT}
  ), enqueued AS (
    INSERT INTO work (kind, key, payload)
    SELECT 'publish-import', host || '/' || slug,
      jsonb_build_object('host', host, 'slug', slug, 'version', version, 'again', true)
    FROM slice ORDER BY 2
    ON CONFLICT (kind, key) DO NOTHING
  )
  SELECT host, slug, (SELECT count(*) FROM slice)::int AS addresses FROM slice ORDER BY host DESC, slug DESC LIMIT 1`;

/**
 * Resolves to how many addresses. `null`: of all hosts. Rejects as `RunSql` does; those before are enqueued, and it may be repeated.
 */
export async function publishAgain(
  runSql: RunSql,
  host: string | null,
  onProgress: (addresses: number) => void,
): Promise<number> {
  let addresses = 0;
  let after: Address = { host: "", slug: "" };
  for (;;) {
    const [last] = await runSql(enqueueAfter(after, host), TIMEOUT_MS);
    if (last === undefined) {
      return addresses;
    }
    addresses += Number(last["addresses"]);
    after = { host: String(last["host"]), slug: String(last["slug"]) };
    onProgress(addresses);
  }
}

/**
 * Takes uses of a link with a strict cap: one UPDATE under the row's lock, which puts it in a line with all others of this
 * link, so that no more than the limit are ever given. Uses that are taken and whose answer is lost are lost too: fewer
 * redirects, never more.
 */
import type { RunTransaction } from "../neon-client.ts";
import { sql } from "../sql.ts";

/** In the database, the wait for the lock included: visitors wait for it. Milliseconds. */
export const CLAIM_STATEMENT_TIMEOUT_MS = 50;

/** How many of the `wanted` uses were left; 0 too where no cap is known. Rejects when the database can't say in time. */
export async function claimUses(
  runTransaction: RunTransaction,
  { linkId, wanted }: { readonly linkId: string; readonly wanted: number },
  timeoutMs: number,
): Promise<number> {
  const [, claimed] = await runTransaction(
    [
      sql`SELECT set_config('statement_timeout', ${String(CLAIM_STATEMENT_TIMEOUT_MS)}, true)`,
      sql`
        WITH cap AS (SELECT used FROM link_caps WHERE link_id = ${linkId}::uuid AND mode = 'strict' FOR UPDATE)
        UPDATE link_caps SET used = greatest(cap.used, least(cap.used + ${wanted}::bigint, max_clicks))
        FROM cap WHERE link_id = ${linkId}::uuid
        RETURNING link_caps.used - cap.used AS granted`,
    ],
    timeoutMs,
  );
  return Number(claimed?.[0]?.["granted"] ?? 0);
}

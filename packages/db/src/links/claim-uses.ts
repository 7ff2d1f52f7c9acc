/**
 * Takes uses of a link with a strict cap: one UPDATE under the row's lock, which puts it in a line with all others of this
 * link, so that no more than the limit are ever given. Uses that are taken and whose answer is lost are lost too: fewer
 * redirects, never more.
 */
import type { RunTransaction } from "../neon-client.ts";

/** In the database, the wait for the lock included: visitors wait for it. Milliseconds. */
export const CLAIM_STATEMENT_TIMEOUT_MS = 50;

const LIMIT_TIME = `SET LOCAL statement_timeout = ${CLAIM_STATEMENT_TIMEOUT_MS}`;
const CLAIM_USES = `
  WITH cap AS (SELECT used FROM link_caps WHERE link_id = $1 AND mode = 'strict' FOR UPDATE)
  UPDATE link_caps SET used = greatest(cap.used, least(cap.used + $2::bigint, max_clicks))
  FROM cap WHERE link_id = $1
  RETURNING link_caps.used - cap.used AS granted`;

/** How many of the `wanted` uses were left; 0 too where no cap is known. Rejects when the database can't say in time. */
export async function claimUses(
  runTransaction: RunTransaction,
  { linkId, wanted }: { readonly linkId: string; readonly wanted: number },
  timeoutMs: number,
): Promise<number> {
  const [, claimed] = await runTransaction(
    [
      { text: LIMIT_TIME, parameters: [] },
      { text: CLAIM_USES, parameters: [linkId, wanted] },
    ],
    timeoutMs,
  );
  return Number(claimed?.[0]?.["granted"] ?? 0);
}

/**
 * Takes one use of a link with a strict cap: one conditional UPDATE, which the row's lock puts in a line with all others of
 * this link, so that no more than the limit are ever given. A use that is taken and whose answer is lost is lost too:
 * fewer redirects, never more.
 */
import type { RunTransaction } from "../neon-client.ts";

/** In the database, the wait for the lock included: a visitor stands behind it. Milliseconds. */
export const CLAIM_STATEMENT_TIMEOUT_MS = 50;

const LIMIT_TIME = `SET LOCAL statement_timeout = ${CLAIM_STATEMENT_TIMEOUT_MS}`;
const CLAIM_USE = `
  UPDATE link_caps SET used = used + 1
  WHERE link_id = $1 AND mode = 'strict' AND used < max_clicks
  RETURNING used`;

/** False when no use is left, or no cap is known. Rejects when the database can't say in time. */
export async function claimUse(
  runTransaction: RunTransaction,
  linkId: string,
  timeoutMs: number,
): Promise<boolean> {
  const [, claimed] = await runTransaction(
    [
      { text: LIMIT_TIME, parameters: [] },
      { text: CLAIM_USE, parameters: [linkId] },
    ],
    timeoutMs,
  );
  return claimed !== undefined && claimed.length === 1;
}

/** Counts the totals of all links again, from the rollups: the repair where `pnpm reconcile` finds them to differ. */
import type { RunTransaction } from "../neon-client.ts";
import { sql } from "../sql.ts";
import type { WorkHandler } from "../work/run-work.ts";

const RETRY_SECONDS = 900;
const TIME_LIMIT_MS = 300_000;

/** Clicks wait in their queues while it counts. */
const STATEMENTS = [
  sql`LOCK TABLE click_rollups, link_totals IN SHARE ROW EXCLUSIVE MODE`,
  sql`INSERT INTO link_totals AS kept (link_id, human, total, last_clicked_at)
   SELECT link_id, COALESCE(sum(clicks) FILTER (WHERE class = 'human'), 0), COALESCE(sum(clicks), 0),
     COALESCE(max(bucket_start), '-infinity')
   FROM (SELECT id AS link_id FROM links UNION SELECT link_id FROM link_totals) AS listed LEFT JOIN click_rollups USING (link_id)
   GROUP BY link_id
   ON CONFLICT (link_id) DO UPDATE SET human = excluded.human, total = excluded.total,
     last_clicked_at = GREATEST(kept.last_clicked_at, excluded.last_clicked_at)`,
];

/** Rejects as `RunTransaction` does, with nothing changed. */
export async function countLinkTotals(runTransaction: RunTransaction, timeoutMs: number): Promise<void> {
  await runTransaction(STATEMENTS, timeoutMs);
}

export function linkTotalsHandler(runTransaction: RunTransaction): WorkHandler {
  return {
    timeLimitMs: TIME_LIMIT_MS,
    atOnce: 1,
    maxDelaySeconds: RETRY_SECONDS,
    run: () => countLinkTotals(runTransaction, TIME_LIMIT_MS),
  };
}

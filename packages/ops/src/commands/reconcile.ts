/**
 * `pnpm reconcile [--since T] [--until T] [--json]`: whether every click the edge counted is accounted for. Exit code 0
 * only when it adds up. What the numbers mean at the edges of the range: packages/db/src/ledger/find-ledger-totals.ts.
 */
import { findLedgerTotals, findOldestDay } from "@hopline/db/ledger/find-ledger-totals";
import { reconcile, widenToBuckets } from "@hopline/db/ledger/reconcile";

import { withDirectSql } from "../operate/direct-sql.ts";
import { Failure } from "@hopline/testkit/console/failure";
import { describeReconciliation } from "../operate/print-reconciliation.ts";
import { consoleProgress, runCommand } from "@hopline/testkit/console/progress";
import { readFlags } from "@hopline/testkit/console/read-flags";

const USAGE = "pnpm reconcile [--since 2026-11-20] [--until 2026-11-21T12:00Z] [--json]";
const TIMEOUT_MS = 600_000;

await runCommand(async () => {
  const { values } = readFlags(
    { since: { type: "string" }, until: { type: "string" }, json: { type: "boolean", default: false } },
    USAGE,
  );
  const since = readInstant("--since", values.since);
  const until = readInstant("--until", values.until);
  return withDirectSql(USAGE, async (runSql) => {
    const untilMs = until ?? Date.now();
    const sinceMs = since ?? (await findOldestDay(runSql, TIMEOUT_MS)) ?? untilMs;
    if (sinceMs > untilMs) {
      throw new Failure(`--since lies after --until. Usage: ${USAGE}`);
    }
    const range = widenToBuckets(sinceMs, untilMs);
    const totals = await findLedgerTotals(runSql, range, TIMEOUT_MS);
    const result = reconcile(totals);
    const progress = consoleProgress();
    if (values.json) {
      const edges = {
        since: new Date(range.sinceMs).toISOString(),
        until: new Date(range.untilMs).toISOString(),
      };
      progress.line(JSON.stringify({ ...edges, ...totals, ...result }));
    } else {
      describeReconciliation(range, totals, result).forEach((line) => progress.line(line));
    }
    return result.addsUp ? 0 : 1;
  });
});

/** Epoch milliseconds; a day without a time begins at midnight UTC. */
function readInstant(flag: string, text: string | undefined): number | null {
  if (text === undefined) {
    return null;
  }
  const atMs = Date.parse(text);
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(atMs)) {
    throw new Failure(
      `${flag} must be an instant such as 2026-11-21 or 2026-11-21T12:00Z, not "${text}". Usage: ${USAGE}`,
    );
  }
  return atMs;
}

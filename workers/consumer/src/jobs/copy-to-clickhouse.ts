/**
 * The scheduled job that copies clicks to ClickHouse, where there is one. It is leased work, so that two runs do not overlap for
 * long; one that hangs is abandoned and continued by the next.
 */
import type { CopyReport } from "@hopline/clickhouse/copy/copy-clicks";
import type { RunTransaction } from "@hopline/db/neon-client";
import { enqueueMissingWork } from "@hopline/db/work/enqueue-work";
import { runWork } from "@hopline/db/work/run-work";
import { runWorkTransaction } from "@hopline/db/work/work-transaction";
import type { Log } from "../log.ts";

/** A run starts every minute, and ends before the next one. */
export const COPY_FOR_MS = 40_000;
const TIME_LIMIT_MS = 55_000;
const AGAIN_IN_SECONDS = 10;
/** ClickHouse may be away for hours; it is asked once a minute. */
const MAX_DELAY_SECONDS = 60;
const KIND = "clickhouse";

export type CopyToClickHouseDeps = {
  /** Copies until nothing is left or the time is up. Rejects if either database does. */
  readonly copyClicks: (maxDurationMs: number) => Promise<CopyReport>;
  readonly runTransaction: RunTransaction;
  readonly nowMs: () => number;
  readonly log: Log;
};

/** Never rejects. */
export async function copyToClickHouse(deps: CopyToClickHouseDeps): Promise<void> {
  const { runTransaction, nowMs, log } = deps;
  const fail = (error: string) =>
    log({
      event: "job.failed",
      job: KIND,
      reason: error,
      sqlState: /^[0-9A-Z]{5}$/.test(error) ? error : null,
    });
  const run = async () => {
    const { sealed, wrong, isBehind } = await deps.copyClicks(COPY_FOR_MS);
    if (sealed + wrong > 0 || isBehind) {
      log({ event: "clickhouse.copied", sealed, wrong, isBehind });
    }
    return { againInSeconds: AGAIN_IN_SECONDS };
  };
  const handler = { run, timeLimitMs: TIME_LIMIT_MS, atOnce: 1, maxDelaySeconds: MAX_DELAY_SECONDS };
  try {
    await runWorkTransaction(runTransaction, [enqueueMissingWork([{ kind: KIND, key: "copy" }])]);
    await runWork(COPY_FOR_MS, {
      handlers: { [KIND]: handler },
      runTransaction,
      newLeaseId: () => crypto.randomUUID(),
      nowMs,
      onFailure: (_item, error) => fail(error),
    });
  } catch (error) {
    fail(error instanceof Error ? error.name : typeof error);
  }
}

/** The scheduled job that removes clicks after their retention. It removes whole UTC days, so up to a day late. */
import type { RetentionReport } from "@hopline/db/ledger/drop-old-clicks";
import type { Log } from "../log.ts";

export type RetentionDeps = {
  /**
   * Removes what is older than `beforeMs`, epoch milliseconds. `null`: a day before it has to be pre-aggregated first. Rejects
   * if the database does.
   */
  readonly dropOldClicks: (beforeMs: number) => Promise<RetentionReport | null>;
  /** Removes visits without a link from before then. Rejects if the database does. */
  readonly dropOldMisses: (beforeMs: number) => Promise<unknown>;
  /** Resolves to whether clicks are counted in ClickHouse. Then it removes those that webhooks no longer need. */
  readonly dropSpooledClicks: () => Promise<boolean>;
  /** Deletes what is older from ClickHouse. Rejects if it does. `null`: there is no ClickHouse. */
  readonly deleteOldClicks: ((beforeMs: number) => Promise<void>) | null;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  readonly log: Log;
};

const DAY_MS = 86_400_000;
/** Where clicks are kept for ever: visits without a link are not. */
const MISSES_DAYS = 90;

/** Reads the number of days from a variable. "0", an empty text and anything that is not a number keep everything: `null`. */
export function parseRetentionDays(text: string | undefined): number | null {
  const days = Number(text ?? "");
  return Number.isInteger(days) && days > 0 ? days : null;
}

/** Rejects if the database does. */
export async function applyRetention(days: number | null, deps: RetentionDeps): Promise<void> {
  const today = Math.floor(deps.nowMs() / DAY_MS);
  await deps.dropOldMisses((today - (days ?? MISSES_DAYS)) * DAY_MS);
  const isInClickHouse = await deps.dropSpooledClicks();
  if (days === null) {
    return;
  }
  const beforeMs = (today - days) * DAY_MS;
  const report = await deps.dropOldClicks(beforeMs);
  if (isInClickHouse && report !== null) {
    await deps.deleteOldClicks?.(beforeMs);
  }
  const before = new Date(beforeMs).toISOString();
  deps.log(
    report === null
      ? { event: "retention.waits", before }
      : { event: "retention.applied", before, ...report },
  );
}

/** The scheduled job that removes clicks after their retention. It removes whole UTC days, so up to a day late. */
import type { RetentionReport } from "@hopline/db/ledger/drop-old-clicks";
import type { Log } from "../log.ts";

export type RetentionDeps = {
  /**
   * Removes what is older than `beforeMs`, epoch milliseconds. `null`: a day before it has to be pre-aggregated first. Rejects
   * if the database does.
   */
  readonly dropOldClicks: (beforeMs: number) => Promise<RetentionReport | null>;
  /** The first day whose clicks are not in ClickHouse yet, epoch milliseconds; `null`: none waits. Rejects if the database does. */
  readonly findHeldFrom: () => Promise<number | null>;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  readonly log: Log;
};

const DAY_MS = 86_400_000;

/** Reads the number of days from a variable. "0", an empty text and anything that is not a number keep everything: `null`. */
export function parseRetentionDays(text: string | undefined): number | null {
  const days = Number(text ?? "");
  return Number.isInteger(days) && days > 0 ? days : null;
}

/** Rejects if the database does. */
export async function applyRetention(days: number | null, deps: RetentionDeps): Promise<void> {
  if (days === null) {
    return;
  }
  const today = Math.floor(deps.nowMs() / DAY_MS);
  const heldFromMs = (await deps.findHeldFrom()) ?? Number.POSITIVE_INFINITY;
  const beforeMs = Math.min((today - days) * DAY_MS, heldFromMs);
  const report = await deps.dropOldClicks(beforeMs);
  const before = new Date(beforeMs).toISOString();
  deps.log(
    report === null
      ? { event: "retention.waits", before }
      : { event: "retention.applied", before, ...report },
  );
}

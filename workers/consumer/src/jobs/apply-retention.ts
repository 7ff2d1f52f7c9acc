/** The scheduled job that forgets: clicks older than the deployment keeps them. Whole UTC days, so at most a day late. */
import type { RetentionReport } from "@hopline/db/ledger/drop-old-clicks";
import type { Log } from "../log.ts";

export type RetentionDeps = {
  /** Removes what is older than `beforeMs`, epoch milliseconds. Rejects when the database does. */
  readonly dropOldClicks: (beforeMs: number) => Promise<RetentionReport>;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  readonly log: Log;
};

const DAY_MS = 86_400_000;

/** Days to keep from a variable's text; `null` keeps everything: "0", nothing, and what is no number. */
export function parseRetentionDays(text: string | undefined): number | null {
  const days = Number(text ?? "");
  return Number.isInteger(days) && days > 0 ? days : null;
}

/** Rejects when the database does. */
export async function applyRetention(days: number | null, deps: RetentionDeps): Promise<void> {
  if (days === null) {
    return;
  }
  const today = Math.floor(deps.nowMs() / DAY_MS);
  const beforeMs = (today - days) * DAY_MS;
  const report = await deps.dropOldClicks(beforeMs);
  deps.log({ event: "retention.applied", before: new Date(beforeMs).toISOString(), ...report });
}

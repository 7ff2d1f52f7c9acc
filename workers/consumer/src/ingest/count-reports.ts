/**
 * Counts the edge's reports apart from the clicks they came with, in one statement for those of many batches. A report that
 * can't be counted is dropped: its loss costs metrics, and to hand it back would count clicks again.
 */
import { toDatabaseFailure } from "@hopline/db/database-failure";
import type { EdgeReportRow } from "@hopline/db/ingest/insert-edge-reports";
import type { Log } from "../log.ts";

/** All writers update the same few rows: a statement a batch made them wait for one another at 115 statements a second. */
export const REPORTS_EVERY_MS = 10_000;

/** So many at most are held and sent at once; what is beyond is dropped. */
const MAX_HELD_REPORTS = 5_000;

/** What an isolate holds between two statements. It goes with the isolate. */
export type HeldReports = { rows: readonly EdgeReportRow[]; nextAtMs: number };

/** Never rejects. @param isOutage the database need not be asked now. */
export type CountReports = (rows: readonly EdgeReportRow[], isOutage: boolean) => Promise<void>;

export type CountReportsDeps = {
  readonly held: HeldReports;
  readonly everyMs: number;
  /** Counts each of them once. Rejects if the database does. */
  readonly insertEdgeReports: (reports: readonly EdgeReportRow[]) => Promise<void>;
  readonly nowMs: () => number;
  readonly log: Log;
};

export function createCountReports({
  held,
  everyMs,
  insertEdgeReports,
  nowMs,
  log,
}: CountReportsDeps): CountReports {
  return async (rows, isOutage) => {
    held.rows = [...held.rows, ...rows];
    const isDue = nowMs() >= held.nextAtMs && !isOutage;
    if (held.rows.length === 0 || (!isDue && held.rows.length <= MAX_HELD_REPORTS)) {
      return;
    }
    // Before the statement: another batch of this isolate must not send them, too.
    const reports = held.rows;
    held.rows = [];
    held.nextAtMs = isDue ? nowMs() + everyMs : held.nextAtMs;
    const failure = isDue
      ? await insertEdgeReports(reports).then(() => undefined, toDatabaseFailure)
      : { reason: "too_many", sqlState: null };
    if (failure !== undefined) {
      const { reason, sqlState } = failure;
      log({ event: "reports.dropped", reports: reports.length, reason, sqlState });
    }
  };
}

/**
 * Writes segments and the reports that came with them, whatever is among them: a statement the database will not take for its values is halved until the
 * poison row stands alone and is buried; everything else is written. What could not be asked is handed back.
 */
import { toColo } from "@hopline/core/click/edge-report";
import { type DatabaseFailure, toDatabaseFailure } from "@hopline/db/database-failure";
import type { ClickBatch } from "@hopline/db/ingest/insert-clicks";
import type { EdgeReportRow } from "@hopline/db/ingest/insert-edge-reports";
import { buryClick, type BuryDeps } from "../dead-letters/bury.ts";
import type { PendingSegment } from "./pending-segment.ts";
import { halve, planStatements, type SegmentPart, toClickBatch } from "./plan-statements.ts";

export type WriteDeps = BuryDeps & {
  /** Writes clicks, rollups and ledger at once; says how many clicks were new. Rejects when the database does. */
  readonly insertClicks: (batch: ClickBatch) => Promise<number>;
  /** Counts reports of the edge, each once. Rejects when the database does. */
  readonly insertEdgeReports: (reports: readonly EdgeReportRow[]) => Promise<void>;
};

export type WriteReport = {
  /** Clicks that are new in the database. */
  readonly inserted: number;
  /** Clicks that are in a dead letter of their own, written now or before. */
  readonly refused: number;
  /** Segments of which at least a part is not settled, and why: to be delivered again, whole. */
  readonly failed: ReadonlyMap<PendingSegment, DatabaseFailure>;
};

/** Never rejects. @param source where the segments came from, for the dead letters. */
export async function writeSegments(
  segments: readonly PendingSegment[],
  source: string,
  deps: WriteDeps,
): Promise<WriteReport> {
  const failed = new Map<PendingSegment, DatabaseFailure>();
  let inserted = 0;
  let refused = 0;
  let outage: DatabaseFailure | null = null;

  const giveBack = (parts: readonly SegmentPart[], failure: DatabaseFailure): void => {
    if (failure.reason === "unavailable") {
      outage = failure;
    }
    for (const { segment } of parts) {
      failed.set(segment, failure);
    }
  };
  const write = async (parts: readonly SegmentPart[]): Promise<void> => {
    // Who does not answer one statement is not asked the next: each would cost a whole timeout.
    if (outage !== null) {
      giveBack(parts, outage);
      return;
    }
    try {
      inserted += await deps.insertClicks(toClickBatch(parts));
    } catch (error) {
      const failure = toDatabaseFailure(error);
      await (failure.reason === "data" ? isolate(parts, failure) : giveBack(parts, failure));
    }
  };
  const isolate = async (parts: readonly SegmentPart[], failure: DatabaseFailure): Promise<void> => {
    const halves = halve(parts);
    if (halves === null) {
      await refuse(parts, failure);
      return;
    }
    await write(halves[0]);
    await write(halves[1]);
  };
  const refuse = async (parts: readonly SegmentPart[], failure: DatabaseFailure): Promise<void> => {
    for (const { segment, from } of parts) {
      try {
        const verdict = { source, reason: failure.sqlState ?? failure.reason };
        await buryClick(segment, from, { verdict, deps });
        refused += 1;
      } catch (error) {
        giveBack(parts, toDatabaseFailure(error));
      }
    }
  };

  for (const parts of planStatements(segments.filter(({ rows }) => rows.length > 0))) {
    await write(parts);
  }
  const reports = segments.flatMap(toReportRows);
  if (reports.length > 0 && outage === null) {
    // A segment whose report could not be counted comes again; its clicks are recognised then.
    await deps.insertEdgeReports(reports).catch((error: unknown) => {
      const failure = toDatabaseFailure(error);
      segments.filter(({ report }) => report !== undefined).forEach((one) => failed.set(one, failure));
    });
  }
  return { inserted, refused, failed };
}

function toReportRows({ isolateId, report, clicks }: PendingSegment): readonly EdgeReportRow[] {
  const colo = report?.colo ?? toColo(clicks[0]?.colo);
  return report === undefined ? [] : [{ isolateId, report, colo }];
}

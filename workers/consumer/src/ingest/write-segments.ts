/**
 * Writes segments and the reports that came with them. Clicks that no database would take are buried first. A statement that the
 * database refuses for its values all the same is halved until the bad click is alone; that one is buried and all others are written.
 * What the database could not be asked is handed back.
 */
import { toColo } from "@hopline/core/click/edge-report";
import { toDatabaseFailure } from "@hopline/db/database-failure";
import { findUnstorable } from "@hopline/db/ingest/click-row";
import type { ClickBatch } from "@hopline/db/ingest/insert-clicks";
import type { EdgeReportRow } from "@hopline/db/ingest/insert-edge-reports";
import { buryClick, type BuryDeps, type WriteFailure } from "./bury.ts";
import type { CountReports } from "./count-reports.ts";
import type { PendingSegment, SegmentPart } from "./pending-segment.ts";
import { halve, planStatements, toClickBatch } from "./plan-statements.ts";

export type WriteDeps = BuryDeps & {
  /** Writes clicks, rollups and ledger at once. Resolves to how many clicks were new. Rejects if the database does. */
  readonly insertClicks: (batch: ClickBatch) => Promise<number>;
  /** Of one batch. */
  readonly maxClicks: () => number;
  readonly countReports: CountReports;
};

export type WriteReport = {
  /** Clicks that are new in the database. */
  readonly inserted: number;
  /** Clicks that are in a dead letter of their own, written now or before. */
  readonly refused: number;
  /** Segments of which some part is not settled, and why. They have to be delivered again, whole. */
  readonly failed: ReadonlyMap<PendingSegment, WriteFailure>;
};

/** Never rejects. @param source where the segments came from, for the dead letters. */
export async function writeSegments(
  segments: readonly PendingSegment[],
  source: string,
  deps: WriteDeps,
): Promise<WriteReport> {
  const failed = new Map<PendingSegment, WriteFailure>();
  let inserted = 0;
  let refused = 0;

  const findOutage = () => [...failed.values()].find(({ reason }) => reason === "unavailable");
  const handBack = (affected: readonly PendingSegment[], failure: WriteFailure): void =>
    affected.forEach((segment) => failed.set(segment, failure));
  const write = async (parts: readonly SegmentPart[]): Promise<void> => {
    // After one timeout, skip the remaining statements: each would cost another.
    const outage = findOutage();
    if (outage !== undefined) {
      handBack(segmentsOf(parts), outage);
      return;
    }
    try {
      inserted += await deps.insertClicks(toClickBatch(parts));
    } catch (error) {
      const failure = toDatabaseFailure(error);
      await (failure.reason === "data"
        ? isolate(parts, failure.sqlState ?? failure.reason)
        : handBack(segmentsOf(parts), failure));
    }
  };
  const bury = async (segment: PendingSegment, index: number, reason: string): Promise<boolean> => {
    const buried = await buryClick(segment, index, { verdict: { source, reason }, deps });
    refused += buried.ok ? 1 : 0;
    if (!buried.ok) {
      handBack([segment], buried.error);
    }
    return buried.ok;
  };
  /** `null`: one of its bad clicks could not be buried, and so the segment is handed back. */
  const buryBad = async (segment: PendingSegment): Promise<SegmentPart | null> => {
    const buried = new Set<number>();
    for (const [index, row] of segment.rows.entries()) {
      const reason = row === null ? "enrichment" : findUnstorable(row);
      if (reason !== null) {
        if (!(await bury(segment, index, reason))) {
          return null;
        }
        buried.add(index);
      }
    }
    return { segment, from: 0, to: segment.rows.length, buried };
  };
  const isolate = async (parts: readonly SegmentPart[], reason: string): Promise<void> => {
    for (const half of halve(parts) ?? []) {
      await write(half);
    }
    const [only] = parts;
    if (only?.segment.clicks.length === 0) {
      handBack([only.segment], { reason: "data", sqlState: null });
    } else if (only !== undefined && halve(parts) === null) {
      await bury(only.segment, only.from, reason);
    }
  };

  const storable: SegmentPart[] = [];
  for (const segment of dropKnownPlaces(segments)) {
    const part = await buryBad(segment);
    storable.push(...(part === null ? [] : [part]));
  }
  for (const parts of planStatements(storable, deps.maxClicks())) {
    await write(parts);
  }
  // Those of failed segments come again with them.
  await deps.countReports(
    segments.filter((segment) => !failed.has(segment)).flatMap((segment) => toReportRows(segment, source)),
    findOutage() !== undefined,
  );
  return { inserted, refused, failed };
}

/** A report without clicks says where its isolate has come to. One word for a place is enough. */
function dropKnownPlaces(segments: readonly PendingSegment[]): readonly PendingSegment[] {
  const placeOf = ({ isolateId, firstSequence }: PendingSegment) => `${isolateId}/${firstSequence}`;
  const known = new Set(segments.filter(({ clicks }) => clicks.length > 0).map(placeOf));
  return segments.filter((segment) => {
    const isNew = !known.has(placeOf(segment));
    known.add(placeOf(segment));
    return isNew || segment.clicks.length > 0;
  });
}

function segmentsOf(parts: readonly SegmentPart[]): readonly PendingSegment[] {
  return parts.map(({ segment }) => segment);
}

/** A shard by its name in wrangler.jsonc, with an environment's suffix: a label of metrics must not grow without bound. */
const SHARD = /^hopline-clicks-\d{1,3}(?:-[a-z]{1,20})?$/;

function toReportRows(
  { isolateId, report, clicks }: PendingSegment,
  source: string,
): readonly EdgeReportRow[] {
  if (report === undefined) {
    return [];
  }
  const colo = report.colo ?? toColo(clicks[0]?.colo);
  return [{ isolateId, report, colo, ...(SHARD.test(source) ? { queue: source } : {}) }];
}

/** The arithmetic of a reconciliation. Pure. */
import type { LedgerTotals } from "./find-ledger-totals.ts";

export type Reconciliation = {
  /** Clicks that the edge numbered: inserted + rejected + missing. */
  readonly accepted: number;
  readonly inserted: number;
  /** Clicks that were delivered again and skipped. */
  readonly duplicate: number;
  /** Clicks that the database refused. Each is in a dead letter. */
  readonly rejected: number;
  /** Clicks that were numbered but are nowhere: lost, or still in a queue. */
  readonly missing: number;
  /** How far the rollups are from the events, summed over every row. */
  readonly rollupDifference: number;
  /** How far the totals of links are from their rollups. */
  readonly totalDifference: number;
  /** How far the events are from what the ledger says was inserted. */
  readonly eventDifference: number;
  readonly addsUp: boolean;
};

export function reconcile(totals: LedgerTotals): Reconciliation {
  const { delivered, inserted, rejected, gaps, rollupDifference, totalDifference } = totals;
  const unsettled = delivered - inserted - rejected;
  const missing = gaps + unsettled;
  const eventDifference = totals.events - inserted;
  return {
    accepted: delivered + gaps,
    inserted,
    duplicate: totals.duplicates,
    rejected,
    missing,
    rollupDifference,
    totalDifference,
    eventDifference,
    // A segment that claims more clicks than it has would hide a gap of the same size, so each has to be right by itself.
    addsUp: [gaps, unsettled, rollupDifference, totalDifference, eventDifference].every((one) => one === 0),
  };
}

/** The width of a rollup row, in UTC. */
const BUCKET_MS = 900_000;

/** The smallest range of whole buckets around the one given. Epoch milliseconds. */
export function widenToBuckets(sinceMs: number, untilMs: number): { sinceMs: number; untilMs: number } {
  return {
    sinceMs: Math.floor(sinceMs / BUCKET_MS) * BUCKET_MS,
    untilMs: Math.ceil(untilMs / BUCKET_MS) * BUCKET_MS,
  };
}

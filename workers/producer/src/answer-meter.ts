/**
 * Counts what the isolate answers, for the metrics: an addition on the hot path, and a report now and then that travels
 * with the clicks. It decides nothing about requests and keeps nothing of them.
 */
import {
  ANSWER_OUTCOMES,
  ANSWER_TIERS,
  type AnswerCell,
  DURATION_BUCKETS,
  durationBucketOf,
  type EdgeReport,
  MAX_REPORT_CELLS,
  outcomeOfStatus,
  type ReportedTier,
} from "@hopline/core/edge-report";

/** Reports of an isolate are at least so far apart: each is a row of the database. Milliseconds. */
export const REPORT_EVERY_MS = 2_000;

/** After this, what no click took along travels by itself, at the price of a message. Milliseconds. */
export const REPORT_ALONE_AFTER_MS = 30_000;

export interface AnswerMeter {
  /** `tookMs`: from the request to its answer. 0 for what was held: the clock of a Worker stands still without I/O. */
  count(tier: ReportedTier, status: number, tookMs: number): void;
  /** The isolate has read the change feed, as it was at `atMs`. */
  noteFeed(atMs: number): void;
  /** What was counted since the last report, or `undefined`: nothing, or it is too early for another. */
  takeReport(nowMs: number): EdgeReport | undefined;
  /** Whether it is time for a report by itself. */
  isOverdue(nowMs: number): boolean;
}

const CELLS = ANSWER_TIERS.length * ANSWER_OUTCOMES.length * DURATION_BUCKETS;

export function createAnswerMeter(): AnswerMeter {
  const answers = new Uint32Array(CELLS);
  const totalMs = new Float64Array(CELLS);
  let number = 0;
  let isEmpty = true;
  /** `null`: never, and nobody has asked. */
  let reportedAtMs: number | null = null;
  let feedAtMs: number | null = null;

  function takeCells(): readonly AnswerCell[] {
    const cells: AnswerCell[] = [];
    isEmpty = true;
    for (let cell = 0; cell < CELLS; cell += 1) {
      const count = answers[cell] ?? 0;
      if (count > 0 && cells.length === MAX_REPORT_CELLS) {
        isEmpty = false;
        break;
      }
      if (count > 0) {
        cells.push({ ...nameCell(cell), answers: count, totalMs: totalMs[cell] ?? 0 });
        answers[cell] = 0;
        totalMs[cell] = 0;
      }
    }
    return cells;
  }

  return {
    count(tier, status, tookMs) {
      const cell = cellOf(tier, status, tookMs);
      answers[cell] = (answers[cell] ?? 0) + 1;
      isEmpty = false;
      if (tookMs > 0) {
        totalMs[cell] = (totalMs[cell] ?? 0) + tookMs;
      }
    },
    noteFeed(atMs) {
      feedAtMs = atMs;
    },
    takeReport(nowMs) {
      if (isEmpty || (reportedAtMs !== null && nowMs - reportedAtMs < REPORT_EVERY_MS)) {
        return undefined;
      }
      reportedAtMs = nowMs;
      number += 1;
      const feedAgeMs = feedAtMs === null ? null : Math.max(0, Math.round(nowMs - feedAtMs));
      return { number, colo: null, feedAgeMs, cells: takeCells() };
    },
    isOverdue(nowMs) {
      reportedAtMs ??= nowMs - REPORT_EVERY_MS;
      return !isEmpty && nowMs - reportedAtMs >= REPORT_ALONE_AFTER_MS;
    },
  };
}

function cellOf(tier: ReportedTier, status: number, tookMs: number): number {
  const row = ANSWER_TIERS.indexOf(tier) * ANSWER_OUTCOMES.length;
  return (
    (row + ANSWER_OUTCOMES.indexOf(outcomeOfStatus(status))) * DURATION_BUCKETS + durationBucketOf(tookMs)
  );
}

function nameCell(cell: number): Pick<AnswerCell, "tier" | "outcome" | "bucket"> {
  const row = Math.floor(cell / DURATION_BUCKETS);
  return {
    tier: ANSWER_TIERS[Math.floor(row / ANSWER_OUTCOMES.length)] ?? "none",
    outcome: ANSWER_OUTCOMES[row % ANSWER_OUTCOMES.length] ?? "error",
    bucket: cell % DURATION_BUCKETS,
  };
}

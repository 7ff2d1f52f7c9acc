/**
 * Counts what the isolate answers, for the metrics: an addition on the hot path, and a report now and then that travels
 * with the clicks. It decides nothing about requests and keeps nothing of them.
 */
import {
  ANSWER_CELLS,
  type AnswerCell,
  cellOf,
  type EdgeReport,
  MAX_REPORT_CELLS,
  type ReportedTier,
} from "@hopline/core/click/edge-report";

/** Reports of an isolate are at least so far apart: each is a row of the database. Milliseconds. */
export const REPORT_EVERY_MS = 2_000;

/** After this, what no click took along travels by itself, at the price of a message. Milliseconds. */
export const REPORT_ALONE_AFTER_MS = 30_000;

export interface AnswerMeter {
  /** `tookMs`: from the request to its answer. 0 for what was held: the clock of a Worker stands still without I/O. */
  count(tier: ReportedTier, status: number, tookMs: number): void;
  /** The isolate has read the change feed, as it was at `atMs`: whole epoch milliseconds, not in the future. */
  noteFeed(atMs: number): void;
  /** What was counted since the last report, or `undefined`: nothing, or it is too early for another. */
  takeReport(nowMs: number): EdgeReport | undefined;
  /** Whether it is time for a report by itself. */
  isOverdue(nowMs: number): boolean;
}

export function createAnswerMeter(): AnswerMeter {
  const answers = new Uint32Array(ANSWER_CELLS);
  const totalMs = new Float64Array(ANSWER_CELLS);
  let number = 0;
  let isEmpty = true;
  /** 0: never, and nobody has asked. */
  let reportedAtMs = 0;
  let feedAtMs: number | null = null;

  function takeCells(): readonly AnswerCell[] {
    const cells: AnswerCell[] = [];
    isEmpty = true;
    for (let cell = 0; cell < ANSWER_CELLS; cell += 1) {
      const count = answers[cell] ?? 0;
      if (count > 0 && cells.length === MAX_REPORT_CELLS) {
        isEmpty = false;
        break;
      }
      if (count > 0) {
        cells.push({ cell, answers: count, totalMs: totalMs[cell] ?? 0 });
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
      totalMs[cell] = (totalMs[cell] ?? 0) + tookMs;
      isEmpty = false;
    },
    noteFeed(atMs) {
      feedAtMs = atMs;
    },
    takeReport(nowMs) {
      if (isEmpty || nowMs - reportedAtMs < REPORT_EVERY_MS) {
        return undefined;
      }
      reportedAtMs = nowMs;
      number += 1;
      const feedAgeMs = feedAtMs === null ? null : nowMs - feedAtMs;
      return { number, colo: null, feedAgeMs, cells: takeCells() };
    },
    isOverdue(nowMs) {
      reportedAtMs ||= nowMs - REPORT_EVERY_MS;
      return !isEmpty && nowMs - reportedAtMs >= REPORT_ALONE_AFTER_MS;
    },
  };
}

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

/** After this, a report that no click has taken along travels alone, at the price of a message. Milliseconds. */
export const REPORT_ALONE_AFTER_MS = 30_000;

/** A feed that was not heard of for so long is lost: the next segment says so, however recent the last report is. Milliseconds. */
export const FEED_LOST_AFTER_MS = 30_000;

export interface AnswerMeter {
  /** `tookMs`: from the request to its answer. 0 for what was held: the clock of a Worker stands still without I/O. */
  count(tier: ReportedTier, status: number, tookMs: number): void;
  /**
   * What the isolate holds is what the change feed had announced by then: whole epoch milliseconds, not in the future. Noted
   * once before the first read too: from then on the feed is expected.
   */
  noteFeed(atMs: number): void;
  /** What was counted since the last report, or `undefined`: nothing, or it is too early for another. */
  takeReport(nowMs: number): EdgeReport | undefined;
  /** Whether it is time for a report that travels alone. */
  isOverdue(nowMs: number): boolean;
}

export function createAnswerMeter(): AnswerMeter {
  const answers = new Uint32Array(ANSWER_CELLS);
  const totalMs = new Float64Array(ANSWER_CELLS);
  let number = 0;
  let isEmpty = true;
  /** 0: never. */
  let reportedAtMs = 0;
  let feedAtMs: number | null = null;
  let isLossReported = false;

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
      isLossReported = false;
    },
    takeReport(nowMs) {
      const feedAgeMs = feedAtMs === null ? null : nowMs - feedAtMs;
      const isLost = feedAgeMs !== null && feedAgeMs >= FEED_LOST_AFTER_MS;
      const isNews = isLost && !isLossReported;
      if (!isNews && (isEmpty || nowMs - reportedAtMs < REPORT_EVERY_MS)) {
        return undefined;
      }
      isLossReported = isLost;
      reportedAtMs = nowMs;
      number += 1;
      return { number, colo: null, feedAgeMs, cells: takeCells() };
    },
    isOverdue(nowMs) {
      reportedAtMs ||= nowMs - REPORT_EVERY_MS;
      return !isEmpty && nowMs - reportedAtMs >= REPORT_ALONE_AFTER_MS;
    },
  };
}

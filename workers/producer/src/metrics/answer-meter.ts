/**
 * Counts what the isolate answers, for the metrics: an addition on the hot path, and a report now and then that travels
 * with the clicks. It decides nothing about requests and keeps nothing of them.
 */
import {
  type AnswerCell,
  cellOf,
  type EdgeFacts,
  type EdgeReport,
  MAX_REPORT_CELLS,
  type ReportedTier,
} from "@hopline/core/click/edge-report";
import type { MissedVisits } from "@hopline/core/click/missed-visits";

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
  /** The isolate missed changes of the feed. */
  noteGap(): void;
  /** What was counted since the last report, or `undefined`: nothing, or it is too early for another. */
  takeReport(nowMs: number): EdgeReport | undefined;
  /** Whether it is time for a report that travels alone. */
  isOverdue(nowMs: number): boolean;
}

type Counted = { readonly cell: number; answers: number; totalMs: number };

/** @param takeFacts what the isolate says of itself, once in a report. @param takeMisses what belongs to no link (miss-meter.ts). */
export function createAnswerMeter(
  takeFacts: () => EdgeFacts | null = () => null,
  takeMisses: (nowMs: number) => readonly MissedVisits[] = () => [],
): AnswerMeter {
  const cells = new Map<number, Counted>();
  let number = 0;
  /** 0: never. */
  let reportedAtMs = 0;
  let feedAtMs: number | null = null;
  let isLossReported = false;
  let feedGaps = 0;

  function takeCells(): readonly AnswerCell[] {
    const taken = [...cells.values()].slice(0, MAX_REPORT_CELLS);
    for (const { cell } of taken) {
      cells.delete(cell);
    }
    return taken;
  }

  return {
    count(tier, status, tookMs) {
      const cell = cellOf(tier, status, tookMs);
      const counted = cells.get(cell) ?? { cell, answers: 0, totalMs: 0 };
      counted.answers += 1;
      counted.totalMs += Math.max(0, tookMs); // A clock may be set back meanwhile, and a report says no negative time.
      cells.set(cell, counted);
    },
    noteFeed(atMs) {
      feedAtMs = atMs;
      isLossReported = false;
    },
    noteGap() {
      feedGaps += 1;
    },
    takeReport(nowMs) {
      const feedAgeMs = feedAtMs === null ? null : nowMs - feedAtMs;
      const isLost = feedAgeMs !== null && feedAgeMs >= FEED_LOST_AFTER_MS;
      const isNews = isLost && !isLossReported;
      if (!isNews && (cells.size === 0 || nowMs - reportedAtMs < REPORT_EVERY_MS)) {
        return undefined;
      }
      isLossReported = isLost;
      reportedAtMs = nowMs;
      number += 1;
      const gaps = feedGaps;
      feedGaps = 0;
      const misses = takeMisses(nowMs);
      const report = {
        number,
        colo: null,
        feedAgeMs,
        feedGaps: gaps,
        facts: takeFacts(),
        cells: takeCells(),
      };
      return misses.length === 0 ? report : { ...report, misses };
    },
    isOverdue(nowMs) {
      reportedAtMs ||= nowMs - REPORT_EVERY_MS;
      return cells.size > 0 && nowMs - reportedAtMs >= REPORT_ALONE_AFTER_MS;
    },
  };
}

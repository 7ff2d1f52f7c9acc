/** The meter counts every answer once into some report, whatever its size and however reports are asked for. */
import {
  ANSWER_TIERS,
  cellOf,
  decodeReport,
  DURATION_BOUNDS_MS,
  MAX_REPORT_CELLS,
  toWireReport,
} from "@hopline/core/click/edge-report";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createAnswerMeter,
  FEED_LOST_AFTER_MS,
  REPORT_ALONE_AFTER_MS,
  REPORT_EVERY_MS,
} from "../../src/metrics/answer-meter.ts";
import { runs } from "../../../../packages/core/test/runs.ts";

const T0 = 1_795_000_000_000;

it("reports what was counted, by tier, outcome and duration", () => {
  const meter = createAnswerMeter();
  meter.count("isolate", 302, 0);
  meter.count("isolate", 302, 0);
  meter.count("kv", 302, 7);
  meter.count("kv", 302, 9);
  meter.count("none", 503, 3_000);
  expect(meter.takeReport(T0)).toEqual({
    number: 1,
    colo: null,
    feedAgeMs: null,
    feedGaps: 0,
    facts: null,
    cells: [
      { cell: cellOf("isolate", 302, 0), answers: 2, totalMs: 0 },
      { cell: cellOf("kv", 302, 9), answers: 2, totalMs: 16 },
      { cell: cellOf("none", 503, 3_000), answers: 1, totalMs: 3_000 },
    ],
  });
});

it("counts an answer during which the clock was set back, in a report that can be read", () => {
  const meter = createAnswerMeter();
  meter.count("isolate", 302, -1_860);
  const report = meter.takeReport(T0);
  expect(report).toMatchObject({ cells: [{ answers: 1, totalMs: 0 }] });
  expect(report && decodeReport(toWireReport(report))).toEqual(report);
});

it("has nothing to report twice, and numbers what it reports", () => {
  const meter = createAnswerMeter();
  expect(meter.takeReport(T0)).toBeUndefined();
  meter.count("isolate", 302, 0);
  expect(meter.takeReport(T0)?.number).toBe(1);
  expect(meter.takeReport(T0 + REPORT_EVERY_MS)).toBeUndefined();
  meter.count("isolate", 404, 0);
  expect(meter.takeReport(T0 + REPORT_EVERY_MS - 1)).toBeUndefined();
  expect(meter.takeReport(T0 + REPORT_EVERY_MS)).toMatchObject({
    number: 2,
    cells: [{ cell: cellOf("isolate", 404, 0), answers: 1 }],
  });
});

it("says how old the feed's word is", () => {
  const meter = createAnswerMeter();
  meter.noteFeed(T0 - 1_234);
  meter.count("isolate", 302, 0);
  expect(meter.takeReport(T0)?.feedAgeMs).toBe(1_234);
});

it("counts how often changes of the feed were missed, each in one report", () => {
  const meter = createAnswerMeter();
  meter.noteGap();
  meter.noteGap();
  meter.count("isolate", 302, 0);
  expect(meter.takeReport(T0)?.feedGaps).toBe(2);
  meter.count("isolate", 302, 0);
  expect(meter.takeReport(T0 + REPORT_EVERY_MS)?.feedGaps).toBe(0);
});

it("says with the next segment that the feed is lost, though it has just reported and nothing was counted since", () => {
  const meter = createAnswerMeter();
  meter.noteFeed(T0);
  meter.count("isolate", 302, 0);
  expect(meter.takeReport(T0 + FEED_LOST_AFTER_MS - 1)?.feedAgeMs).toBe(FEED_LOST_AFTER_MS - 1);
  expect(meter.takeReport(T0 + FEED_LOST_AFTER_MS)?.feedAgeMs).toBe(FEED_LOST_AFTER_MS);
  // Once; then with each report, as ever.
  expect(meter.takeReport(T0 + FEED_LOST_AFTER_MS + 1)).toBeUndefined();
  meter.noteFeed(T0 + FEED_LOST_AFTER_MS + 1);
  expect(meter.takeReport(T0 + 2 * FEED_LOST_AFTER_MS + 1)?.feedAgeMs).toBe(FEED_LOST_AFTER_MS);
});

describe("a report that travels alone", () => {
  it("is due when no click took it along for half a minute, and not before", () => {
    const meter = createAnswerMeter();
    meter.count("negative", 404, 0);
    expect(meter.isOverdue(T0)).toBe(false);
    expect(meter.isOverdue(T0 + REPORT_ALONE_AFTER_MS - REPORT_EVERY_MS)).toBe(true);
    meter.takeReport(T0 + REPORT_ALONE_AFTER_MS);
    expect(meter.isOverdue(T0 + 2 * REPORT_ALONE_AFTER_MS)).toBe(false);
    meter.count("negative", 404, 0);
    expect(meter.isOverdue(T0 + 2 * REPORT_ALONE_AFTER_MS)).toBe(true);
  });
});

it("leaves nothing out when there is more than a report holds", () => {
  const answer = fc.record({
    tier: fc.constantFrom(...ANSWER_TIERS),
    status: fc.constantFrom(200, 302, 401, 404, 410, 429, 500, 503),
    tookMs: fc.constantFrom(0, ...DURATION_BOUNDS_MS, 9_999),
  });
  fc.assert(
    fc.property(fc.array(answer, { maxLength: 400 }), (answers) => {
      const meter = createAnswerMeter();
      let counted = 0;
      let totalMs = 0;
      answers.forEach(({ tier, status, tookMs }) => meter.count(tier, status, tookMs));
      for (let nowMs = T0; ; nowMs += REPORT_EVERY_MS) {
        const report = meter.takeReport(nowMs);
        if (report === undefined) {
          break;
        }
        expect(report.cells.length).toBeLessThanOrEqual(MAX_REPORT_CELLS);
        counted += report.cells.reduce((sum, cell) => sum + cell.answers, 0);
        totalMs += report.cells.reduce((sum, cell) => sum + cell.totalMs, 0);
      }
      expect([counted, totalMs]).toEqual([
        answers.length,
        answers.reduce((sum, { tookMs }) => sum + tookMs, 0),
      ]);
    }),
    runs(),
  );
});

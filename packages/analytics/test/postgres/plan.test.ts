/** How a range is split: its spans give the range, for any boundaries. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planRange, QUARTER_MS } from "../../src/postgres/plan.ts";
import { runs } from "../../../core/test/runs.ts";

const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2026, 2, 20);

const anInstant = fc
  .oneof(
    fc.integer({ min: 0, max: 12 * DAY_MS }),
    fc.integer({ min: 0, max: 12 * 96 }).map((quarter) => quarter * QUARTER_MS),
    fc.integer({ min: 0, max: 12 }).map((day) => day * DAY_MS),
  )
  .map((afterMs) => FIRST_MS + afterMs);
const aRange = fc
  .tuple(anInstant, anInstant)
  .map(([one, other]) => ({ fromMs: Math.min(one, other), toMs: Math.max(one, other) }));
const someBoundaries = fc
  .uniqueArray(anInstant, { maxLength: 4 })
  .map((boundariesMs) => boundariesMs.toSorted((a, b) => a - b));

describe("the spans of a range", () => {
  it("cover each instant of it once, and nothing else", () => {
    fc.assert(
      fc.property(aRange, someBoundaries, (range, boundariesMs) => {
        const spans = Object.values(planRange(range, boundariesMs)).flat();
        const edges = [range, ...spans].flatMap(({ fromMs, toMs }) => [fromMs, toMs]);
        for (const atMs of edges.flatMap((edgeMs) => [edgeMs - 1, edgeMs])) {
          const times = spans.filter(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs).length;
          expect([atMs, times]).toEqual([atMs, range.fromMs <= atMs && atMs < range.toMs ? 1 : 0]);
        }
      }),
      runs(),
    );
  });

  it("are whole days and quarters of an hour, none of which holds a boundary", () => {
    fc.assert(
      fc.property(aRange, someBoundaries, (range, boundariesMs) => {
        const { days, quarters, instants } = planRange(range, boundariesMs);
        const inside = boundariesMs.filter((atMs) => range.fromMs < atMs && atMs < range.toMs);
        for (const [spans, grainMs] of [
          [days, DAY_MS],
          [quarters, QUARTER_MS],
        ] as const) {
          for (const { fromMs, toMs } of spans) {
            expect([fromMs % grainMs, toMs % grainMs]).toEqual([0, 0]);
            const cut = inside.filter((atMs) => fromMs < atMs && atMs < toMs);
            expect(cut.filter((atMs) => atMs % grainMs !== 0)).toEqual([]);
          }
        }
        for (const { fromMs, toMs } of instants) {
          // Two ends of neighbouring buckets are one span.
          expect(toMs - fromMs).toBeLessThan(QUARTER_MS * (2 + inside.length));
        }
      }),
      runs(),
    );
  });
});

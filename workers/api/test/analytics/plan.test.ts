/** How a range is split into pieces: what they add and subtract gives the range, for any sources. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Piece, planPieces } from "../../src/analytics/plan.ts";
import { chooseSources, type Needs } from "../../src/analytics/source.ts";
import { runs } from "../../../../packages/core/test/runs.ts";

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;
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

const inCountry = { dimension: "country", is: ["DE"], isNot: [] } as const;
const inTag = { dimension: "tag", is: ["a"], isNot: [] } as const;
const ofLink = { dimension: "link", is: ["0198c0de-0000-7000-8000-000000000001"], isNot: [] } as const;
const someNeeds = fc.constantFrom<Needs>(
  ...[
    { filters: [] },
    { filters: [], dimension: "link" as const },
    { filters: [], dimension: "browser" as const },
    { filters: [inCountry], dimension: "browser" as const },
    { filters: [inTag], dimension: "link" as const },
    { filters: [inTag], dimension: "browser" as const },
    { filters: [ofLink, inTag], dimension: "browser" as const },
    { filters: [inCountry, inTag], dimension: "browser" as const },
  ].map((needs) => ({ visitors: false, instants: false, ...needs })),
);

/** How often the pieces count a click at that instant. */
const timesCounted = (pieces: readonly Piece[], atMs: number): number =>
  pieces.filter(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs).reduce((sum, { sign }) => sum + sign, 0);

describe("the pieces of a range", () => {
  it("cover each instant of it once, and nothing else", () => {
    fc.assert(
      fc.property(aRange, someNeeds, fc.array(anInstant, { maxLength: 4 }), (range, needs, boundariesMs) => {
        const pieces = planPieces(range, chooseSources(needs), boundariesMs);
        const edges = [range, ...pieces].flatMap(({ fromMs, toMs }) => [fromMs, toMs]);
        for (const atMs of edges.flatMap((edgeMs) => [edgeMs - 1, edgeMs])) {
          const isInside = range.fromMs <= atMs && atMs < range.toMs;
          expect([atMs, timesCounted(pieces, atMs)]).toEqual([atMs, isInside ? 1 : 0]);
        }
      }),
      runs(),
    );
  });

  it("are whole rows of their source, and no row spans a boundary or starts before the range", () => {
    fc.assert(
      fc.property(aRange, someNeeds, fc.array(anInstant, { maxLength: 4 }), (range, needs, boundariesMs) => {
        for (const { source, fromMs, toMs, sign } of planPieces(range, chooseSources(needs), boundariesMs)) {
          expect([fromMs % source.grainMs, toMs % source.grainMs]).toEqual([0, 0]);
          expect(fromMs).toBeLessThan(toMs);
          expect(sign === 1 || source.grainMs === 1).toBe(true);
          if (boundariesMs.length > 0) {
            const inside = boundariesMs.filter((atMs) => range.fromMs < atMs && atMs < range.toMs);
            expect(source.grainMs === 1 || inside.every((atMs) => atMs % source.grainMs === 0)).toBe(true);
            expect([sign, fromMs >= range.fromMs, toMs <= range.toMs]).toEqual([1, true, true]);
          }
        }
      }),
      runs(),
    );
  });

  it("read at most half a day of events at either end, if there are summaries of days", () => {
    const needs: Needs = { filters: [inCountry], dimension: "browser", visitors: false, instants: false };
    fc.assert(
      fc.property(aRange, (range) => {
        const pieces = planPieces(range, chooseSources(needs));
        const events = pieces.filter(({ source }) => source.grainMs === 1);
        fc.pre(events.length < pieces.length);
        expect(events.length).toBeLessThanOrEqual(2);
        for (const { fromMs, toMs } of events) {
          expect(toMs - fromMs).toBeLessThanOrEqual(DAY_MS / 2);
        }
      }),
      runs(),
    );
  });
});

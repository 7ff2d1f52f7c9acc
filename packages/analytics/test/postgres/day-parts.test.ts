/** Which parts of a range pre-aggregated visitors can answer: never too much, and all of a zone's days and weeks. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openZone, type Zone } from "../../src/calendar.ts";
import { type DayPart, planDayParts } from "../../src/postgres/day-parts.ts";
import { bucketStarts, INTERVALS } from "../../src/interval.ts";
import { runs } from "../../../core/test/runs.ts";

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;
const FIRST_MS = Date.UTC(2026, 2, 20);

const zoneOf = (name: string): Zone => openZone(name) ?? expect.fail(`no zone ${name}`);
const edgesOf = ({ dayMs, fromQuarter, toQuarter }: DayPart) => ({
  fromMs: dayMs + fromQuarter * QUARTER_MS,
  toMs: dayMs + toQuarter * QUARTER_MS,
});
const lengthOf = (parts: readonly DayPart[]): number =>
  parts.map(edgesOf).reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);

const aRange = fc
  .uniqueArray(
    fc.oneof(
      fc.integer({ min: 0, max: 20 * DAY_MS }),
      fc.integer({ min: 0, max: 20 * 96 }).map((quarter) => quarter * QUARTER_MS),
      fc.integer({ min: 0, max: 20 }).map((day) => day * DAY_MS),
    ),
    { minLength: 2, maxLength: 2 },
  )
  .map((edges) => edges.toSorted((a, b) => a - b))
  .map(([fromMs = 0, toMs = 0]) => ({ fromMs: FIRST_MS + fromMs, toMs: FIRST_MS + toMs }));
const aZone = fc.constantFrom("UTC", "Asia/Kathmandu", "Europe/Berlin", "Australia/Lord_Howe").map(zoneOf);

describe("parts of days", () => {
  it("are in the range, within one bucket and one day, disjoint, and touch an end of the day", () => {
    fc.assert(
      fc.property(aRange, aZone, fc.constantFrom(...INTERVALS), (range, zone, interval) => {
        const starts = bucketStarts(range, interval, zone);
        let lastMs = range.fromMs;
        for (const part of planDayParts(range, starts)) {
          const { fromMs, toMs } = edgesOf(part);
          expect(fromMs).toBeGreaterThanOrEqual(Math.max(lastMs, starts[part.bucket - 1] ?? Infinity));
          expect(toMs).toBeLessThanOrEqual(Math.min(range.toMs, starts[part.bucket] ?? Infinity));
          expect(fromMs).toBeLessThan(toMs);
          expect(part.dayMs % DAY_MS).toBe(0);
          expect(part.fromQuarter === 0 || part.toQuarter === 96).toBe(true);
          lastMs = toMs;
        }
      }),
      runs(),
    );
  });

  it.each([
    ["Asia/Kathmandu", "day"],
    ["Europe/Berlin", "day"],
    ["Australia/Lord_Howe", "day"],
    ["America/Havana", "week"],
    ["UTC", "month"],
  ] as const)("leave nothing of whole days in %s by %s", (name, interval) => {
    const zone = zoneOf(name);
    const [fromMs = 0, ...rest] = bucketStarts(
      { fromMs: FIRST_MS, toMs: FIRST_MS + 70 * DAY_MS },
      interval,
      zone,
    );
    const range = { fromMs, toMs: rest.at(-1) ?? 0 };
    const parts = planDayParts(range, bucketStarts(range, interval, zone));
    expect(lengthOf(parts)).toBe(range.toMs - range.fromMs);
  });

  it("are the first and the last hour of each day in a chart by hour", () => {
    const range = { fromMs: FIRST_MS, toMs: FIRST_MS + 2 * DAY_MS };
    const parts = planDayParts(range, bucketStarts(range, "hour", zoneOf("UTC")));
    expect(parts.map(({ bucket }) => bucket)).toEqual([1, 24, 25, 48]);
  });

  it("exclude days whose edge is not on a quarter of an hour", () => {
    const range = { fromMs: FIRST_MS + 1, toMs: FIRST_MS + 3 * DAY_MS - 1 };
    expect(planDayParts(range, [range.fromMs])).toEqual([
      { bucket: 1, dayMs: FIRST_MS + DAY_MS, fromQuarter: 0, toQuarter: 96 },
    ]);
  });
});

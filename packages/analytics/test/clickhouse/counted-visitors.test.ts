import { expect, it } from "vitest";
import { hasCountedVisitors } from "../../src/clickhouse/sealed-days.ts";
import type { Filter } from "../../src/dimension.ts";

const ONE_AND_TWO = ["2026-11-01", "2026-11-02"];

/** Of sealed days, the first and second of November. The third is not. */
function isCounted(
  [from, ...ends]: readonly [string, ...string[]],
  { filters = [], counted = ONE_AND_TWO }: { filters?: readonly Filter[]; counted?: readonly string[] } = {},
): boolean {
  const [fromMs = 0, ...endsMs] = [from, ...ends].map((end) => Date.parse(`2026-11-${end}Z`));
  const range = { fromMs, toMs: endsMs.at(-1) ?? fromMs };
  const question = { workspaceId: "", range, filters };
  const part = {
    kind: "series",
    question,
    startsMs: [fromMs, ...endsMs.slice(0, -1)],
    visitors: true,
  } as const;
  const sealed = ONE_AND_TWO.map((day) => {
    return { day, clicks: 1, fingerprint: "", isCounted: counted.includes(day) };
  });
  const today = { day: "2026-11-03", clicks: 1, fingerprint: null, isCounted: false };
  return hasCountedVisitors(part, [...sealed, today]);
}

const only = (dimension: Filter["dimension"], value: string): Filter => ({
  dimension,
  is: [value],
  isNot: [],
});

it("Postgres has the visitors of whole days, and of days that are cut once, on a quarter of an hour", () => {
  expect(isCounted(["01T00:00", "03T00:00"])).toBe(true);
  expect(isCounted(["01T04:15", "02T04:15", "03T04:15"])).toBe(true);
  expect(isCounted(["01T04:15", "01T20:00"])).toBe(false);
  expect(isCounted(["01T00:00", "01T06:00", "01T12:00", "03T00:00"])).toBe(false);
  expect(isCounted(["01T04:20", "03T00:00"])).toBe(false);
});

it("Postgres has them however days are cut that it answers anyway", () => {
  expect(isCounted(["02T00:00", "03T01:00", "03T02:00", "03T02:47"])).toBe(true);
});

it("Postgres has them of people and of all clicks, and only while it has those of every sealed day", () => {
  expect(isCounted(["01T00:00", "03T00:00"], { filters: [only("class", "human")] })).toBe(true);
  expect(isCounted(["01T00:00", "03T00:00"], { filters: [only("class", "bot")] })).toBe(false);
  expect(isCounted(["01T00:00", "03T00:00"], { filters: [only("country", "CH")] })).toBe(false);
  expect(isCounted(["01T00:00", "03T00:00"], { counted: ["2026-11-01"] })).toBe(false);
});

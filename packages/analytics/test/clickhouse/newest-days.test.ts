import { describe, expect, it } from "vitest";
import { newestDays, sealedOf } from "../../src/clickhouse/sealed-days.ts";

const DAYS = ["2026-11-01", "2026-11-02", "2026-11-03", "2026-11-04"];
const stepsOf = (clicks: number, [from, to]: readonly [string, string]) => {
  const range = { fromMs: Date.parse(from), toMs: Date.parse(to) };
  const days = DAYS.map((day) => ({ day, clicks, fingerprint: "", isCounted: [] }));
  return [...newestDays(days, range)].map((step) => sealedOf(step).map(({ day }) => day));
};

describe("the newest clicks in ClickHouse", () => {
  it("are looked for in the newest day first, then in many more, and in all in the end", () => {
    expect(stepsOf(800_000, ["2026-11-01T12:00:00Z", "2026-11-05"])).toEqual([
      ["2026-11-04"],
      ["2026-11-03", "2026-11-04"],
      DAYS,
    ]);
  });

  it("are looked for in all days at once if these are small", () => {
    expect(stepsOf(10, ["2026-11-02", "2026-11-04"])).toEqual([["2026-11-02", "2026-11-03"]]);
  });

  it("are none where no day is sealed", () => {
    expect(stepsOf(10, ["2026-12-02", "2026-12-04"])).toEqual([]);
  });
});

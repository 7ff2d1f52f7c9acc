import { describe, expect, it } from "vitest";
import { keepUnchanged, newestDays, rangesOf, sealedOf } from "../../src/clickhouse/sealed-days.ts";

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

it("a day that only ClickHouse has, or that holds something else than was sealed, is asked of Postgres", () => {
  const sealed = (day: string) => ({ day, clicks: 2, fingerprint: "7", isCounted: [] });
  const holds = (day: string, found: number, fingerprint = "7") => ({ day, found, fingerprint });
  const days = [sealed("2026-11-01"), sealed("2026-11-03"), sealed("2026-11-05"), sealed("2026-11-07")];
  const range = { fromMs: Date.parse("2026-11-01"), toMs: Date.parse("2026-11-08") };
  const ranges = (contents: Parameters<typeof keepUnchanged>[1]) =>
    rangesOf(true, range, keepUnchanged(days, contents)).map(({ fromMs, toMs }) =>
      [fromMs, toMs].map((atMs) => new Date(atMs).toISOString().slice(8, 10)),
    );
  const right = (...ofDays: readonly string[]) => ofDays.map((day) => holds(`2026-11-${day}`, 2));
  expect(ranges(right("01", "03", "05", "07"))).toEqual([["01", "08"]]);
  expect(ranges([holds("2026-11-02", 9), ...right("01", "03", "05", "07")])).toEqual([
    ["01", "02"],
    ["03", "08"],
  ]);
  expect(ranges([holds("2026-11-03", 2, "8"), ...right("01", "07")])).toEqual([
    ["01", "02"],
    ["07", "08"],
  ]);
});

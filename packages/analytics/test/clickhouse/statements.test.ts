import { expect, it } from "vitest";
import type { Names } from "../../src/clickhouse/names.ts";
import { countSeries, readSeries } from "../../src/clickhouse/statements.ts";

const NO_NAMES: Names = { domainsOf: () => [], linksOf: () => [], linksOfTags: [], matching: () => [] };

it("a bucket that starts before 1970 is asked for from there, as ClickHouse has no earlier second", () => {
  const startsMs = [Date.UTC(1900)];
  const question = { workspaceId: "", range: { fromMs: Date.UTC(1900), toMs: Date.UTC(2000) }, filters: [] };
  const { parameters } = countSeries(
    { question, startsMs, visitors: false },
    { names: NO_NAMES, days: [{ day: "1999-12-31", clicks: 1, fingerprint: "", needsClicks: [] }] },
  );
  expect(Object.values(parameters).filter((value) => Number(value) < 0)).toEqual([]);
  expect(readSeries([{ start: 0, clicks: 1 }], startsMs)).toEqual([{ clicks: 1, visitors: 0 }]);
});

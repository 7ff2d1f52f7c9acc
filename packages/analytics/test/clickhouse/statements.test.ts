import { expect, it } from "vitest";
import type { Names } from "../../src/clickhouse/names.ts";
import { countLists, readSeries } from "../../src/clickhouse/statements.ts";

const NO_NAMES: Names = { domainsOf: () => [], linksOf: () => [], linksOfTags: [], matching: () => [] };

it("a bucket that starts before 1970 is asked for from there, as ClickHouse has no earlier second", () => {
  const startsMs = [Date.UTC(1900)];
  const question = { workspaceId: "", range: { fromMs: Date.UTC(1900), toMs: Date.UTC(2000) }, filters: [] };
  const part = { kind: "series", question, startsMs, visitors: false } as const;
  const days = [{ day: "1999-12-31", clicks: 1, fingerprint: "", needsClicks: [] }];
  const { parameters } = countLists([{ part, breakdowns: [] }], { names: NO_NAMES, days });
  expect(
    Object.values(parameters)
      .flat()
      .filter((value) => Number(value) < 0),
  ).toEqual([]);
  expect(readSeries([{ value: 0, clicks: 1 }], startsMs)).toEqual([{ clicks: 1, visitors: 0 }]);
});

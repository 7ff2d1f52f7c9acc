import { expect, it } from "vitest";
import type { Names } from "../../src/clickhouse/names.ts";
import type { Reading } from "../../src/clickhouse/proof.ts";
import { countLists, groupLists, readSeries } from "../../src/clickhouse/statements.ts";

const READING: Reading = {
  isOwn: "1",
  fromS: 0,
  toS: 0,
  newestS: 2 ** 31,
  isNewestFinal: false,
  finalS: [],
  clicks: 0,
};
const NO_NAMES: Names = {
  domainsOf: () => [],
  linksOf: () => [],
  linksOfTags: [],
  linksWithin: [],
  matching: () => [],
};

it("a bucket that starts before 1970 is asked for from there, as ClickHouse has no earlier second", () => {
  const startsMs = [Date.UTC(1900)];
  const question = { workspaceId: "", range: { fromMs: Date.UTC(1900), toMs: Date.UTC(2000) }, filters: [] };
  const part = { kind: "series", question, startsMs, visitors: false } as const;
  const { parameters } = countLists([part], { names: NO_NAMES, reading: READING });
  expect(
    Object.values(parameters)
      .flat()
      .filter((value) => Number(value) < 0),
  ).toEqual([]);
  expect(readSeries([{ value: 0, clicks: 1 }], startsMs)).toEqual([{ clicks: 1, visitors: 0 }]);
});

it("visitors of one day are grouped by two bytes; of several by day too, as the key of their hash changes with it", () => {
  const atMs = (text: string) => Date.parse(text);
  const groupsOf = (from: string, to: string, clicks: number) => {
    const range = { fromMs: atMs(from), toMs: atMs(to) };
    const part = {
      kind: "series",
      question: { workspaceId: "", range, filters: [] },
      visitors: true,
    } as const;
    const reading = { ...READING, fromS: range.fromMs / 1_000, toS: range.toMs / 1_000, clicks };
    const { text } = countLists([{ ...part, startsMs: [range.fromMs] }], { names: NO_NAMES, reading });
    return /\) GROUP BY (.*)\n/.exec(text)?.[1];
  };
  expect(groupsOf("2026-11-20T00:00Z", "2026-11-21T00:00Z", 1e7)).toBe("toUInt16(bitAnd(visitor, 1023))");
  expect(groupsOf("2026-11-20T00:00Z", "2026-11-21T00:00Z", 10)).toBe("toUInt16(bitAnd(visitor, 0))");
  expect(groupsOf("2026-11-20T23:45Z", "2026-11-21T00:15Z", 10)).toMatch(/^toDate\(quarter\), /);
});

it("lists of the same clicks are counted together, unless their keys are equal or they need more than numbers", () => {
  const range = { fromMs: Date.UTC(2026, 10) + 60_000, toMs: Date.UTC(2026, 11) };
  const question = { workspaceId: "", range, filters: [] };
  const by = (dimension: "os" | "country" | "tag", visitors = false) => {
    return { kind: "breakdown", question, dimension, limit: 10, visitors } as const;
  };
  const from = (fromMs: number) => {
    return { kind: "series", question, startsMs: [fromMs], visitors: false } as const;
  };
  const [os, again, country, tag, seen] = [by("os"), by("os"), by("country"), by("tag"), by("country", true)];
  const [total, bucket] = [from(range.fromMs + 60_000), from(range.fromMs)];
  expect(groupLists([os, again, country, tag, seen, total, bucket])).toEqual([
    [os, country, total],
    [again, bucket],
    [tag],
    [seen],
  ]);
});

it("lists in whole quarters of an hour that a projection has are counted alone", () => {
  const range = { fromMs: Date.UTC(2026, 10), toMs: Date.UTC(2026, 11) };
  type Named = "os" | "device" | "country" | "city";
  const by = (dimension: Named, filtered: "browser" | "source" | null = null) => {
    const filters = filtered === null ? [] : [{ dimension: filtered, is: ["x"], isNot: [] }];
    return {
      kind: "breakdown",
      question: { workspaceId: "", range, filters },
      dimension,
      limit: 10,
    } as const;
  };
  const [os, country, city, device] = [by("os"), by("country"), by("city"), by("device")];
  expect(groupLists([os, country, city, device])).toEqual([[os], [country], [city], [device]]);
  const filtered = [by("os", "browser"), by("country", "browser"), by("city", "browser")];
  expect(groupLists(filtered)).toEqual([filtered.slice(0, 1), filtered.slice(1)]);
  const bySource = [by("os", "source"), by("country", "source")];
  expect(groupLists(bySource)).toEqual([bySource]);
});

it("ids of a tag's links are in the statement, because the client takes 30 bytes for each character of a parameter", () => {
  const range = { fromMs: Date.UTC(2026, 10), toMs: Date.UTC(2026, 11) };
  const link = "0198f3c2-0000-7000-8000-000000000001";
  const count = (links: string) => {
    const names = { ...NO_NAMES, linksOf: () => [links], linksOfTags: [{ tag: "a", links }] };
    const filters = [{ dimension: "tag", is: ["a"], isNot: [] }] as const;
    const question = { workspaceId: "", range, filters };
    const part = { kind: "breakdown", question, dimension: "tag", limit: 10 } as const;
    return countLists([part], { names, reading: READING });
  };
  const { text, parameters } = count(`${link},${link}`);
  expect([text.split(link).length - 1, JSON.stringify(parameters).includes(link)]).toEqual([4, false]);
  expect(() => count("' OR 1")).toThrow("invariant");
});

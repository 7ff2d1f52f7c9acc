/** Reports of the edge: what is written is read again, and what cannot be read costs no click. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ANSWER_CELLS,
  ANSWER_TIERS,
  cellOf,
  decodeReport,
  DURATION_BOUNDS_MS,
  durationBucketOf,
  type EdgeReport,
  MAX_REPORT_CELLS,
  nameCell,
  outcomeOfStatus,
  toColo,
  toWireReport,
} from "../../src/click/edge-report.ts";
import { isKeptSlug } from "../../src/click/missed-visits.ts";
import { decodeSegment, encodeSegment, MAX_SEGMENT_BYTES, type Segment } from "../../src/click/segment.ts";
import { readGolden } from "../golden.ts";
import { runs } from "../runs.ts";

const GOLDEN: Segment = {
  isolateId: "00c0ffee12345678",
  firstSequence: 43,
  clicks: [],
  report: {
    number: 7,
    colo: "ZRH",
    feedAgeMs: 840,
    feedGaps: 2,
    facts: {
      entries: 4_100,
      bytes: 2_900_000,
      buffered: 31,
      evictions: 12,
      refused: 340,
      kv: 15,
      db: 3,
      hedged: 1,
    },
    cells: [
      { cell: cellOf("isolate", 302, 0), answers: 1_200, totalMs: 0 },
      { cell: cellOf("kv", 302, 7), answers: 14, totalMs: 96 },
      { cell: cellOf("none", 503, 900), answers: 2, totalMs: 1_500 },
    ],
    misses: [
      [
        "0198f3c2-0000-7000-8000-000000000002",
        12,
        3,
        40,
        [
          ["sumer", 7],
          ["prüfung/2026", 1],
        ],
      ],
    ],
  },
};

const count = fc.integer({ min: 0, max: 2 ** 40 });
const cell = fc.record({
  cell: fc.integer({ min: 0, max: ANSWER_CELLS - 1 }),
  answers: count,
  totalMs: count,
});
const report: fc.Arbitrary<EdgeReport> = fc.record({
  number: fc.integer({ min: 1, max: 2 ** 40 }),
  colo: fc.constantFrom(null, "ZRH"),
  feedAgeMs: fc.option(count),
  feedGaps: count,
  facts: fc.option(
    fc.record({
      entries: count,
      bytes: count,
      buffered: count,
      evictions: count,
      refused: count,
      kv: count,
      db: count,
      hedged: count,
    }),
  ),
  cells: fc.array(cell, { maxLength: MAX_REPORT_CELLS }),
});

describe("a report that travels alone", () => {
  it("is written and read as the golden file shows", () => {
    expect(encodeSegment(GOLDEN)).toBe(readGolden("segment-report.v1.json"));
    expect(decodeSegment(readGolden("segment-report.v1.json"))).toEqual({ ok: true, value: GOLDEN });
  });
});

it("is read as it was written", () => {
  fc.assert(
    fc.property(report, (written) => {
      const text = JSON.stringify(toWireReport(written));
      expect(decodeReport(JSON.parse(text))).toEqual(written);
    }),
    runs(),
  );
});

it("fits beside the clicks of a segment into what a queue bills as one message", () => {
  fc.assert(
    fc.property(report, (written) => {
      const bytes = JSON.stringify({ r: toWireReport(written) }).length;
      expect(MAX_SEGMENT_BYTES + bytes).toBeLessThan(64_000 - 100);
    }),
    runs(),
  );
});

const MISS = ["0198f3c2-0000-7000-8000-000000000002", 0, 0, 3];

it.each([
  ["x"],
  [[[]]],
  [[["go.example.com", 0, 0, 1, []]]],
  [[[MISS[0], 0, 0, -1, []]]],
  [[[...MISS, [["sumer", 1.5]]]]],
  [[[...MISS, [["/unknown", 1]]]]],
  [[[...MISS, [["a\u0000b", 1]]]]],
  [[[...MISS, [["4155550123456", 1]]]]],
])("is read without its misses where they are %j", (m) => {
  expect(decodeReport({ n: 1, a: [], m })).toEqual({
    number: 1,
    colo: null,
    feedAgeMs: null,
    feedGaps: 0,
    facts: null,
    cells: [],
  });
});

it.each([
  ["sumer", true],
  ["docs/setup", true],
  ["summersale2026", true],
  ["black-friday-2026-vienna", true],
  ["prüfung", true],
  ["aB3x9Zq", true],
  ["v1.2", true],
  ["eyJhbGciOiJIUzI1NiJ9", false],
  ["0198f3c2a1b27c3d", false],
  ["0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f", false],
  ["+4367612345", false],
  ["correcthorsebatterystaplecorrect", false],
  ["a".repeat(13) + "-".repeat(28), false],
  ["wp-login.php", false],
  ["wp-admin", false],
  ["backup.zip", false],
])("the slug %s is kept: %s", (slug, isKept) => {
  expect(isKeptSlug(slug)).toBe(isKept);
});

it("is read without its facts where they can't be read", () => {
  for (const e of [[], [1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 4, 5, 6, 7, -8], "x"]) {
    expect(decodeReport({ n: 1, a: [], e })).toMatchObject({ number: 1, facts: null });
  }
});

describe("what is no report", () => {
  it.each([
    [null],
    ["text"],
    [[]],
    [{ n: 0, a: [] }],
    [{ n: 1.5, a: [] }],
    [{ n: 1 }],
    [{ n: 1, a: [[0, 1]] }],
    [{ n: 1, a: [[ANSWER_CELLS, 1, 0]] }],
    [{ n: 1, a: [[0.5, 1, 0]] }],
    [{ n: 1, a: [[0, -1, 0]] }],
    [{ n: 1, a: [[0, 1, 2 ** 41]] }],
    [{ n: 1, a: Array.from({ length: MAX_REPORT_CELLS + 1 }, () => [0, 1, 0]) }],
  ])("such as %j is none, and its clicks are read all the same", (wire) => {
    expect(decodeReport(wire)).toBeUndefined();
    const click = { t: 1, l: "0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f", v: 1 };
    const segment = { format: 1, isolate: GOLDEN.isolateId, first: 1, clicks: [click], r: wire };
    expect(decodeSegment(segment)).toMatchObject({ ok: true, value: { clicks: [{ clickedAtMs: 1 }] } });
    expect(decodeSegment({ ...segment, clicks: [] })).toMatchObject({
      ok: false,
      error: { field: "clicks" },
    });
  });

  it("is never thrown over", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (wire) => void decodeReport(wire)),
      runs(),
    );
  });
});

it.each([
  [200, "page"],
  [302, "redirect"],
  [308, "redirect"],
  [401, "locked"],
  [403, "locked"],
  [404, "not_found"],
  [405, "refused"],
  [410, "gone"],
  [429, "refused"],
  [500, "error"],
  [503, "unavailable"],
] as const)("takes %i for %s", (status, outcome) => {
  expect(outcomeOfStatus(status)).toBe(outcome);
});

it("names every cell by what counts in it", () => {
  const statuses = [302, 200, 401, 404, 410, 429, 503, 500];
  const durationsMs = [...DURATION_BOUNDS_MS, 9_999];
  const cells = ANSWER_TIERS.flatMap((tier) =>
    statuses.flatMap((status) =>
      durationsMs.map((ms) => ({ tier, status, ms, cell: cellOf(tier, status, ms) })),
    ),
  );
  expect(new Set(cells.map(({ cell }) => cell)).size).toBe(ANSWER_CELLS);
  for (const { tier, status, ms, cell } of cells) {
    expect(nameCell(cell)).toEqual({ tier, outcome: outcomeOfStatus(status), bucket: durationBucketOf(ms) });
  }
  expect([-1, ANSWER_CELLS, 0.5 + ANSWER_CELLS].map(nameCell)).toEqual([null, null, null]);
});

it("puts a duration into the first bucket that holds it", () => {
  expect([0, 1, 2, 3, 2_500, 2_501].map(durationBucketOf)).toEqual([0, 0, 1, 2, 10, 11]);
  expect(DURATION_BOUNDS_MS.map(durationBucketOf)).toEqual(DURATION_BOUNDS_MS.map((_, index) => index));
});

it("takes three capital letters for a data centre and nothing else", () => {
  expect(["ZRH", "zrh", "ZRHX", "", 7, null].map(toColo)).toEqual(["ZRH", null, null, null, null, null]);
});

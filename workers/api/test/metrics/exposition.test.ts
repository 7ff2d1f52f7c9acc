/** The Prometheus text format: what our writer makes, a reader of its own understands. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Family, writeFamilies } from "../../src/metrics/exposition.ts";
import { parseExposition } from "./parse-exposition.ts";
import { runs } from "../../../../packages/core/test/runs.ts";

it("is written as the specification shows it", () => {
  const families: readonly Family[] = [
    {
      name: "a_total",
      type: "counter",
      help: "Back\\slash\nand line.",
      samples: [{ labels: { kind: 'q"\\\n' }, value: 12n }, { value: 0.5 }],
    },
    {
      name: "b_seconds",
      type: "histogram",
      help: "B.",
      boundsMs: [1, 250],
      histograms: [{ labels: { colo: "ZRH" }, buckets: [2n, 0n, 1n], totalMs: 12_345_678_901_234_567_890n }],
    },
    { name: "c", type: "gauge", help: "Nothing yet.", samples: [] },
  ];
  expect(writeFamilies(families)).toBe(`# HELP a_total Back\\\\slash\\nand line.
# TYPE a_total counter
a_total{kind="q\\"\\\\\\n"} 12
a_total 0.5
# HELP b_seconds B.
# TYPE b_seconds histogram
b_seconds_bucket{colo="ZRH",le="0.001"} 2
b_seconds_bucket{colo="ZRH",le="0.25"} 2
b_seconds_bucket{colo="ZRH",le="+Inf"} 3
b_seconds_sum{colo="ZRH"} 12345678901234567.890
b_seconds_count{colo="ZRH"} 3
# HELP c Nothing yet.
# TYPE c gauge
`);
});

it("brings any label and any number over", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ unit: "binary" }), { maxLength: 5 }),
      fc.bigInt({ min: 0n, max: 2n ** 53n }),
      (texts, value) => {
        const samples = texts.map((text) => ({ labels: { kind: text }, value }));
        const text = writeFamilies([{ name: "a", type: "gauge", help: "A.", samples }]);
        const parsed = parseExposition(text).get("a")?.samples;
        expect(parsed?.map((sample) => [sample.labels.get("kind"), sample.value])).toEqual(
          texts.map((label) => [label, Number(value)]),
        );
      },
    ),
    runs(),
  );
});

it.each([
  ["no line feed at the end", "no line feed", "# HELP a A.\n# TYPE a gauge\na 1"],
  ["a sample without a family", "no family", "a 1\n"],
  ["a type that is none", "a type belongs to its help", "# HELP a A.\n# TYPE a number\na 1\n"],
  ["a quote in a label", "no labels", '# HELP a A.\n# TYPE a gauge\na{b="""} 1\n'],
  ["a family twice", "a family begins once", "# HELP a A.\n# TYPE a gauge\n# HELP a A.\n# TYPE a gauge\n"],
  ["a sample twice", "a has a sample twice", "# HELP a A.\n# TYPE a gauge\na 1\na 2\n"],
  ["a value that is none", "no sample", "# HELP a A.\n# TYPE a gauge\na one\n"],
  [
    "buckets that fall",
    "a has counts that fall",
    '# HELP a A.\n# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n',
  ],
  [
    "no last bucket",
    "a has bounds out of order",
    '# HELP a A.\n# TYPE a histogram\na_bucket{le="1"} 2\na_sum 1\na_count 2\n',
  ],
])("is not read by the tests' reader with %s", (_what, problem, text) => {
  expect(() => parseExposition(text)).toThrow(problem);
});

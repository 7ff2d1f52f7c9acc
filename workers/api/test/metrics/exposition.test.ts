/** The Prometheus text format: an independent reader understands what our writer writes. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Family, writeFamilies } from "../../src/metrics/exposition.ts";
import { parseExposition } from "./parse-exposition.ts";
import { runs } from "../../../../packages/core/test/runs.ts";

it("is written as in the specification", () => {
  const families: readonly Family[] = [
    {
      name: "a_total",
      type: "counter",
      help: "Back\\slash\nand line.",
      samples: [{ labels: { kind: 'q"\\\n' }, value: 12 }, { value: 0.5 }],
    },
    {
      name: "b_seconds",
      type: "histogram",
      help: "B.",
      boundsMs: [1, 250],
      histograms: [{ labels: { colo: "ZRH" }, buckets: [2, 0, 1], totalMs: 1_234_567_890_123_456 }],
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
b_seconds_sum{colo="ZRH"} 1234567890123.456
b_seconds_count{colo="ZRH"} 3
# HELP c Nothing yet.
# TYPE c gauge
`);
});

it("carries any label and any number", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ unit: "binary" }), { maxLength: 5 }),
      fc.maxSafeNat(),
      (texts, value) => {
        const samples = texts.map((text) => ({ labels: { kind: text }, value }));
        const text = writeFamilies([{ name: "a", type: "gauge", help: "A.", samples }]);
        const parsed = parseExposition(text).get("a");
        expect(parsed?.map((sample) => [sample.labels.get("kind"), sample.value])).toEqual(
          texts.map((label) => [label, value]),
        );
      },
    ),
    runs(),
  );
});

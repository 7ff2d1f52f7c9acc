// Hit rates of the web trace beside those of the reference implementation, and what a scan may cost the organic visitors.

import { expect, it } from "vitest";

import { hitRatePercent, readTrace, withScan, zipfKeys } from "./workloads.ts";

/** Hit rates of S3-FIFO as libCacheSim computes them for this trace with unit costs. */
it.each([
  { entries: 409, referencePercent: 48.8 },
  { entries: 2_048, referencePercent: 58.2 },
  { entries: 5_121, referencePercent: 63.9 },
])("reaches $referencePercent % within 0.5 points on the web trace with $entries entries", (bar) => {
  const percent = hitRatePercent(readTrace("web07"), bar.entries);
  expect(Math.abs(percent - bar.referencePercent)).toBeLessThanOrEqual(0.5);
});

it("reads the whole web trace", () => {
  const keys = readTrace("web07");
  expect([keys.length, new Set(keys).size]).toEqual([76_118, 20_484]);
});

/** 400,000 organic requests; and 400,000 in all, half of them scanned, which is the reference's harder reading. */
it.each([
  { requests: 400_000, referencePercent: 64.6 },
  { requests: 200_000, referencePercent: 63.0 },
])("loses at most 2 points of organic hits to a scan beside $requests requests", (bar) => {
  const organic = zipfKeys({ keys: 20_000, requests: bar.requests, exponent: 0.9, seed: 20_130_701 });
  const quietPercent = hitRatePercent(organic, 2_000);
  const scannedPercent = hitRatePercent(withScan(organic), 2_000, (key) => key.startsWith("z"));
  expect(quietPercent).toBeGreaterThan(63.5);
  expect(quietPercent - scannedPercent).toBeLessThanOrEqual(2);
  expect(scannedPercent).toBeGreaterThan(bar.referencePercent - 0.5);
});

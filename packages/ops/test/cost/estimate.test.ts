import { readFileSync } from "node:fs";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  ASSUMPTIONS,
  clicksPerSegment,
  computeUnits,
  estimateCube,
  estimateMonth,
  formatQuantity,
  totalDollars,
  type Traffic,
} from "../../src/cost/estimate.ts";
import { dollarsFor } from "../../src/cost/prices.ts";
import { readFigures } from "../../src/cost/read-figures.ts";
import { judgeInvocation, judgeWorker, writePlans } from "../../src/cost/render-plans.ts";
import { TRAFFICS, writeCosts } from "../../src/cost/render-costs.ts";
import { parseJsonObject, objectAt, objectsAt } from "../../src/deploy/json-object.ts";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { runs } from "../../../core/test/runs.ts";

const SINGLE = { kind: "one_message_per_click" } as const;
const BILLION: Traffic = {
  redirectsPerDay: 1e9,
  busyIsolates: 1_000,
  dataCentres: 300,
  kvReadShare: 0.1,
  linkChangesPerDay: 0,
  shards: 8,
  retentionDays: 7,
};
const dollarsOf = (service: string, lines: ReturnType<typeof estimateMonth>) =>
  lines.find((line) => line.service === service)?.dollars;

describe("a price", () => {
  const price = { included: 10, dollars: 0.5, per: 5 };
  it.each([
    [0, 0],
    [10, 0],
    [11, 0.1],
    [20, 1],
  ])("of %d with ten included and half a dollar for five is %d", (quantity, dollars) => {
    expect(dollarsFor(quantity, price)).toBeCloseTo(dollars);
  });
});

describe("a month", () => {
  it("of a billion redirects a day, calculated by hand from the prices", () => {
    const lines = estimateMonth(BILLION, SINGLE);
    // 30 B messages x 3 operations, 1 M included, at $0.40 a million.
    expect(dollarsOf("Queue operations", lines)).toBeCloseTo((90_000 - 1) * 0.4);
    // 3 B reads, 10 M included, at $0.50 a million.
    expect(dollarsOf("KV reads", lines)).toBeCloseTo((3_000 - 10) * 0.5);
    // 30 B x 0.6 ms, 30 M included, at $0.02 a million.
    expect(dollarsOf("Worker CPU, ms", lines)).toBeCloseTo((18_000 - 30) * 0.02);
    // 300 data centres, one read a second, 1 M included, at $0.15 a million.
    expect(dollarsOf("Change feed requests", lines)).toBeCloseTo((777.6 - 1) * 0.15);
    // Batches of 100: 300 M invocations beside 30 B requests, 10 M included, at $0.30 a million.
    expect(dollarsOf("Worker requests", lines)).toBeCloseTo((30_300 - 10) * 0.3);
    // 300 M batches, a line of 400 bytes each: 120 GB, 50 included, at $0.25; 28 of them kept, 12 included, at $0.10.
    expect(dollarsOf("Logs, GB", lines)).toBeCloseTo((120 - 50) * 0.25);
    expect(dollarsOf("Logs kept, GB", lines)).toBeCloseTo((28 - 12) * 0.1);
    // A billion clicks for 7 days, 397 bytes each, at $0.35.
    expect(dollarsOf("Neon storage, GB", lines)).toBeCloseTo(7 * 397 * 0.35);
  });

  it("with a year of the cube, whatever the retention, at 344 bytes a click and $0.35", () => {
    expect(estimateCube({ ...BILLION, retentionDays: 1 }).dollars).toBeCloseTo(365 * 344 * 0.35);
  });

  it("of next to nothing costs the plan and the smallest database", () => {
    const nothing = { ...BILLION, redirectsPerDay: 100, dataCentres: 1, retentionDays: 1 };
    expect(totalDollars(estimateMonth(nothing, SINGLE))).toBeCloseTo(5 + 0.25 * 720 * 0.222, 1);
  });

  it("never costs more for waiting longer, nor less for more traffic", () => {
    const traffic = fc.record({
      redirectsPerDay: fc.integer({ min: 1, max: 2e9 }),
      busyIsolates: fc.integer({ min: 1, max: 5_000 }),
      dataCentres: fc.integer({ min: 1, max: 330 }),
      kvReadShare: fc.double({ min: 0, max: 1, noNaN: true }),
      linkChangesPerDay: fc.integer({ min: 0, max: 1e6 }),
      shards: fc.integer({ min: 1, max: 100 }),
      retentionDays: fc.integer({ min: 1, max: 400 }),
    });
    const queues = (one: Traffic, lingerMs: number) =>
      dollarsOf("Queue operations", estimateMonth(one, { kind: "segments", lingerMs })) ?? 0;
    fc.assert(
      fc.property(traffic, fc.integer({ min: 0, max: 5_000 }), (one, lingerMs) => {
        const single = dollarsOf("Queue operations", estimateMonth(one, SINGLE)) ?? 0;
        expect(queues(one, lingerMs)).toBeLessThanOrEqual(single + 1e-6);
        const twice = { ...one, redirectsPerDay: 2 * one.redirectsPerDay };
        expect(queues(twice, lingerMs)).toBeGreaterThanOrEqual(queues(one, lingerMs) - 1e-6);
        expect(computeUnits(twice)).toBeGreaterThanOrEqual(computeUnits(one));
      }),
      runs(),
    );
  });
});

describe("a segment", () => {
  it.each([
    [0, 1],
    [100, 1 + 11.574 * 0.1],
    [5_000, 1 + 11.574 * 5],
  ])("that lingers %d ms at 11.6 clicks a second and isolate holds %d", (lingerMs, clicks) => {
    expect(clicksPerSegment(BILLION, { kind: "segments", lingerMs })).toBeCloseTo(clicks, 2);
  });

  it("never holds more than the edge puts into one", () => {
    const one = { ...BILLION, busyIsolates: 1 };
    expect(clicksPerSegment(one, { kind: "segments", lingerMs: 5_000 })).toBe(100);
  });
});

it.each([
  [0, "0"],
  [412, "412"],
  [3_200, "3.2 k"],
  [30e6, "30 M"],
  [1.08e9, "1.1 B"],
])("writes %d as %s", (quantity, text) => {
  expect(formatQuantity(quantity)).toBe(text);
});

describe("the assumptions", () => {
  const consumer = parseJsonObject(
    readFileSync(inWorkspace("workers/consumer/wrangler.jsonc"), "utf8"),
    "wrangler.jsonc",
  );

  it("match the consumer's configuration, which sets two of them", () => {
    expect(objectsAt(objectAt(consumer, "queues"), "consumers")[0]).toMatchObject({
      max_batch_size: ASSUMPTIONS.maxBatchMessages,
      max_batch_timeout: ASSUMPTIONS.batchTimeoutSeconds,
    });
  });

  it("keep every size within the 16 TB that one Neon branch stores", () => {
    for (const traffic of TRAFFICS) {
      expect(traffic.redirectsPerDay * traffic.retentionDays * 669).toBeLessThan(16e12);
    }
  });
});

describe("a plan of Workers", () => {
  it.each([
    [{ p50: 1, p99: 9, requests: 2 }, "fits", "fits"],
    [{ p50: 8, p99: 12, requests: 2 }, "mostly: slowest over 10 ms", "fits"],
    [{ p50: 46, p99: 50, requests: 2 }, "does not fit: 10 ms", "fits"],
    [{ p50: 1, p99: 1, requests: 51 }, "does not fit: 50 requests at most", "fits"],
  ])("fits an invocation of %j or says why not", (facts, free, paid) => {
    expect([judgeInvocation(facts, "free"), judgeInvocation(facts, "paid")]).toEqual([free, paid]);
  });

  it.each([
    [{ bytes: 4 * 1024 ** 2, startMs: 5, memoryMb: 10 }, "does not fit: 3,072 KB at most", "fits"],
    [
      { bytes: 1, startMs: 1_001, memoryMb: 10 },
      "does not fit: start-up or memory",
      "does not fit: start-up or memory",
    ],
    [
      { bytes: 1, startMs: 5, memoryMb: 129 },
      "does not fit: start-up or memory",
      "does not fit: start-up or memory",
    ],
  ])("fits a Worker of %j or says why not", (facts, free, paid) => {
    expect([judgeWorker(facts, "free"), judgeWorker(facts, "paid")]).toEqual([free, paid]);
  });
});

describe("docs/capacity-and-cost.md", () => {
  const page = readFileSync(inWorkspace("docs/capacity-and-cost.md"), "utf8");

  it("matches the prices", () => {
    expect(writeCosts(page)).toBe(page);
  });

  it("says what fits which plan as it was recorded of each Worker and each kind of invocation", () => {
    const figures = readFigures();
    expect([...figures.keys()].filter((name) => /^invocations\..*\.p99$/.test(name)).length).toBeGreaterThan(
      12,
    );
    expect(writePlans(page, figures)).toBe(page);
    expect(page).not.toContain("NaN");
  });

  it("is changed only between its two marks, and refused without them", () => {
    expect(writeCosts("nothing here")).toBeNull();
    const [before] = page.split("<!-- Written");
    expect(writeCosts(page.replace("$", "€"))?.startsWith(before ?? "")).toBe(true);
  });
});

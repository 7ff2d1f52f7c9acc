import { describe, expect, it } from "vitest";
import { formatNumber, formatSeconds, niceTicks, timeTicks } from "../run/axis.ts";
import type { LoadResult } from "../run/load-result.ts";
import { drawPlot } from "../run/plot.ts";
import { renderReport } from "../run/report-page.ts";
import { toRunSeries } from "../run/run-series.ts";

const RESULT: LoadResult = {
  startedAt: "2026-11-21T06:00:00.000Z",
  command: "pnpm load --json <file>",
  script: "redirect",
  target: "hopline",
  linkCount: 20_000,
  verdict: { isOk: true, findings: [{ name: "Every answer right", isOk: true, detail: "a < b & c" }] },
  requests: 1_000,
  redirects: 1_000,
  dropped: 0,
  steadyRate: 500,
  latency: { p50Ms: 0.5, p95Ms: 2, p99Ms: 8, maxMs: 30 },
  changes: { count: 90, p50Ms: 900, p95Ms: 1_500, p99Ms: 1_900, maxMs: 1_950 },
  imported: { seconds: 6.2, kvSeconds: 31 },
  stored: {
    events: 1_000,
    distinctEvents: 1_000,
    rolledUp: 1_000,
    inserted: 1_000,
    duplicates: 0,
    rejected: 0,
    deadLetters: 0,
    missing: 0,
    segments: 40,
    isolates: 1,
    addsUp: true,
  },
  machine: { cpuModel: "A CPU", cpuCount: 2, memoryGiB: 8, system: "Linux", loadAverageBefore: 0.1 },
  cpuOfOthers: 0.1,
  versions: { k6: "1.8.1" },
};

describe("an axis", () => {
  it.each([
    [0, [0, 0.25, 0.5, 0.75, 1]],
    [1, [0, 0.25, 0.5, 0.75, 1]],
    [296, [0, 100, 200, 300]],
    [301, [0, 100, 200, 300, 400]],
    [0.00042, [0, 0.0002, 0.0004, 0.0006]],
  ])("up to %d has round marks that reach it", (max, ticks) => {
    expect(niceTicks(max, 4)).toEqual(ticks);
  });

  it("of time has at most eleven marks, whatever the length", () => {
    for (const seconds of [1, 35, 80, 600, 7_200, 86_400]) {
      const ticks = timeTicks(seconds);
      expect(ticks.length).toBeLessThanOrEqual(11);
      expect(ticks.at(-1)).toBeLessThanOrEqual(seconds);
    }
  });

  it.each([
    [45, "45 s"],
    [120, "2 min"],
    [90, "1:30"],
  ])("says %i seconds as %s", (seconds, text) => {
    expect(formatSeconds(seconds)).toBe(text);
  });

  it.each([
    [0.4821, "0.482"],
    [12.34, "12.3"],
    [1_234.6, "1,235"],
    [2_345_678, "2.35 M"],
  ])("says %d as %s", (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });
});

describe("a plot", () => {
  const line = [
    { atSeconds: 0, value: 0 },
    { atSeconds: 5, value: 50 },
    { atSeconds: 10, value: 100 },
  ];
  const plot = {
    title: "Rate",
    unit: "per second",
    lengthSeconds: 10,
    lines: [{ name: "all", line, colour: 1 }],
  };

  it("puts the first moment at the left, the last at the right, zero at the bottom and the largest at the top", () => {
    expect(drawPlot(plot)).toContain('d="M52 194L300 107L548 20"');
  });

  it("breaks the line where there is no value", () => {
    const broken = [...line.slice(0, 1), { atSeconds: 5, value: null }, ...line.slice(2)];
    const svg = drawPlot({ ...plot, lines: [{ name: "all", line: broken, colour: 1 }] });
    expect(svg.match(/class="line series-1"/g)).toHaveLength(2);
  });

  it("is drawn without a single value as well", () => {
    const svg = drawPlot({ ...plot, lines: [{ name: "all", line: [], colour: 1 }] });
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });
});

describe("the report", () => {
  const samples = [0, 1, 2].map((second) => ({
    atMs: second * 1_000,
    counts: {
      http_reqs: second * 500,
      redirects: second * 500,
      latency_00: second * 500,
      tier_isolate: second,
    },
  }));
  const flow = [{ atMs: 1_000, inserted: 500, delayP50Ms: 10, delayP95Ms: 20, delayMaxMs: 30 }];
  const html = renderReport(RESULT, toRunSeries(samples, flow, [{ atMs: 1_000, busy: 0.5, ours: 0.4 }]));

  it("asks nobody for anything: no script, no address, no import", () => {
    expect(html).not.toMatch(/<script|https?:|@import|url\(|src=|<link/i);
  });

  it("shows every plot of a run with clicks, and only what the target has otherwise", () => {
    const titlesOf = (page: string) =>
      [...page.matchAll(/<figcaption><b>([^<]+)/g)].map(([, title]) => title);
    const clicks = ["Inserts", "Queue lag", "Clicks waiting", "Tier that answered"];
    expect(titlesOf(html)).toEqual(["Rate", "Answer times", ...clicks, "Machine"]);
    const constant = renderReport(
      { ...RESULT, target: "constant", stored: null },
      toRunSeries(samples, [], []),
    );
    expect(titlesOf(constant)).toEqual(["Rate", "Answer times", "Machine"]);
  });

  it("says where the links come from and how long changes took, where there were any", () => {
    expect(html).toContain(
      "20,000 imported through the API in 6.2 s; put into KV, before the first visit, in 31 s more",
    );
    expect(html).toContain("<strong>1.90 s</strong><small>p99 of 90; p50 0.90 s</small>");
    const constant = renderReport({ ...RESULT, changes: null, imported: null }, toRunSeries(samples, [], []));
    expect(constant).not.toMatch(/through the API|Change in effect/);
  });

  it("escapes what it is given", () => {
    expect(html).toContain("a &lt; b &amp; c");
    expect(html).toContain("pnpm load --json &lt;file&gt;");
  });

  it("holds no number that is none", () => {
    expect(html).not.toMatch(/NaN|undefined|Infinity/);
  });
});

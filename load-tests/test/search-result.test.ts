import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import type { LoadResult } from "../run/load-result.ts";
import {
  describeSearch,
  type FoundRate,
  renderSearchRows,
  renderSearchSentence,
  type SearchResult,
  toProbeResult,
  toSearchResult,
} from "../run/search-result.ts";

const MACHINE = { cpu: "A CPU", cores: 2, memoryGiB: 8, system: "Linux", loadBefore: 0.1 };

function aRun(steadyRate: number, findings: LoadResult["verdict"]["findings"] = []): LoadResult {
  return {
    environment: null,
    startedAt: "2026-11-21T06:00:00.000Z",
    command: "pnpm load --search",
    commit: "",
    hasUncommittedChanges: false,
    plan: {
      script: "redirect",
      target: "hopline",
      rate: steadyRate,
      duration: "60s",
      rampSeconds: null,
      linkCount: 20_000,
      isCold: false,
      isPublishingPaused: false,
      spread: "80-20",
      isTail: false,
    },
    verdict: { isOk: findings.length === 0, findings },
    requests: 1_000,
    redirects: 1_000,
    answers: {},
    tiers: {},
    statements: 0,
    firstLatency: null,
    dropped: 0,
    steadyRate,
    latency: { p50Ms: 0.5, p90Ms: 1, p95Ms: 2, p99Ms: 8, p999Ms: 20, maxMs: 30 },
    spreads: {},
    changes: null,
    imported: null,
    stored: null,
    machine: MACHINE,
    cpuOfOthers: 0.02,
    versions: {},
  };
}

const found = (highest: LoadResult | null): FoundRate => ({ probes: [], refuted: [], highest });

function aSearch(hopline: LoadResult | null, constant: LoadResult | null) {
  return toSearchResult({
    startedAt: "2026-11-21T06:00:00.000Z",
    command: "pnpm load --search",
    machine: MACHINE,
    linkCount: 20_000,
    hopline: found(hopline),
    constant: found(constant),
  });
}

describe("the result of a search", () => {
  it("compares the rate that was sent with the constant Worker's", () => {
    const result = aSearch(aRun(2_990.4), aRun(4_990.1));
    expect(result.ratio).toBe(0.599);
    expect(describeSearch(result)).toContain(
      "✓ Hopline held 60 % of the constant Worker's rate, every click counted once.",
    );
  });

  it.each([
    [null, aRun(4_990)],
    [aRun(2_990), null],
  ])("has no ratio where one of the two held nowhere", (hopline, constant) => {
    const result = aSearch(hopline, constant);
    expect(result.ratio).toBeNull();
    expect(describeSearch(result).filter((line) => line.startsWith("✗"))).toHaveLength(1);
  });

  it("says of a rate that broke what broke", () => {
    const findings = [
      { name: "Every answer right", isOk: true, detail: "all" },
      { name: "Every click counted once", isOk: false, detail: "one is missing" },
    ];
    expect(toProbeResult(3_000, aRun(2_700, findings))).toEqual({
      rate: 3_000,
      isHeld: false,
      steadyRate: 2_700,
      p95Ms: 2,
      detail: "Every click counted once: one is missing",
    });
  });
});

describe("the recorded searches", () => {
  const folder = join(import.meta.dirname, "..");
  const results = readdirSync(join(folder, "results"))
    .filter((name) => name.endsWith("-highest-rate.json"))
    .toSorted()
    .map((name): SearchResult => JSON.parse(readFileSync(join(folder, "results", name), "utf8")));

  it("are the rows of the table, and no other is there", () => {
    const [, table = ""] = readFileSync(join(folder, "README.md"), "utf8").split("| Highest rate");
    const rows = table.split("\n").filter((line) => /^\| \d{4}-/.test(line));
    // The formatter fills cells up with spaces.
    expect(rows.map((row) => row.replaceAll(/ +\|/g, " |"))).toEqual(results.flatMap(renderSearchRows));
  });

  it("are all that docs/measurements.md claims", () => {
    const page = readFileSync(join(folder, "..", "docs", "measurements.md"), "utf8").replaceAll(/\s+/g, " ");
    const claims = page.match(
      /[\d,]+ redirects a second, where the constant Worker held [\d,]+: a ratio of [\d.]+\d/g,
    );
    const newest = results.at(-1);
    expect(claims ?? []).toEqual(newest === undefined ? [] : [renderSearchSentence(newest)]);
  });

  it("are of the whole data set, with a minute at the rate that was found", () => {
    const small = results.filter(
      ({ linkCount, hopline }) =>
        linkCount !== 20_000 ||
        (hopline.highest?.redirects ?? 0) < 60 * (hopline.highest?.steadyRate ?? Infinity),
    );
    expect(small).toEqual([]);
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import type { LoadResult } from "../run/load-result.ts";
import {
  describeSearch,
  type FoundRate,
  renderSearchRows,
  type SearchResult,
  toProbeResult,
  toSearchResult,
} from "../run/search-result.ts";

const MACHINE = { cpuModel: "A CPU", cpuCount: 2, memoryGiB: 8, system: "Linux", loadAverageBefore: 0.1 };

function aRun(steadyRate: number, findings: LoadResult["verdict"]["findings"] = []): LoadResult {
  return {
    startedAt: "2026-11-21T06:00:00.000Z",
    command: "pnpm load --search",
    script: "redirect",
    target: "hopline",
    linkCount: 20_000,
    verdict: { isOk: findings.length === 0, findings },
    requests: 1_000,
    redirects: 1_000,
    dropped: 0,
    steadyRate,
    latency: { p50Ms: 0.5, p95Ms: 2, p99Ms: 8, maxMs: 30 },
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
  it("sets the rate that was sent beside the constant Worker's", () => {
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
  const root = join(folder, "..");
  const results = readdirSync(join(folder, "results"))
    .filter((name) => name.endsWith("-highest-rate.json"))
    .map((name): [string, SearchResult] => [
      name,
      JSON.parse(readFileSync(join(folder, "results", name), "utf8")),
    ]);
  /** Cells without what the formatter fills them up with. */
  const rowsOf = (page: string) =>
    readFileSync(page, "utf8")
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .map((line) => line.replaceAll(/ +\|/g, " |"));

  it("are in the table as they were, and the newest in the README's words", () => {
    const rows = rowsOf(join(folder, "README.md"));
    const missing = results.flatMap(([, result]) =>
      renderSearchRows(result).filter((row) => !rows.includes(row)),
    );
    expect(results.length).toBeGreaterThan(0);
    expect(missing).toEqual([]);

    const newest = results.toSorted(([a], [b]) => a.localeCompare(b)).at(-1);
    const rates = [newest?.[1].hopline, newest?.[1].constant].map((each) =>
      Math.round(each?.highest?.steadyRate ?? Number.NaN).toLocaleString("en-US"),
    );
    const readme = readFileSync(join(root, "README.md"), "utf8").replaceAll(/\s+/g, " ");
    expect(readme).toContain(`${rates[0]} redirects a second, where the constant Worker held ${rates[1]}`);
    expect(readme).toContain(`a ratio of ${newest?.[1].ratio?.toFixed(2)}`);
  });
});

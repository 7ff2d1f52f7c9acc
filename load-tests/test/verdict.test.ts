import { describe, expect, it } from "vitest";
import { decodeSummary, statisticOf } from "../run/k6-summary.ts";
import { countNumbered, judgeRun, type StoredClicks } from "../run/verdict.ts";

const GOOD = { missedBars: [], failedChecks: [] };

function aStore(difference: Partial<StoredClicks> = {}): StoredClicks {
  const counts = { events: 1_000, distinctEvents: 1_000, rolledUp: 1_000, inserted: 1_000, duplicates: 0 };
  return {
    ...counts,
    rejected: 0,
    deadLetters: 0,
    missing: 0,
    segments: 40,
    isolates: 1,
    delayP95Ms: 120,
    addsUp: true,
    ...difference,
  };
}

const counted = (redirects: number, stored: StoredClicks | null) => ({
  redirects,
  stored,
  database: null,
  tail: null,
});

function failuresOf(verdict: ReturnType<typeof judgeRun>): readonly string[] {
  return verdict.findings.filter(({ isOk }) => !isOk).map(({ name }) => name);
}

describe("a run", () => {
  it("holds where every answer was right and every redirect is one event everywhere", () => {
    expect(judgeRun(GOOD, counted(1_000, aStore()))).toMatchObject({ isOk: true });
  });

  it("holds where clicks were delivered twice and counted once", () => {
    expect(judgeRun(GOOD, counted(1_000, aStore({ duplicates: 300 }))).isOk).toBe(true);
  });

  it.each([
    ["one event too few", { events: 999, distinctEvents: 999 }],
    ["one event too many", { events: 1_001 }],
    ["an event twice", { distinctEvents: 999 }],
    ["a rollup that drifted", { rolledUp: 1_001 }],
    ["a ledger that drifted", { inserted: 999 }],
  ])("does not hold with %s", (_what, difference) => {
    expect(failuresOf(judgeRun(GOOD, counted(1_000, aStore(difference))))).toEqual([
      "Every click counted once",
    ]);
  });

  it.each([[{ missing: 1 }], [{ rejected: 1 }], [{ deadLetters: 1 }], [{ addsUp: false }]])(
    "does not hold with %j",
    (difference) => {
      expect(failuresOf(judgeRun(GOOD, counted(1_000, aStore(difference))))).toEqual([
        "Reconciled, nothing lost",
      ]);
    },
  );

  it("asks the database at most once for ten look-ups where nothing else knows the links", () => {
    const run = (statements: number) =>
      judgeRun(GOOD, { ...counted(1_000, aStore()), database: { statements, lookUps: 400 } });
    expect(run(40).isOk).toBe(true);
    expect(failuresOf(run(41))).toEqual(["Look-ups in groups"]);
  });

  it.each([
    ["p99 is more than 1.5 times the constant Worker's", { p99Ms: 31 }, {}, ["Tail of the constant's"]],
    ["p99.9 is more than twice the constant Worker's", { p999Ms: 81 }, {}, ["Tail of the constant's"]],
    ["one answer of a warm tier took more than 250 ms", {}, { maxMs: 251 }, ["Warm answers"]],
    ["none of them is the case", {}, {}, []],
  ])("is held to the constant Worker in the same workerd: where %s", (_what, ours, warm, missed) => {
    const latency = { p50Ms: 1, p90Ms: 2, p95Ms: 10, p99Ms: 20, p999Ms: 40, maxMs: 100 };
    const spread = { ...latency, count: 9_000, deviationMs: 3 };
    const spreads = { isolate: { ...spread, ...warm }, db: { ...spread, maxMs: 700 }, constant: spread };
    const tail = { latency: { ...latency, ...ours }, spreads };
    expect(failuresOf(judgeRun(GOOD, { ...counted(1_000, aStore()), tail }))).toEqual(missed);
  });

  it("does not judge its worst answer where the constant Worker waited as long: the process stood still", () => {
    const latency = { p50Ms: 1, p90Ms: 2, p95Ms: 10, p99Ms: 20, p999Ms: 40, maxMs: 1_000 };
    const spread = { ...latency, count: 9_000, deviationMs: 3 };
    const tail = { latency, spreads: { isolate: spread, constant: { ...spread, maxMs: 251 } } };
    const verdict = judgeRun(GOOD, { ...counted(1_000, aStore()), tail });
    expect(verdict.isOk).toBe(true);
    expect(verdict.findings.find(({ name }) => name === "Warm answers")).toMatchObject({
      isOk: null,
      detail: "worst 1000 ms, at most 250; the constant Worker's 251",
    });
  });

  it("misses its tail where the constant Worker was not visited", () => {
    const latency = { p50Ms: 1, p90Ms: 2, p95Ms: 10, p99Ms: 20, p999Ms: 40, maxMs: 100 };
    const verdict = judgeRun(GOOD, { ...counted(1_000, aStore()), tail: { latency, spreads: {} } });
    expect(failuresOf(verdict)).toEqual(["Tail of the constant's", "Warm answers"]);
  });

  it("does not hold where nothing was redirected at all", () => {
    const nothing = { events: 0, distinctEvents: 0, rolledUp: 0, inserted: 0 };
    expect(judgeRun(GOOD, counted(0, aStore(nothing))).isOk).toBe(false);
    expect(judgeRun(GOOD, counted(0, null)).isOk).toBe(false);
  });

  it("without k6's summary is judged by the clicks that the edge numbered, and says what could not be judged", () => {
    const judge = (stored: StoredClicks) => judgeRun(null, counted(countNumbered(stored), stored));
    const { isOk, findings } = judge(aStore());
    expect([isOk, ...findings.map((finding) => finding.isOk)]).toEqual([true, null, null, true, true]);
    expect(findings.at(2)?.detail).toContain("1,000 clicks numbered at the edge = events");
    expect(judge(aStore({ events: 0, distinctEvents: 0, rolledUp: 0, inserted: 0 })).isOk).toBe(false);
    const lost = judge(
      aStore({ inserted: 997, events: 997, distinctEvents: 997, rolledUp: 997, missing: 3 }),
    );
    expect(lost.findings.map((finding) => finding.isOk)).toEqual([null, null, false, false]);
  });

  it("says by how much a count is off", () => {
    const verdict = judgeRun(GOOD, counted(1_000, aStore({ events: 998, rolledUp: 1_003 })));
    expect(verdict.findings.map(({ detail }) => detail)).toContain(
      "1,000 redirects, but events 998 (−2), rollup total 1,003 (+3)",
    );
  });
});

describe("k6's summary", () => {
  const summary = decodeSummary(
    JSON.stringify({
      metrics: {
        checks: { passes: 9, fails: 1, value: 0.9, thresholds: { "rate==1": true } },
        "http_req_duration{scenario:steady}": { "p(95)": 12.5, thresholds: { "p(95)<500": false } },
        "iterations{scenario:steady}": { count: 4_410, thresholds: { "count>=4455": true } },
      },
      root_group: { checks: { "is a 302": { passes: 4, fails: 1 }, "is exact": { passes: 5, fails: 0 } } },
    }),
  );

  it("is read with its statistics, and a counter that it does not have is 0", () => {
    expect(statisticOf(summary, "http_req_duration{scenario:steady}", "p(95)")).toBe(12.5);
    expect(statisticOf(summary, "redirects", "count")).toBe(0);
  });

  it("tells the checks that failed and the bars that were missed", () => {
    const verdict = judgeRun(summary, counted(10, null));
    expect(verdict.findings.map(({ detail }) => detail)).toEqual([
      '"is a 302" failed 1 times',
      'requests sent in "steady": 4,410, not count>=4455',
    ]);
  });
});

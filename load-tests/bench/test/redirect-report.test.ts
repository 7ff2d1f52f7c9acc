import { describe, expect, it } from "vitest";

import { GATES } from "../gates.ts";
import { isPassed, judge } from "../judge.ts";
import type { Slice } from "../redirect/measure-slice.ts";
import { isEnough, toReport } from "../redirect/redirect-report.ts";
import type { Round } from "../redirect/run-rounds.ts";
import { TARGETS } from "../redirect/targets.ts";

/** Microseconds of CPU a request, as a quiet machine has them; what a test is about is put on top. */
const QUIET = {
  constant: 66,
  "isolate-hit": 90,
  "kv-hit": 180,
  "kv-read": 130,
  "smart-link": 100,
  "negative-hit": 80,
};
type Micros = Partial<Record<keyof typeof QUIET, number>>;

const aSlice = (cpuMicrosPerRequest: number): Slice => ({
  cpuMicrosPerRequest,
  requestsPerSecond: 10_000,
  p50Ms: 2,
  p99Ms: 20,
  maxMs: 80,
  stdevMs: 3,
  lookUpsPerRequest: 0,
  queueMessagesPerRequest: 0.01,
});

function aRound(micros: Micros = {}): Round {
  const all: Record<string, number> = { ...QUIET, ...micros };
  const slices = TARGETS.map(({ name }) => [name, [aSlice(all[name] ?? Number.NaN)]] as const);
  return { constant: [aSlice(all["constant"] ?? Number.NaN)], slicesByTarget: new Map(slices) };
}

function verdicts(...rounds: readonly Micros[]) {
  const { figures, unmeasured } = toReport(rounds.map(aRound), 5_000);
  const gates = GATES.filter(({ section }) => section === "redirect");
  const judgements = judge(gates, figures, unmeasured);
  return { passed: isPassed(judgements), each: judgements.map(({ verdict }) => verdict) };
}

describe("the gates of the redirect", () => {
  it("pass as long as all is well", () => {
    expect(verdicts({}, {}, {})).toEqual({ passed: true, each: ["met", "met", "met"] });
  });

  it("fail when an isolate hit has become dearer, also with one lucky round among them", () => {
    const slow = { "isolate-hit": 105 };
    expect(verdicts(slow, slow, {}, slow, slow)).toEqual({ passed: false, each: ["missed", "met", "met"] });
  });

  it("fail when a KV hit has become dearer and its read has not", () => {
    const slow = { "kv-hit": 205 };
    expect(verdicts(slow, slow, slow)).toEqual({ passed: false, each: ["met", "missed", "missed"] });
  });

  it("do not hold against a KV hit that its read alone is dear here", () => {
    const busy = { "kv-read": 170, "kv-hit": 230 };
    expect(verdicts(busy, busy, busy)).toEqual({ passed: true, each: ["met", "not measured", "met"] });
  });

  it("still hold against it what we add to a dear read", () => {
    const busy = { "kv-read": 170, "kv-hit": 270 };
    expect(verdicts(busy, busy, busy)).toEqual({ passed: false, each: ["met", "not measured", "missed"] });
  });

  it("are clear when the middle half of every gated ratio is on one side, and not before", () => {
    expect(isEnough([{}, {}, {}].map(aRound))).toBe(true);
    expect(isEnough([{}, {}, { "isolate-hit": 120 }, { "isolate-hit": 120 }].map(aRound))).toBe(false);
    const slow = { "isolate-hit": 120 };
    expect(isEnough([slow, slow, slow].map(aRound))).toBe(true);
  });

  it("fail without a figure", () => {
    expect(verdicts({ "isolate-hit": Number.NaN }).passed).toBe(false);
  });
});

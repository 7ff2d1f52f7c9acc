import { describe, expect, it } from "vitest";

import { GATES } from "../src/gates.ts";
import { isPassed, judge } from "../src/judge.ts";
import type { Slice } from "../src/redirect/measure-slice.ts";
import { isEnough, MEASURED, toReport } from "../src/redirect/redirect-report.ts";
import type { Round } from "../src/redirect/run-rounds.ts";

/** Microseconds of CPU a request, as a quiet machine has them; what a test is about is put on top. */
const QUIET = {
  constant: 66,
  facts: 78,
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
  const slices = MEASURED.map(({ name }) => [name, [aSlice(all[name] ?? Number.NaN)]] as const);
  return { constant: [aSlice(all["constant"] ?? Number.NaN)], slicesByTarget: new Map(slices) };
}

function verdicts(rounds: readonly Micros[]) {
  const { figures, unmeasured } = toReport(rounds.map(aRound), { requestsPerRound: 5_000, othersShare: 0 });
  const gates = GATES.filter(({ section }) => section === "redirect");
  const judgements = judge(gates, figures, unmeasured);
  return { passed: isPassed(judgements), each: judgements.map(({ verdict }) => verdict) };
}

describe("the gates of the redirect: isolate hit, KV hit, and what we add to the platform's part of each", () => {
  it("pass as long as all is well", () => {
    expect(verdicts([{}, {}, {}])).toEqual({ passed: true, each: ["met", "met", "met", "met"] });
  });

  it("fail when an isolate hit has become dearer, also with one lucky round among them", () => {
    const slow = { "isolate-hit": 105 };
    const each = ["missed", "met", "missed", "met"];
    expect(verdicts([slow, slow, {}, slow, slow])).toEqual({ passed: false, each });
  });

  it("fail when a KV hit has become dearer and its read has not", () => {
    const slow = { "kv-hit": 240 };
    const each = ["met", "missed", "met", "missed"];
    expect(verdicts([slow, slow, slow])).toEqual({ passed: false, each });
  });

  it("do not hold the constant Worker against us where the platform's part alone is dear, and do where it is not", () => {
    const slowHost = { facts: 92, "isolate-hit": 104, "kv-read": 150, "kv-hit": 215 };
    const excused = ["not measured", "not measured", "met", "met"];
    expect(verdicts([slowHost, slowHost, slowHost])).toEqual({ passed: true, each: excused });
    const ours = { ...slowHost, facts: 82, "kv-read": 130 };
    const each = ["missed", "missed", "missed", "missed"];
    expect(verdicts([ours, ours, ours])).toEqual({ passed: false, each });
  });

  it("hold against us on any machine what we add to the platform's part", () => {
    const slow = { facts: 92, "isolate-hit": 125, "kv-read": 150, "kv-hit": 280 };
    const each = ["not measured", "not measured", "missed", "missed"];
    expect(verdicts([slow, slow, slow])).toEqual({ passed: false, each });
  });

  it("are clear when the middle half of every gated ratio is on one side, and not before", () => {
    const slow = { "isolate-hit": 120 };
    expect(isEnough([{}, {}, {}].map(aRound))).toBe(true);
    expect(isEnough([slow, slow, slow].map(aRound))).toBe(true);
    expect(isEnough([{}, {}, slow, slow].map(aRound))).toBe(false);
  });

  it("fail without a figure", () => {
    expect(verdicts([{ "isolate-hit": Number.NaN }]).passed).toBe(false);
  });
});

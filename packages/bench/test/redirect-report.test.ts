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
  "isolate-hit": 83,
  "kv-hit": 160,
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

describe("the gates of the redirect: what we add to the platform's part of an isolate hit and of a KV hit", () => {
  it("pass on a quiet machine", () => {
    expect(verdicts([{}, {}, {}])).toEqual({ passed: true, each: ["met", "met"] });
  });

  it("fail when an isolate hit has become dearer, even with one lucky round among them", () => {
    const slow = { "isolate-hit": 100 };
    expect(verdicts([slow, slow, {}, slow, slow])).toEqual({ passed: false, each: ["missed", "met"] });
  });

  it("fail when a KV hit has become dearer and the read itself has not", () => {
    const slow = { "kv-hit": 180 };
    expect(verdicts([slow, slow, slow])).toEqual({ passed: false, each: ["met", "missed"] });
  });

  it("do not hold a host against us where the platform's part costs more beside the constant Worker", () => {
    const slowHost = { constant: 40 };
    expect(verdicts([slowHost, slowHost, slowHost])).toEqual({ passed: true, each: ["met", "met"] });
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

import { describe, expect, it } from "vitest";

import { GATES } from "../src/gates.ts";
import { isPassed, judge } from "../src/judge.ts";
import { findUnclear, toReport } from "../src/redirect/redirect-report.ts";
import { FOR_A_VERDICT, FOR_FIGURES, type Round, takeRounds } from "../src/redirect/run-rounds.ts";

/** Microseconds of CPU a request, as on a quiet machine; each test changes what it is about. */
const QUIET = {
  constant: 66,
  facts: 78,
  "isolate-hit": 83,
  "kv-hit": 160,
  "kv-read": 130,
  "kv-read-and-facts": 140,
  "smart-link": 100,
  "negative-hit": 80,
};
type Micros = Partial<typeof QUIET>;

function aRound(micros: Micros = {}): Round {
  const aSlice = (cpuMicrosPerRequest: number) => ({
    cpuMicrosPerRequest,
    requestsPerSecond: 10_000,
    latency: { p50: 2, p90: 5, p95: 9, p99: 20, "p99.9": 30, worst: 40, deviation: 4 },
    lookUpsPerRequest: 0,
    queueMessagesPerRequest: 0.01,
  });
  return new Map(Object.entries({ ...QUIET, ...micros }).map(([name, cpu]) => [name, [aSlice(cpu)]]));
}

function verdicts(rounds: readonly Micros[]) {
  const { figures } = toReport(rounds.map(aRound), 0);
  const judgements = judge(
    GATES.filter(({ section }) => section === "redirect"),
    figures,
  );
  return { passed: isPassed(judgements), each: judgements.map(({ verdict }) => verdict) };
}

describe("the gates of the redirect: what we add to the platform's part of an isolate hit and of a KV hit", () => {
  it("pass on a quiet machine", () => {
    expect(verdicts([{}, {}, {}])).toEqual({ passed: true, each: ["met", "met", "met"] });
  });

  it("fail when an isolate hit costs more, even with one lucky round among them", () => {
    const slow = { "isolate-hit": 140 };
    expect(verdicts([slow, slow, {}, slow, slow])).toEqual({ passed: false, each: ["missed", "met", "met"] });
  });

  it("fail when a KV hit costs more and the read itself does not", () => {
    const slow = { "kv-hit": 320 };
    expect(verdicts([slow, slow, slow])).toEqual({ passed: false, each: ["met", "missed", "missed"] });
  });

  it("ignore a host on which the platform's part costs more compared with the constant Worker", () => {
    const slowHost = { constant: 40 };
    expect(verdicts([slowHost, slowHost, slowHost])).toEqual({ passed: true, each: ["met", "met", "met"] });
  });

  it("are clear when the middle half of their rounds is on one side of the bar, and not before", () => {
    const slow = { "isolate-hit": 140 };
    expect([...findUnclear([{}, {}, {}].map(aRound))]).toEqual([]);
    expect([...findUnclear([slow, slow, slow].map(aRound))]).toEqual([]);
    expect([...findUnclear([{}, {}, slow, slow].map(aRound))]).toEqual(["isolate-hit"]);
  });

  it("fail without a figure", () => {
    expect(verdicts([{ "isolate-hit": Number.NaN }]).passed).toBe(false);
  });
});

describe("the rounds of a measurement", () => {
  /** Which targets each round measured; `null`: all. */
  async function take(
    rounds: number | null,
    unclear: (count: number) => readonly string[],
    effort = FOR_FIGURES,
  ) {
    const measured: (readonly string[] | null)[] = [];
    await takeRounds(
      async (names) => {
        measured.push(names === null ? null : [...names]);
        return aRound();
      },
      { rounds, effort, say: () => undefined, unclear: ({ length }) => new Set(unclear(length)) },
    );
    return measured;
  }

  it("are as many as requested", async () => {
    expect(await take(3, () => ["kv-hit"])).toEqual([null, null, null]);
    expect(await take(7, () => [])).toHaveLength(7);
  });

  it("end after five where every gate is clear, and after three where only the verdict is asked for", async () => {
    expect(await take(null, () => [])).toHaveLength(5);
    expect(await take(null, () => [], FOR_A_VERDICT)).toHaveLength(3);
  });

  it("go on with the targets whose gates are not clear, until they are", async () => {
    const measured = await take(null, (count) => (count < 7 ? ["kv-hit"] : []));
    expect(measured.slice(5)).toEqual([["kv-hit"], ["kv-hit"]]);
  });

  it("end after twelve, clear or not", async () => {
    expect(await take(null, () => ["kv-hit"])).toHaveLength(12);
  });
});

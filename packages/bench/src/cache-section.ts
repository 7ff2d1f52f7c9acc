/**
 * The isolate cache alone, in Node: hit rates on the recorded web trace and under a scan, which are exact and the
 * same on every machine, and nanoseconds for a get and a put, which are not.
 */
import { IsolateCache } from "@hopline/edge-cache/isolate-cache";

import {
  createRandom,
  hitRatePercent,
  readTrace,
  withScan,
  zipfKeys,
} from "../../edge-cache/test/workloads.ts";
import type { Figure, Section, SectionOptions, SectionReport } from "./section.ts";
import { median } from "./statistics.ts";
import { formatTable } from "./table.ts";

export const cacheSection: Section = {
  title: "Isolate cache: hit rates with entries of cost 1, and time of one call in Node",
  run: runCache,
};

async function runCache({ isOnlyJudged }: SectionOptions): Promise<SectionReport> {
  const trace = readTrace("web07");
  const keys = new Set(trace).size;
  const hitRates = [2, 10, 25].map((share) => ({
    title: `web07, cache of ${share} % of its ${keys} keys`,
    name: `cache.web07.${share}-percent.hit-rate`,
    percent: hitRatePercent(trace, Math.floor((keys * share) / 100)),
  }));
  const scan = measureScan();
  const calls = isOnlyJudged ? [] : measureCalls();
  return {
    figures: [
      ...hitRates.map(({ name, percent }): Figure => ({ name, value: percent, unit: "%" })),
      { name: "cache.scan.quiet-hit-rate", value: scan.quietPercent, unit: "%" },
      { name: "cache.scan.scanned-hit-rate", value: scan.scannedPercent, unit: "%" },
      { name: "cache.scan.lost", value: scan.quietPercent - scan.scannedPercent, unit: "points" },
      ...calls.map(({ name, ns }): Figure => ({ name, value: ns, unit: "ns" })),
    ],
    lines: formatTable([
      ...hitRates.map(({ title, percent }) => [title, `${percent.toFixed(2)} %`]),
      ["Zipf 0.9 over 20000 keys, cache of 2000", `${scan.quietPercent.toFixed(2)} %`],
      ["the same, every second request a new key", `${scan.scannedPercent.toFixed(2)} %`],
      ...calls.map(({ title, ns }) => [title, `${ns.toFixed(0)} ns`]),
    ]),
  };
}

const ZIPF = { keys: 20_000, exponent: 0.9, seed: 20_130_701 };
const ZIPF_ENTRIES = 2_000;

/** 400,000 organic requests, then the same with a scanner as busy as all visitors together. */
function measureScan(): { readonly quietPercent: number; readonly scannedPercent: number } {
  const organic = zipfKeys({ ...ZIPF, requests: 400_000 });
  return {
    quietPercent: hitRatePercent(organic, ZIPF_ENTRIES),
    scannedPercent: hitRatePercent(withScan(organic), ZIPF_ENTRIES, (key) => key.startsWith("z")),
  };
}

const CALLS = 200_000;
const CALL_ROUNDS = 9;
const VALUE = { url: "https://www.example.com/autumn/collection?ref=newsletter" };
/** A slug's key and a destination of 60 characters, at two bytes each. */
const COST_BYTES = 160;

type Call = { readonly name: string; readonly title: string; readonly ns: number };

function measureCalls(): readonly Call[] {
  const known = Array.from({ length: 10_000 }, (_, index) => `go.example.com/live-${index}`);
  const fresh = Array.from({ length: CALLS }, (_, index) => `go.example.com/new-${index}`);
  return [
    timeCall("cache.get-hit", "get, key held", () => {
      const cache = aCache(known);
      return (index) => cache.get(known[index % known.length] ?? "") !== undefined;
    }),
    timeCall("cache.get-miss", "get, key not held", () => {
      const cache = aCache(known);
      return (index) => cache.get(fresh[index] ?? "") === undefined;
    }),
    timeCall("cache.put-evicting", "put of a new key, budget full", () => {
      const cache = aCache(known);
      return (index) => cache.put({ ...ENTRY, key: fresh[index] ?? "" }).kind === "live";
    }),
    timeCall("cache.put-replacing", "put over a key that is held", () => {
      const cache = aCache(known);
      return (index) => cache.put({ ...ENTRY, key: known[index % known.length] ?? "" }).kind === "live";
    }),
  ];
}

const ENTRY = { kind: "live" as const, value: VALUE, version: 1, costBytes: COST_BYTES };

/** Full: its budget is what `keys` cost. */
function aCache(keys: readonly string[]): IsolateCache<typeof VALUE> {
  const budgetBytes = keys.length * (COST_BYTES + 320);
  const cache = new IsolateCache<typeof VALUE>({ nowMs: Date.now, random: createRandom(1), budgetBytes });
  for (const key of keys) {
    cache.put({ ...ENTRY, key });
  }
  return cache;
}

/** Median of several rounds, each on a new cache; every call must do what its title says. */
function timeCall(name: string, title: string, prepare: () => (index: number) => boolean): Call {
  const rounds: number[] = [];
  for (let round = 0; round <= CALL_ROUNDS; round += 1) {
    const call = prepare();
    let done = 0;
    const startNs = process.hrtime.bigint();
    for (let index = 0; index < CALLS; index += 1) {
      done += call(index) ? 1 : 0;
    }
    rounds.push(Number(process.hrtime.bigint() - startNs) / CALLS);
    if (done !== CALLS) {
      throw new Error(`invariant: ${title}: ${done} of ${CALLS} calls did so`);
    }
  }
  // The first round warms up the compiler.
  return { name, title, ns: median(rounds.slice(1)) };
}

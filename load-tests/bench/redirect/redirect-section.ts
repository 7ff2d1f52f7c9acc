/** The redirect bench: the producer's bundle in workerd against a Worker that answers a constant 302. */
import { createRandom } from "../../../packages/edge-cache/test/workloads.ts";
import type { Figure, Section, SectionOptions, SectionReport } from "../section.ts";
import { median, percentile } from "../statistics.ts";
import { formatTable } from "../table.ts";
import { startLoadProcess } from "./load-process.ts";
import type { Slice } from "./measure-slice.ts";
import { type Pair, runRounds, toCpuRatios } from "./run-rounds.ts";
import { checkTarget } from "./running-target.ts";
import { requireProc, startTargets } from "./start-targets.ts";
import { CONSTANT, NOT_MEASURED, type Target, TARGETS } from "./targets.ts";

const ROUNDS = 12;
const REQUESTS_PER_SLICE = 2_500;
const CONNECTIONS = 32;
/** Any number; the same one gives the same order of targets. */
const SEED = 20_261_121;

export const redirectSection: Section = {
  title: `Redirect: whole-process CPU of workerd, ${CONNECTIONS} connections in a closed loop`,
  run: runRedirect,
};

async function runRedirect({ rounds = ROUNDS }: SectionOptions): Promise<SectionReport> {
  requireProc();
  const wanted = rounds ?? ROUNDS;
  const [constant, ...targets] = await startTargets([CONSTANT, ...TARGETS]);
  if (constant === undefined) {
    throw new Error("invariant: the constant Worker is the first target");
  }
  const load = startLoadProcess();
  try {
    for (const running of [constant, ...targets]) {
      await checkTarget(running);
    }
    const measured = await runRounds(constant, targets, {
      rounds: wanted,
      maxRounds: wanted * 2,
      requestsPerSlice: REQUESTS_PER_SLICE,
      connections: CONNECTIONS,
      random: createRandom(SEED),
      load,
    });
    return toReport(targets.map(({ target }) => ({ target, pairs: measured.get(target.name) ?? [] })));
  } finally {
    load.stop();
    for (const { workerd } of [constant, ...targets]) {
      workerd.stop();
    }
  }
}

type Measured = { readonly target: Target; readonly pairs: readonly Pair[] };

function toReport(measured: readonly Measured[]): SectionReport {
  const constantSlices = measured.flatMap(({ pairs }) => pairs.map(({ constant }) => constant));
  const rows = [
    { target: CONSTANT, slices: constantSlices, ratios: [1] },
    ...measured.map(({ target, pairs }) => ({
      target,
      slices: pairs.map(({ own }) => own),
      ratios: toCpuRatios(pairs),
    })),
  ];
  return {
    figures: rows.flatMap(toFigures),
    unmeasured: NOT_MEASURED.map(({ name, why }) => ({ name: `redirect.${name}.cpu-ratio`, why })),
    lines: [
      ...formatTable([HEADINGS, ...rows.map(toCells)]),
      ...NOT_MEASURED.map(({ title, why }) => `${title}: not measured yet, ${why}`),
      `${measured[0]?.pairs.length ?? 0} rounds of ${REQUESTS_PER_SLICE} requests each; every click counted at the queue.`,
    ],
  };
}

type Row = {
  readonly target: Target;
  readonly slices: readonly Slice[];
  readonly ratios: readonly number[];
};

const HEADINGS = [
  "",
  "CPU µs",
  "x constant",
  "(middle half)",
  "req/s",
  "p50 ms",
  "p99 ms",
  "max ms",
  "stdev ms",
  "look-ups",
  "messages",
];

function toCells(row: Row): readonly string[] {
  const figures = summarise(row);
  const { ratios } = row;
  return [
    row.target.title,
    figures["cpu"].toFixed(1),
    figures["cpu-ratio"].toFixed(2),
    ratios.length < 2 ? "" : `${percentile(ratios, 25).toFixed(2)}-${percentile(ratios, 75).toFixed(2)}`,
    figures["requests-per-second"].toFixed(0),
    figures["p50"].toFixed(1),
    figures["p99"].toFixed(1),
    figures["max"].toFixed(1),
    figures["stdev"].toFixed(1),
    figures["look-ups"].toFixed(3),
    figures["queue-messages"].toFixed(3),
  ];
}

const UNITS = {
  cpu: "µs",
  "cpu-ratio": "x",
  "requests-per-second": "1/s",
  p50: "ms",
  p99: "ms",
  max: "ms",
  stdev: "ms",
  "look-ups": "per request",
  "queue-messages": "per request",
} as const;

/** Medians over the rounds; the maximum is that of all rounds. */
function summarise({ slices, ratios }: Row): Readonly<Record<keyof typeof UNITS, number>> {
  const middle = (read: (slice: Slice) => number): number => median(slices.map(read));
  return {
    cpu: middle((slice) => slice.cpuMicrosPerRequest),
    "cpu-ratio": median(ratios),
    "requests-per-second": middle((slice) => slice.requestsPerSecond),
    p50: middle((slice) => slice.p50Ms),
    p99: middle((slice) => slice.p99Ms),
    max: Math.max(...slices.map((slice) => slice.maxMs)),
    stdev: middle((slice) => slice.stdevMs),
    "look-ups": middle((slice) => slice.lookUpsPerRequest),
    "queue-messages": middle((slice) => slice.queueMessagesPerRequest),
  };
}

function toFigures(row: Row): readonly Figure[] {
  return Object.entries(summarise(row)).map(([name, value]) => ({
    name: `redirect.${row.target.name}.${name}`,
    value,
    unit: UNITS[name as keyof typeof UNITS],
    ...(name === "cpu-ratio" ? { samples: row.ratios } : {}),
  }));
}

/** The redirect bench: the producer's bundle in workerd against a Worker that answers a constant 302. */
import { createRandom } from "../../../packages/edge-cache/test/workloads.ts";
import { GATES } from "../gates.ts";
import { isClear } from "../judge.ts";
import type { Figure, Section, SectionOptions, SectionReport } from "../section.ts";
import { median, percentile } from "../statistics.ts";
import { formatTable } from "../table.ts";
import { startLoadProcess } from "./load-process.ts";
import type { Slice } from "./measure-slice.ts";
import { exactly, meanCpuMicros, type Round, runRounds, toCpuRatios } from "./run-rounds.ts";
import { checkTarget } from "./running-target.ts";
import { requireProc, startTargets } from "./start-targets.ts";
import { CONSTANT, NOT_MEASURED, type Target, TARGETS } from "./targets.ts";

/** Enough where the machine is quiet; where it is not, rounds are added until the gates are clear. */
const MIN_ROUNDS = 6;
const MAX_ROUNDS = 18;
const SLICES_PER_ROUND = 2;
const REQUESTS_PER_SLICE = 2_500;
const CONNECTIONS = 32;
/** Any number; the same one gives the same order of targets. */
const SEED = 20_261_121;

export const redirectSection: Section = {
  title: `Redirect: whole-process CPU of workerd, ${CONNECTIONS} connections in a closed loop`,
  run: runRedirect,
};

async function runRedirect({ rounds: chosen }: SectionOptions): Promise<SectionReport> {
  requireProc();
  const [constant, ...targets] = await startTargets([CONSTANT, ...TARGETS]);
  if (constant === undefined) {
    throw new Error("invariant: the constant Worker is the first target");
  }
  const load = startLoadProcess();
  try {
    for (const running of [constant, ...targets]) {
      await checkTarget(running);
    }
    const rounds = await runRounds(constant, targets, {
      length: chosen === null ? { min: MIN_ROUNDS, max: MAX_ROUNDS, isEnough } : exactly(chosen),
      slicesPerRound: SLICES_PER_ROUND,
      requestsPerSlice: REQUESTS_PER_SLICE,
      connections: CONNECTIONS,
      random: createRandom(SEED),
      load,
    });
    return toReport(
      rounds,
      targets.map(({ target }) => target),
    );
  } finally {
    load.stop();
    for (const { workerd } of [constant, ...targets]) {
      workerd.stop();
    }
  }
}

/** Whether every gated ratio is clearly on one side of its bar. */
function isEnough(rounds: readonly Round[]): boolean {
  return TARGETS.every(({ name }) => {
    const gate = GATES.find(({ figure }) => figure === ratioFigure(name));
    return gate === undefined || isClear(toCpuRatios(rounds, name), gate.bar);
  });
}

function ratioFigure(targetName: string): string {
  return `redirect.${targetName}.cpu-ratio`;
}

function toReport(rounds: readonly Round[], targets: readonly Target[]): SectionReport {
  const rows: readonly Row[] = [
    {
      target: CONSTANT,
      slices: rounds.flatMap(({ constant }) => constant),
      cpuMicros: rounds.map(({ constant }) => meanCpuMicros(constant)),
      ratios: [1],
    },
    ...targets.map((target) => {
      const slicesOfRounds = rounds.map(({ slicesByTarget }) => slicesByTarget.get(target.name) ?? []);
      return {
        target,
        slices: slicesOfRounds.flat(),
        cpuMicros: slicesOfRounds.map(meanCpuMicros),
        ratios: toCpuRatios(rounds, target.name),
      };
    }),
  ];
  return {
    figures: rows.flatMap(toFigures),
    unmeasured: NOT_MEASURED.map(({ name, why }) => ({ name: ratioFigure(name), why })),
    lines: [
      ...formatTable([HEADINGS, ...rows.map(toCells)]),
      ...NOT_MEASURED.map(({ title, why }) => `${title}: not measured yet, ${why}`),
      `${rounds.length} ${rounds.length === 1 ? "round" : "rounds"} of ${SLICES_PER_ROUND * REQUESTS_PER_SLICE} requests to each; every click was counted at the queue.`,
    ],
  };
}

type Row = {
  readonly target: Target;
  readonly slices: readonly Slice[];
  /** One for each round, as the ratios. */
  readonly cpuMicros: readonly number[];
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

/** CPU: medians over the rounds. The rest: medians over the slices, and the maximum that of all of them. */
function summarise({ slices, cpuMicros, ratios }: Row): Readonly<Record<keyof typeof UNITS, number>> {
  const middle = (read: (slice: Slice) => number): number => median(slices.map(read));
  return {
    cpu: median(cpuMicros),
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

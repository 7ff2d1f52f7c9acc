/** What the rounds of the redirect bench come to: ratios, figures, and a table to read. Pure. */
import { GATES } from "../gates.ts";
import { isClear } from "../judge.ts";
import type { Figure, SectionReport } from "../section.ts";
import { median, percentile } from "../statistics.ts";
import { formatTable } from "../table.ts";
import type { Slice } from "./measure-slice.ts";
import { meanCpuMicros, type Round, toCpuRatios } from "./run-rounds.ts";
import { CONSTANT, NOT_MEASURED, type Target, TARGETS } from "./targets.ts";
import { FACTS, KV_READ } from "./yardsticks.ts";

/** In the order of the table; the constant Worker comes before them. */
export const MEASURED: readonly Target[] = [...TARGETS, FACTS, KV_READ];

/** Every ratio that a gate may ask for: of which target, and of what. Without a yardstick: of the constant Worker. */
function readRatios(rounds: readonly Round[], figure: string): readonly number[] {
  const part = PLATFORM_PARTS.find(({ overYardstick }) => figure === overYardstick);
  if (part !== undefined) {
    return toCpuRatios(rounds, part.target, part.yardstick.name);
  }
  const target = MEASURED.find(({ name }) => figure === ratioFigure(name));
  return toCpuRatios(rounds, target?.name ?? "");
}

/** Whether every gated ratio is clearly on one side of its bar. */
export function isEnough(rounds: readonly Round[]): boolean {
  return GATES.filter(({ section }) => section === "redirect").every(({ figure, bar }) =>
    isClear(readRatios(rounds, figure), bar),
  );
}

function ratioFigure(targetName: string): string {
  return `redirect.${targetName}.cpu-ratio`;
}

/** Targets with the Worker that does only the platform's part of each: what the gates compare. */
const PLATFORM_PARTS = [
  {
    target: "isolate-hit",
    yardstick: FACTS,
    overYardstick: "redirect.isolate-hit.cpu-over-facts",
  },
  {
    target: "kv-hit",
    yardstick: KV_READ,
    overYardstick: "redirect.kv-hit.cpu-over-kv-read",
  },
] as const;

export type Circumstance = {
  readonly requestsPerRound: number;
  /** Share of all cores that other work had while it was measured; between 0 and 1. */
  readonly othersShare: number;
};

export function toReport(
  rounds: readonly Round[],
  { requestsPerRound, othersShare }: Circumstance,
): SectionReport {
  const rows: readonly Row[] = [
    {
      target: CONSTANT,
      slices: rounds.flatMap(({ constant }) => constant),
      cpuMicros: rounds.map(({ constant }) => meanCpuMicros(constant)),
      ratios: [1],
    },
    ...MEASURED.map((target) => {
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
    figures: [
      ...rows.flatMap(toFigures),
      ...PLATFORM_PARTS.map(({ overYardstick }): Figure => {
        const samples = readRatios(rounds, overYardstick);
        return { name: overYardstick, value: median(samples), unit: "x", samples };
      }),
    ],
    unmeasured: NOT_MEASURED.map(({ name, why }) => ({ name: ratioFigure(name), why })),
    lines: [
      ...formatTable([HEADINGS, ...rows.map(toCells)]),
      ...NOT_MEASURED.map(({ title, why }) => `${title}: not measured yet, ${why}`),
      `${rounds.length} ${rounds.length === 1 ? "round" : "rounds"} of ${requestsPerRound} requests to each; every click was counted at the queue. Others had ${(othersShare * 100).toFixed(0)} % of the CPU.`,
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

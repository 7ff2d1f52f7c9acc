/** The report of the redirect bench: ratios, figures, and a table to read. Pure. */
import { GATES, type Unit } from "../gates.ts";
import { isClear } from "../judge.ts";
import type { Figure, SectionReport } from "../section.ts";
import { median } from "../statistics.ts";
import { formatTable } from "../table.ts";
import { LATENCIES, type Slice } from "./measure-slice.ts";
import { meanCpuMicros, type Round, toCpuRatios } from "./run-rounds.ts";
import { CONSTANT, TARGETS } from "./targets.ts";

/** A hit, the Worker that does only the platform's part of it, and the figure that compares the two. */
export const COMPARISONS = [
  { target: "isolate-hit", yardstick: "facts", figure: "redirect.isolate-hit.cpu-over-facts" },
  { target: "kv-hit", yardstick: "kv-read", figure: "redirect.kv-hit.cpu-over-kv-read" },
  {
    target: "kv-hit",
    yardstick: "kv-read-and-facts",
    figure: "redirect.kv-hit.cpu-over-kv-read-and-facts",
  },
] as const;

/** The targets whose gate is not clear yet. */
export function findUnclear(rounds: readonly Round[]): ReadonlySet<string> {
  return new Set(
    COMPARISONS.filter(({ target, yardstick, figure }) => {
      const bar = GATES.find((gate) => gate.figure === figure)?.bar;
      return bar !== undefined && !isClear(toCpuRatios(rounds, target, yardstick), bar);
    }).map(({ target }) => target),
  );
}

/** @param othersShare share of all cores that other work used meanwhile, between 0 and 1. */
export function toReport(rounds: readonly Round[], othersShare: number): SectionReport {
  const measured = TARGETS.flat().filter(({ name }) => rounds[0]?.has(name));
  return {
    figures: [
      ...measured.flatMap(({ name }) =>
        COLUMNS.map(({ figure, unit, read }): Figure => ({
          name: `redirect.${name}.${figure}`,
          value: median(read(rounds, name)),
          unit,
          ...(figure === "cpu-ratio" ? { samples: read(rounds, name) } : {}),
        })),
      ),
      ...COMPARISONS.map(({ target, yardstick, figure }): Figure => {
        const samples = toCpuRatios(rounds, target, yardstick);
        return { name: figure, value: median(samples), unit: "x", samples };
      }),
    ],
    lines: [
      ...formatTable([
        ["", ...COLUMNS.map(({ heading }) => heading)],
        ...measured.map(({ name, title }) => [
          title,
          ...COLUMNS.map(({ read, digits }) => median(read(rounds, name)).toFixed(digits)),
        ]),
      ]),
      `Medians of ${rounds.length} rounds; every click was counted at the queue. ` +
        `Others used ${(othersShare * 100).toFixed(0)} % of the CPU.`,
    ],
  };
}

type Column = {
  readonly figure: string;
  readonly heading: string;
  readonly unit: Unit;
  readonly digits: number;
  readonly read: (rounds: readonly Round[], target: string) => readonly number[];
};

/** Of each slice, where the figure is one of a slice. */
const each = (read: (slice: Slice) => number) => (rounds: readonly Round[], target: string) =>
  rounds.flatMap((round) => (round.get(target) ?? []).map(read));

const COLUMNS: readonly Column[] = [
  {
    figure: "cpu",
    heading: "CPU µs",
    unit: "µs",
    digits: 1,
    read: (rounds, target) =>
      rounds.flatMap((round) => (round.has(target) ? [meanCpuMicros(round.get(target))] : [])),
  },
  {
    figure: "cpu-ratio",
    heading: "x constant",
    unit: "x",
    digits: 2,
    read: (rounds, target) => toCpuRatios(rounds, target, CONSTANT.name),
  },
  {
    figure: "requests-per-second",
    heading: "req/s",
    unit: "1/s",
    digits: 0,
    read: each((slice) => slice.requestsPerSecond),
  },
  ...LATENCIES.map((name): Column => ({
    figure: name,
    heading: name === "deviation" ? "dev. ms" : `${name} ms`,
    unit: "ms",
    digits: 1,
    read: each((slice) => slice.latency[name]),
  })),
  {
    figure: "look-ups",
    heading: "look-ups",
    unit: "per request",
    digits: 3,
    read: each((slice) => slice.lookUpsPerRequest),
  },
  {
    figure: "queue-messages",
    heading: "messages",
    unit: "per request",
    digits: 3,
    read: each((slice) => slice.queueMessagesPerRequest),
  },
];

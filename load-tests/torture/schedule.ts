/** What goes wrong, and when: drawn from a seed before the run, so that a run's bad day can be had again. Pure. */
import { createRandom } from "../../packages/edge-cache/test/workloads.ts";

export const FAULTS = [
  "postgres-killed",
  "receiver-killed",
  "sql-delayed",
  "sql-dropped",
  "sql-answer-lost",
  "kv-writes-refused",
  "queue-refuses",
  "queue-denies",
  "queue-delivers-thrice",
  "consumer-dies-before",
  "consumer-dies-midway",
  "consumer-dies-after",
  "api-dies-midway",
  "disk-slow",
  "disk-full",
  "clock-ahead",
  "clock-behind",
  "clickhouse-killed",
] as const;
export type Fault = (typeof FAULTS)[number];

export type Incident = { readonly fault: Fault; readonly atMs: number; readonly forMs: number };

/** Each fault once in every round of all of them, in any order; several are there at once. */
export function planIncidents(seed: number, lastsMs: number, faults: readonly Fault[]): readonly Incident[] {
  const random = createRandom(seed);
  const incidents: Incident[] = [];
  const everyMs = 6_000;
  let round: Fault[] = [];
  for (let atMs = 5_000; atMs < lastsMs - 10_000; atMs += everyMs * (0.5 + random())) {
    if (round.length === 0) {
      round = [...faults];
    }
    const [fault] = round.splice(Math.floor(random() * round.length), 1);
    if (fault !== undefined) {
      const forMs = 2_000 + random() * 10_000;
      incidents.push({ fault, atMs: Math.round(atMs), forMs: Math.round(forMs) });
    }
  }
  return incidents;
}

/** Where an axis is marked, and how its numbers read. Pure. */

/** Round numbers from 0 to at least `max`, about `count` of them. `max` 0 counts as 1. */
export function niceTicks(max: number, count: number): readonly number[] {
  const reach = max > 0 ? max : 1;
  const rough = reach / count;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * magnitude).find((size) => size >= rough) ?? rough;
  // The small part of a step: 3 x 0.0002 is not quite 0.0006.
  const steps = Math.ceil(reach / step - 1e-9);
  return Array.from({ length: steps + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** Whole seconds, minutes or hours from 0 to `lengthSeconds`. */
export function timeTicks(lengthSeconds: number): readonly number[] {
  const steps = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400];
  const step = steps.find((size) => lengthSeconds / size <= 10) ?? 28_800;
  const ticks: number[] = [];
  for (let at = 0; at <= lengthSeconds; at += step) {
    ticks.push(at);
  }
  return ticks;
}

/** `45 s`, `2 min`, `1:30`: minutes and seconds from a minute on. */
export function formatSeconds(seconds: number): string {
  if (seconds < 60) {
    return `${seconds} s`;
  }
  return seconds % 60 === 0
    ? `${seconds / 60} min`
    : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** `1,200`, `0.25`, `1.2 M`: three figures at most. */
export function formatNumber(value: number): string {
  if (value >= 1_000_000) {
    return `${Number((value / 1_000_000).toPrecision(3))} M`;
  }
  if (value >= 1_000) {
    return Math.round(value).toLocaleString("en-US");
  }
  return String(Number(value.toPrecision(3)));
}

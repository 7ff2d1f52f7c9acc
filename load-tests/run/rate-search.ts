/**
 * The search for the highest rate that holds: doubling until a rate breaks, then halving the gap in between. Pure: who
 * searches makes the runs and tells how they ended.
 */

export type Probe = { readonly rate: number; readonly isHeld: boolean };

export type SearchBounds = {
  /** The first rate that is tried, requests a second. */
  readonly from: number;
  /** No rate above this one is tried. */
  readonly most: number;
  /** The gap between what held and what broke, as a share of what held, at which the search ends. */
  readonly tolerance: number;
};

/** Rates are whole multiples of this: finer ones would say more than a run can know. */
const STEP = 50;

/** The rate to try next; `null` when the answer is known: `highestHeld`. */
export function nextRate(probes: readonly Probe[], { from, most, tolerance }: SearchBounds): number | null {
  const held = highestHeld(probes);
  const broken = lowestBroken(probes);
  if (broken === null) {
    const next = held === null ? from : Math.min(most, held * 2);
    return next === held ? null : next;
  }
  const floor = held ?? 0;
  if (broken - floor <= Math.max(STEP, floor * tolerance)) {
    return null;
  }
  const middle = Math.round((floor + broken) / 2 / STEP) * STEP;
  return middle > floor && middle < broken ? middle : null;
}

/**
 * The highest rate that held below every rate that broke; `null` where none did. A rate that held above one that broke
 * counts for nothing: it was luck.
 */
export function highestHeld(probes: readonly Probe[]): number | null {
  const broken = lowestBroken(probes) ?? Infinity;
  const held = probes.filter(({ rate, isHeld }) => isHeld && rate < broken).map(({ rate }) => rate);
  return held.length === 0 ? null : Math.max(...held);
}

function lowestBroken(probes: readonly Probe[]): number | null {
  const broken = probes.filter(({ isHeld }) => !isHeld).map(({ rate }) => rate);
  return broken.length === 0 ? null : Math.min(...broken);
}

/** The next lower rate to confirm, where a whole run at `rate` did not hold though a short one had; at least one step. */
export function stepDown(rate: number): number {
  return Math.max(STEP, Math.floor((rate * 0.9) / STEP) * STEP);
}

/**
 * What to make next of a day. Pure.
 *
 * An open slice has the clicks that arrived since the one before, of any time of the day, with cells by quarter of an hour: it takes what
 * is new of a day that is running, clicks that came after retention had removed the others, and, below zero, those of a deleted link. A slice of a day that is over has all
 * clicks of some quarters of an hour: the sum of the slices that had them before, whose place it takes, or else counted from clicks.
 */

export const QUARTERS = 96;
/** The number of an open slice is a multiple of QUARTERS from here on; its cells have the quarter of an hour added to it. */
export const FIRST_OPEN_SLICE = 96_000;
/** More than any transaction's. */
export const ALL_XIDS = "9223372036854775807";

export type MadeSlice = {
  /** Of one that is not open: its first quarter of an hour, and a multiple of QUARTERS that grows when it is made again. */
  readonly slice: number;
  /** It has what was written by transactions before this one. */
  readonly untilXid: string;
  /** Its clicks by quarter of an hour, from its first one on. */
  readonly clicks: readonly number[];
};

export type DayState = {
  /** The clicks of each quarter of an hour, from the rollups. */
  readonly quarters: readonly number[];
  readonly slices: readonly MadeSlice[];
  /** Transactions before this one are over. */
  readonly horizonXid: string;
  /** How many of its quarters of an hour are over. */
  readonly passed: number;
  /** Retention has removed clicks of the day. */
  readonly isRemoved: boolean;
  /** Of how many clicks the visitors were counted, in how many parts, and the last slice of these that is not open. */
  readonly visitors: { readonly clicks: number; readonly parts: number; readonly last: number };
};

/** Whether cube_visits says who came in all clicks of the slices, so that another one may add to it. */
export function hasVisits({ slices, visitors, isRemoved }: DayState): boolean {
  return !isRemoved && visitors.last === 0 && visitors.clicks === sum(slices.flatMap(({ clicks }) => clicks));
}

/** Quarters of an hour, end exclusive: the clicks of transactions from `fromXid` on. */
export type Span = { readonly from: number; readonly end: number; readonly fromXid: string };

export type Slice = {
  readonly slice: number;
  readonly isOpen: boolean;
  readonly spans: readonly Span[];
  readonly untilXid: string;
};

/** Of the day, the slices that have all clicks of the quarters of an hour of a slice that is not open. */
export type Sources = { readonly slices: readonly number[]; readonly untilXid: string };

/** Of a day, whenever they arrived. */
export const ALL_CLICKS: Omit<Slice, "slice"> = {
  isOpen: false,
  spans: [{ from: 0, end: QUARTERS, fromXid: "0" }],
  untilXid: ALL_XIDS,
};

export type DayPlan =
  | {
      readonly next: "slice";
      readonly slice: Slice;
      readonly clicks: number;
      readonly sources?: Sources | undefined;
    }
  | { readonly next: "visitors"; readonly clicks: number; readonly isSum: boolean }
  | { readonly next: "nothing" }
  /** Again in so many seconds. */
  | { readonly next: "wait"; readonly seconds: number };

export type SliceSizes = {
  /** Of a slice of a day that is over, at most, unless one quarter of an hour has more. */
  readonly sliceClicks: number;
  /** New clicks that make an open slice at once: visitors look up each of them. */
  readonly openClicks: number;
  /** About as many as an open slice takes at most. */
  readonly mostOpenClicks: number;
};

export function planDay(state: DayState, sizes: SliceSizes): DayPlan {
  const { quarters, slices, passed, isRemoved, visitors } = state;
  const missing = quarters.map(
    (clicks, quarter) => clicks - sum(slices.map((slice) => clicksIn(slice, quarter))),
  );
  const open: DayPlan = { next: "slice", slice: planOpen(state, missing), clicks: sum(missing) };
  if (passed < QUARTERS) {
    // As soon as it may be worth a slice; of a small day, once it is over.
    return sum(missing) >= sizes.openClicks
      ? open
      : { next: "wait", seconds: slices.length > 0 ? 300 : (QUARTERS - passed) * 900 };
  }
  if (isRemoved) {
    return sum(missing) > 0 ? open : { next: "nothing" };
  }
  // A day that is made of its slices needs them all.
  if (slices.some(({ slice }) => slice >= FIRST_OPEN_SLICE) && missing.some((clicks) => clicks > 0)) {
    return open;
  }
  const [span] = planClosed(state, sizes.sliceClicks);
  if (span !== undefined) {
    const numbers = slices
      .map(({ slice }) => slice)
      .filter((slice) => slice < FIRST_OPEN_SLICE && slice % QUARTERS === span.from);
    const slice = numbers.length === 0 ? span.from : (Math.max(...numbers) + QUARTERS) % FIRST_OPEN_SLICE;
    return {
      next: "slice",
      slice: { ...ALL_CLICKS, slice, spans: [{ ...span, fromXid: "0" }] },
      clicks: sum(quarters.slice(span.from, span.end)),
      sources: findSources(state, span),
    };
  }
  const clicks = sum(quarters);
  return visitors.clicks === clicks && visitors.parts === 1 && visitors.last > 0
    ? { next: "nothing" }
    : { next: "visitors", clicks, isSum: visitors.clicks === clicks && visitors.last === 0 };
}

function findSources(
  { quarters, slices }: DayState,
  { from, end }: Omit<Span, "fromXid">,
): Sources | undefined {
  const inSpan = (slice: MadeSlice) =>
    quarters.map((_, quarter) => clicksIn(slice, quarter)).slice(from, end);
  const used = slices.filter((slice) => sum(inSpan(slice)) !== 0);
  const isWhole = quarters
    .slice(from, end)
    .every((clicks, index) => clicks === sum(used.map((slice) => inSpan(slice)[index] ?? 0)));
  const isInside = used.every(
    (slice) => slice.slice >= FIRST_OPEN_SLICE || sum(inSpan(slice)) === sum(slice.clicks),
  );
  return used.length === 0 || !isWhole || !isInside
    ? undefined
    : { slices: used.map(({ slice }) => slice), untilXid: lastXid(used) };
}

function lastXid(slices: readonly MadeSlice[]): string {
  return slices.reduce((last, { untilXid }) => (BigInt(untilXid) > BigInt(last) ? untilXid : last), "0");
}

const firstOf = ({ slice }: MadeSlice): number => slice % QUARTERS;

function clicksIn(slice: MadeSlice, quarter: number): number {
  return slice.clicks[quarter - firstOf(slice)] ?? 0;
}

/** What arrived since the slices that are there. */
function planOpen({ slices, horizonXid }: DayState, missing: readonly number[]): Slice {
  const spans: Span[] = [];
  for (const [quarter, clicks] of missing.entries()) {
    const fromXid = lastXid(
      slices.filter((slice) => quarter >= firstOf(slice) && quarter < firstOf(slice) + slice.clicks.length),
    );
    const before = spans.at(-1);
    if (clicks > 0 && before?.end === quarter && before.fromXid === fromXid) {
      spans[spans.length - 1] = { ...before, end: quarter + 1 };
    } else if (clicks > 0) {
      spans.push({ from: quarter, end: quarter + 1, fromXid });
    }
  }
  const last = Math.max(FIRST_OPEN_SLICE - QUARTERS, ...slices.map(({ slice }) => slice));
  return { slice: last + QUARTERS, isOpen: true, spans, untilXid: horizonXid };
}

/** Quarters of an hour, those of no slice with all of their clicks. */
function planClosed({ quarters, slices }: DayState, maxClicks: number): readonly Omit<Span, "fromXid">[] {
  // One that has grown a lot since is cut again.
  const closed = slices.filter(
    (slice) =>
      slice.slice < FIRST_OPEN_SLICE &&
      sum(quarters.slice(firstOf(slice), firstOf(slice) + slice.clicks.length)) <= 2 * maxClicks,
  );
  const spans: { from: number; end: number }[] = [];
  let clicks = 0;
  for (const [quarter, more] of quarters.entries()) {
    const own = closed.find(
      (slice) => quarter >= firstOf(slice) && quarter < firstOf(slice) + slice.clicks.length,
    );
    const isMade =
      own !== undefined && own.clicks.every((count, index) => count === quarters[firstOf(own) + index]);
    const last = spans.at(-1);
    // One that has late clicks is made again as it was.
    const isSame = own !== undefined && !isMade && quarter > firstOf(own);
    if (isMade || (more === 0 && !isSame && own === undefined && last?.end !== quarter)) {
      continue;
    }
    if (last?.end === quarter && (isSame || (own === undefined && clicks + more <= maxClicks))) {
      last.end = quarter + 1;
      clicks += more;
    } else {
      spans.push({ from: quarter, end: quarter + 1 });
      clicks = more;
    }
  }
  return spans;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

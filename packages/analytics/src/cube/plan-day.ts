/** Which slices of a day to make. Pure. */

export const QUARTERS = 96;
/** Slices from here on hold clicks that came after retention had removed the day's clicks. */
const FIRST_LATE_SLICE = 100;

type MadeSlice = {
  /** Its first quarter of an hour, or a number from FIRST_LATE_SLICE on. */
  readonly slice: number;
  /** Exclusive. */
  readonly end: number;
  readonly clicks: number;
};

export type DayState = {
  /** The clicks of each quarter of an hour, from the rollups. */
  readonly quarters: readonly number[];
  /** Ascending. */
  readonly slices: readonly MadeSlice[];
  /** Of how many clicks the visitors were counted; `null`: they were not. */
  readonly visitorClicks: number | null;
  /** How many clicks can be read of a day whose clicks retention has removed; `null`: it has not. */
  readonly leftClicks: number | null;
};

export type Slice = MadeSlice & { readonly from: number };

export type DayPlan = {
  /** The slices that stay. All others go before one is made. */
  readonly keep: readonly number[];
  readonly make: readonly Slice[];
  /** The clicks of the day if its visitors are to be counted. */
  readonly visitors: number | null;
};

/** @param maxClicks of a slice, unless one quarter of an hour has more. */
export function planDay(state: DayState, maxClicks: number): DayPlan {
  const { quarters, slices, visitorClicks, leftClicks } = state;
  if (leftClicks !== null) {
    return { ...planLate(state, leftClicks), visitors: null };
  }
  const clicksOf = (from: number, end: number) => sum(quarters.slice(from, end));
  const current = slices.filter(({ slice, end, clicks }) => clicks === clicksOf(slice, end));
  const total = sum(quarters);
  return {
    keep: current.map(({ slice }) => slice),
    make: cutSlices(quarters, { current, maxClicks }),
    visitors: visitorClicks === total ? null : total,
  };
}

/** The quarters with clicks that no current slice has, in slices. */
function cutSlices(
  quarters: readonly number[],
  { current, maxClicks }: { readonly current: readonly MadeSlice[]; readonly maxClicks: number },
): readonly Slice[] {
  const made: Slice[] = [];
  let isOpen = false;
  for (const [quarter, clicks] of quarters.entries()) {
    const isMade = current.some(({ slice, end }) => slice <= quarter && quarter < end);
    const last = made.at(-1);
    if (!isMade && isOpen && last !== undefined && last.clicks + clicks <= maxClicks) {
      made[made.length - 1] = { ...last, end: quarter + 1, clicks: last.clicks + clicks };
      continue;
    }
    isOpen = !isMade && clicks > 0;
    if (isOpen) {
      made.push({ slice: quarter, from: quarter, end: quarter + 1, clicks });
    }
  }
  return made;
}

/**
 * A slice of the clicks that are left. Late slices were made of clicks that retention has removed since, except the newest, whose
 * clicks may still be there: then they are made again together with what came after them.
 */
function planLate({ quarters, slices }: DayState, leftClicks: number): Omit<DayPlan, "visitors"> {
  const missing = sum(quarters) - sum(slices.map(({ clicks }) => clicks));
  const late = slices.filter(({ slice }) => slice >= FIRST_LATE_SLICE).toReversed();
  for (let newest = 0; missing > 0 && slices.length > 0 && newest <= late.length; newest += 1) {
    const again = late.slice(0, newest);
    if (leftClicks === missing + sum(again.map(({ clicks }) => clicks))) {
      const last = late[newest]?.slice ?? FIRST_LATE_SLICE - 1;
      const keep = slices.filter((one) => !again.includes(one)).map(({ slice }) => slice);
      return { keep, make: [{ slice: last + 1, from: 0, end: QUARTERS, clicks: leftClicks }] };
    }
  }
  return { keep: slices.map(({ slice }) => slice), make: [] };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Which quarters of an hour of a day have to be copied, and in which pieces. Pure. */

/** A quarter of an hour of a workspace's day. */
export type Quarter = {
  readonly workspaceId: string;
  /** Epoch seconds at which it begins. */
  readonly startS: number;
  /** Its clicks by the rollups, and its rows in ClickHouse. */
  readonly clicks: number;
  readonly found: number;
};

/** From inclusive, to exclusive; epoch seconds. */
export type Span = { readonly workspaceId: string; readonly fromS: number; readonly toS: number };

/** A quarter of an hour, seconds. */
export const QUARTER_S = 900;

export type CopyPlan = {
  /** Emptied before they are copied. */
  readonly empty: readonly Quarter[];
  readonly copy: readonly Quarter[];
};

/**
 * Of quarters that are not alike in both stores. One is only emptied if Postgres has all its clicks. If retention has removed some,
 * those that came after that are added, if they are all that ClickHouse lacks; otherwise it stays as it is.
 *
 * @param kept the clicks of each of them that Postgres still has. `null`: not known, because retention is removing some.
 */
export function planCopy(different: readonly Quarter[], kept: readonly (number | null)[]): CopyPlan {
  const isWhole = ({ clicks }: Quarter, index: number) => kept[index] === clicks;
  return {
    empty: different.filter((quarter, index) => quarter.found > 0 && isWhole(quarter, index)),
    copy: different.filter(
      (quarter, index) =>
        isWhole(quarter, index) ||
        quarter.found === 0 ||
        quarter.found + (kept[index] ?? Infinity) === quarter.clicks,
    ),
  };
}

/** Neighbours in groups of at most `maxClicks`, unless one alone has more. */
export function group<T extends { readonly clicks: number }>(
  items: readonly T[],
  maxClicks: number,
): readonly (readonly T[])[] {
  const groups: T[][] = [];
  let clicks = 0;
  for (const item of items) {
    clicks += item.clicks;
    const last = groups.at(-1);
    if (last === undefined || clicks > maxClicks) {
      groups.push([item]);
      clicks = item.clicks;
    } else {
      last.push(item);
    }
  }
  return groups;
}

/** Adjoining quarters of a workspace as one span. They are in order. */
export function toSpans(quarters: readonly Quarter[]): readonly Span[] {
  const spans: Span[] = [];
  for (const { workspaceId, startS } of quarters) {
    const toS = startS + QUARTER_S;
    const last = spans.at(-1);
    if (last?.workspaceId === workspaceId && last.toS === startS) {
      spans[spans.length - 1] = { ...last, toS };
    } else {
      spans.push({ workspaceId, fromS: startS, toS });
    }
  }
  return spans;
}

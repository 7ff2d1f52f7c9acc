/** The clicks of a link's last 30 days (UTC), as a line without axes: one question for a page of links. */
import { queryOptions } from "@tanstack/react-query";
import { formatNumber } from "../format.ts";
import { ask } from "../queries.ts";
import { t } from "./words.ts";

export type Lines = ReadonlyMap<string, readonly number[]>;

/** Of 100 links at most. Links without clicks have no line in the answer. */
export function linesQuery(linkIds: readonly string[]) {
  return queryOptions({
    ...ask(["sparklines", ...linkIds], async (hopline, options): Promise<Lines> => {
      const { lines } = await hopline.readLines(
        { dimension: "link", link: [...linkIds], period: "last30Days", interval: "day", limit: 100 },
        options,
      );
      return new Map(
        lines.flatMap(({ value, points }) => (value === null ? [] : [[value, points] as const])),
      );
    }),
    enabled: linkIds.length > 0,
    structuralSharing: false,
    staleTime: 60_000,
  });
}

const WIDTH = 60;
const HEIGHT = 20;

/** Nothing while it is not known. */
export function Sparkline({ points }: { readonly points: readonly number[] | undefined }) {
  if (points === undefined || points.length < 2) {
    return null;
  }
  const most = Math.max(1, ...points);
  const at = (clicks: number, index: number) =>
    `${((index / (points.length - 1)) * WIDTH).toFixed(1)},${(HEIGHT - 1 - (clicks / most) * (HEIGHT - 2)).toFixed(1)}`;
  const total = points.reduce((sum, clicks) => sum + clicks, 0);
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={t.clicksInLast30Days(formatNumber(total))}
    >
      <polyline points={points.map(at).join(" ")} />
    </svg>
  );
}

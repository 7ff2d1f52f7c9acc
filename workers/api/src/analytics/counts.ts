/** GET /api/v1/analytics/totals, /timeseries and /compare. Each field says what its number means. */
import { z } from "@hono/zod-openapi";
import { type Series, totalOf, totalsOf } from "@hopline/analytics/engine";
import { INTERVALS } from "@hopline/analytics/interval";
import { periodBefore, type TimeRange } from "@hopline/analytics/range";
import { flagParam } from "../http/query-parameters.ts";
import { toInstant } from "../instant.ts";
import { questionOperation } from "./question-operation.ts";
import { type Buckets, chooseBuckets, IntervalParam, RangeBody, toRange } from "./question-shape.ts";
import { ask } from "../run-statements.ts";

const VISITORS =
  "Unique visitors: distinct combinations of truncated address and user agent, per UTC day, because the key of the hash changes daily. For one UTC day it is the number of unique visitors; for a longer range it is the sum over its days, so a visitor who comes on three days counts three times. Visitors who asked not to be tracked are not included. `null` unless `visitors=true` was sent.";

export const VisitorsFlag = flagParam(
  "Count unique visitors too. Complete days (UTC) are pre-aggregated for a whole workspace, one link or one country, for humans or all classes: totals and comparisons with edges on quarters of an hour, series by day or longer, and a workspace by country. Everything else (other filters, other dimensions, hours) is counted from single clicks. That takes longer, and is refused with `query_too_wide` if it takes too long: ask for fewer days, or without visitors.",
);

export const countFields = {
  clicks: z
    .number()
    .int()
    .openapi({ description: "Each click counts once; clicks of humans, unless `class` asks for others." }),
  visitors: z.number().int().nullable().openapi({ description: VISITORS }),
};

export const CountsBody = z.object(countFields).openapi("ClickCounts");

export const SeriesBody = z
  .object({
    interval: z.enum(INTERVALS),
    points: z.array(
      z.object({
        at: z.iso.datetime().openapi({
          description:
            "Start of the bucket. The first one may start before the range; only clicks in the range count.",
        }),
        ...countFields,
      }),
    ),
  })
  .openapi("ClickSeries");

/** Of a series of one bucket. */
export function toTotals(series: Series, range: TimeRange) {
  return { ...totalOf(series), range: toRange(range, series) };
}

export function toSeries({ interval, startsMs }: Buckets, { points }: Series): z.infer<typeof SeriesBody> {
  return {
    interval,
    points: points.map((counts, index) => ({ at: toInstant(startsMs[index] ?? 0), ...counts })),
  };
}

export const readTotalsOperation = questionOperation({
  path: "/api/v1/analytics/totals",
  operationId: "readTotals",
  summary: "Count clicks",
  query: { visitors: VisitorsFlag },
  answer: ["The counts.", CountsBody.extend({ range: RangeBody }).openapi("Totals")],
  async read(question, { visitors }, deps) {
    const [totals] = await ask(deps.database, [totalsOf(question, visitors)]);
    return toTotals(totals, question.range);
  },
});

export const readTimeseriesOperation = questionOperation({
  path: "/api/v1/analytics/timeseries",
  operationId: "readTimeseries",
  summary: "Count clicks over time",
  description:
    "Lists every bucket of the range, including those without clicks. The points add up to the totals.",
  query: { visitors: VisitorsFlag, interval: IntervalParam },
  answer: ["The series.", SeriesBody.extend({ range: RangeBody }).openapi("Timeseries")],
  async read(question, { visitors, interval }, deps) {
    const buckets = chooseBuckets(question.range, interval);
    const [series] = await ask(deps.database, [
      { kind: "series", question, startsMs: buckets.startsMs, visitors },
    ]);
    return { ...toSeries(buckets, series), range: toRange(question.range, series) };
  },
});

export const compareOperation = questionOperation({
  path: "/api/v1/analytics/compare",
  operationId: "compareWithPeriodBefore",
  summary: "Count clicks, and those of the previous period",
  description:
    "The previous period has as many whole months if the range is whole months, as many days if it is whole days, otherwise the same length. If the range is not over yet, the previous period ends at the same point.",
  query: { visitors: VisitorsFlag },
  answer: [
    "Both counts.",
    z
      .object({
        current: CountsBody.extend({ range: RangeBody }),
        previous: CountsBody.extend({ range: RangeBody }),
        change: z.number().nullable().openapi({
          description: "Change of the clicks: 0.25 is a quarter more. `null` if there were none before.",
        }),
      })
      .openapi("Comparison"),
  ],
  async read(question, { visitors }, deps) {
    const before = periodBefore(question.range, deps.nowMs());
    const counted = await ask(deps.database, [
      totalsOf(question, visitors),
      totalsOf({ ...question, range: before }, visitors),
    ]);
    const [current, previous] = [toTotals(counted[0], question.range), toTotals(counted[1], before)];
    const change = previous.clicks === 0 ? null : current.clicks / previous.clicks - 1;
    return { current, previous, change };
  },
});

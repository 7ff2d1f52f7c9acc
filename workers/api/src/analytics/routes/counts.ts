/** GET /api/v1/analytics/totals, /timeseries and /compare */
import { z } from "@hono/zod-openapi";
import { totalsOf } from "@hopline/analytics/engine";
import { periodBefore } from "@hopline/analytics/range";
import {
  CountsBody,
  RangeBody,
  SeriesBody,
  toRange,
  toSeries,
  toTotals,
  VisitorsFlag,
} from "../answer-shape.ts";
import { questionOperation } from "../question-operation.ts";
import { chooseBuckets, IntervalParam } from "../question-shape.ts";
import { ask } from "../run-statements.ts";

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
    return { ...toSeries(buckets, series), range: toRange(question.range, series.complete) };
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

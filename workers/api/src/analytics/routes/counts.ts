/** GET /api/v1/analytics/totals, /timeseries and /compare */
import { createRoute, z } from "@hono/zod-openapi";
import { totalsOf } from "@hopline/analytics/engine";
import { periodBefore } from "@hopline/analytics/range";
import type { ApiDeps } from "../../api-deps.ts";
import { operation } from "../../http/operation.ts";
import {
  answers,
  CountsBody,
  RangeBody,
  READ,
  SeriesBody,
  toRange,
  toSeries,
  toTotals,
  VisitorsFlag,
} from "../answer-shape.ts";
import { chooseBuckets, fromQuery, IntervalParam, QuestionQuery } from "../question-shape.ts";
import { ask } from "../run-statements.ts";

const query = QuestionQuery.extend({ visitors: VisitorsFlag });

const totalsRoute = createRoute({
  ...READ,
  path: "/api/v1/analytics/totals",
  operationId: "readTotals",
  summary: "Count clicks",
  request: { query },
  responses: answers("The counts.", CountsBody.extend({ range: RangeBody }).openapi("Totals")),
});

export function readTotalsOperation(deps: ApiDeps) {
  return operation(totalsRoute, async (context) => {
    const { visitors, ...asked } = context.req.valid("query");
    const question = fromQuery(asked, context, deps);
    const [totals] = await ask(deps.database, [totalsOf(question, visitors)]);
    return context.json(toTotals(totals, question.range), 200);
  });
}

const timeseriesRoute = createRoute({
  ...READ,
  path: "/api/v1/analytics/timeseries",
  operationId: "readTimeseries",
  summary: "Count clicks over time",
  description:
    "Lists every bucket of the range, including those without clicks. The points add up to the totals.",
  request: { query: query.extend({ interval: IntervalParam }) },
  responses: answers("The series.", SeriesBody.extend({ range: RangeBody }).openapi("Timeseries")),
});

export function readTimeseriesOperation(deps: ApiDeps) {
  return operation(timeseriesRoute, async (context) => {
    const { visitors, interval, ...asked } = context.req.valid("query");
    const question = fromQuery(asked, context, deps);
    const buckets = chooseBuckets(question.range, interval);
    const { startsMs } = buckets;
    const [series] = await ask(deps.database, [{ kind: "series", question, startsMs, visitors }]);
    const range = toRange(question.range, series.complete);
    return context.json({ ...toSeries(buckets, series), range }, 200);
  });
}

const compareRoute = createRoute({
  ...READ,
  path: "/api/v1/analytics/compare",
  operationId: "compareWithPeriodBefore",
  summary: "Count clicks, and those of the previous period",
  description:
    "The previous period has as many whole months if the range is whole months, as many days if it is whole days, otherwise the same length. If the range is not over yet, the previous period ends at the same point.",
  request: { query },
  responses: answers(
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
  ),
});

export function compareOperation(deps: ApiDeps) {
  return operation(compareRoute, async (context) => {
    const { visitors, ...asked } = context.req.valid("query");
    const question = fromQuery(asked, context, deps);
    const before = periodBefore(question.range, deps.nowMs());
    const counted = await ask(deps.database, [
      totalsOf(question, visitors),
      totalsOf({ ...question, range: before }, visitors),
    ]);
    const [current, previous] = [toTotals(counted[0], question.range), toTotals(counted[1], before)];
    const change = previous.clicks === 0 ? null : current.clicks / previous.clicks - 1;
    return context.json({ current, previous, change }, 200);
  });
}

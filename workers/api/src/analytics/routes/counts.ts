/** GET /api/v1/analytics/totals, /timeseries and /compare */
import { createRoute, z } from "@hono/zod-openapi";
import {
  CountsBody,
  RangeBody,
  SeriesBody,
  toCountsBody,
  toRange,
  toSeries,
  VisitorsFlag,
} from "../answer-shape.ts";
import { INTERVALS } from "@hopline/analytics/interval";
import { fromQuery, QuestionQuery } from "../question-shape.ts";
import { periodBefore } from "@hopline/analytics/range";
import { chooseBuckets } from "../choose-buckets.ts";
import { ask } from "../run-statements.ts";
import type { ApiDeps } from "../../api-deps.ts";
import { jsonAnswer, needs, NOT_MODIFIED, operation, problems } from "../../http/operation.ts";

const query = QuestionQuery.extend({ visitors: VisitorsFlag });
const common = { method: "get" as const, tags: ["Analytics"], ...needs("analytics:read") };
const refusals = { ...NOT_MODIFIED, ...problems("query_too_wide") };

const totalsRoute = createRoute({
  ...common,
  path: "/api/v1/analytics/totals",
  operationId: "readTotals",
  summary: "Count clicks",
  request: { query },
  responses: {
    200: jsonAnswer("The counts.", CountsBody.extend({ range: RangeBody }).openapi("Totals")),
    ...refusals,
  },
});

export function readTotalsOperation(deps: ApiDeps) {
  return operation(totalsRoute, async (context) => {
    const { visitors, ...asked } = context.req.valid("query");
    const { workspaceId } = context.get("principal");
    const question = fromQuery(asked, { workspaceId, nowMs: deps.nowMs() });
    const [totals] = await ask(deps.database, [{ kind: "totals", question, visitors }]);
    return context.json(toCountsBody(totals, question.range), 200);
  });
}

export const IntervalParam = z
  .enum(INTERVALS)
  .optional()
  .openapi({ description: "Chosen by the length of the range if left out." });

const timeseriesRoute = createRoute({
  ...common,
  path: "/api/v1/analytics/timeseries",
  operationId: "readTimeseries",
  summary: "Count clicks over time",
  description:
    "Lists every bucket of the range, including those without clicks. The points add up to the totals.",
  request: {
    query: query.extend({ interval: IntervalParam }),
  },
  responses: {
    200: jsonAnswer("The series.", SeriesBody.extend({ range: RangeBody }).openapi("Timeseries")),
    ...refusals,
  },
});

export function readTimeseriesOperation(deps: ApiDeps) {
  return operation(timeseriesRoute, async (context) => {
    const { visitors, interval: wanted, ...asked } = context.req.valid("query");
    const { workspaceId } = context.get("principal");
    const question = fromQuery(asked, { workspaceId, nowMs: deps.nowMs() });
    const { interval, startsMs } = chooseBuckets(question.range, wanted);
    const [{ points, complete }] = await ask(deps.database, [
      { kind: "series", question, startsMs, visitors },
    ]);
    return context.json(
      { ...toSeries(interval, startsMs, points), range: toRange(question.range, complete) },
      200,
    );
  });
}

const compareRoute = createRoute({
  ...common,
  path: "/api/v1/analytics/compare",
  operationId: "compareWithPeriodBefore",
  summary: "Count clicks, and those of the previous period",
  description:
    "The previous period has as many whole months if the range is whole months, as many days if it is whole days, otherwise the same length. If the range is not over yet, the previous period ends at the same point.",
  request: { query },
  responses: {
    200: jsonAnswer(
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
    ...refusals,
  },
});

export function compareOperation(deps: ApiDeps) {
  return operation(compareRoute, async (context) => {
    const { visitors, ...asked } = context.req.valid("query");
    const nowMs = deps.nowMs();
    const question = fromQuery(asked, { workspaceId: context.get("principal").workspaceId, nowMs });
    const before = periodBefore(question.range, nowMs);
    const ofBefore = { ...question, range: before };
    const [current, previous] = await ask(deps.database, [
      { kind: "totals", question, visitors },
      { kind: "totals", question: ofBefore, visitors },
    ]);
    return context.json(
      {
        current: toCountsBody(current, question.range),
        previous: toCountsBody(previous, before),
        change: previous.clicks === 0 ? null : current.clicks / previous.clicks - 1,
      },
      200,
    );
  });
}

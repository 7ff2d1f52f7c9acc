/** POST /api/v1/analytics/query: everything on a dashboard's first screen, in one request to the database. */
import { createRoute, z } from "@hono/zod-openapi";
import {
  BreakdownBody,
  CountsBody,
  RangeBody,
  SeriesBody,
  toBreakdownBody,
  toCountsBody,
  toRange,
  toSeries,
  VISITORS_ASKED,
} from "../answer-shape.ts";
import { type Dimension, DIMENSIONS } from "@hopline/analytics/dimension";
import type { Question } from "@hopline/analytics/engine";
import { bucketStarts, chooseInterval, INTERVALS } from "@hopline/analytics/interval";
import { fromBody, QuestionBody } from "../question-shape.ts";
import { periodBefore } from "@hopline/analytics/range";
import { requireFewPoints } from "../require-few-points.ts";
import { ask } from "../run-statements.ts";
import type { ApiDeps } from "../../api-deps.ts";
import {
  BODY_PROBLEMS,
  IDEMPOTENCY_PROBLEMS,
  IdempotencyHeader,
  jsonAnswer,
  jsonBody,
  needs,
  operation,
  problems,
} from "../../http/operation.ts";

const MAX_LIST = 100;

const dimensions = z.array(z.enum(DIMENSIONS)).max(DIMENSIONS.length).default([]);

const FirstScreenBody = QuestionBody.extend({
  interval: z
    .enum(INTERVALS)
    .optional()
    .openapi({ description: "Of the chart; chosen by the length of the range if left out." }),
  lists: dimensions.openapi({ description: "Dimensions whose top values to list." }),
  facets: dimensions.openapi({
    description:
      "Dimensions to count as choices: with every filter except the dimension's own, so that values that are not selected have counts too.",
  }),
  limit: z.number().int().min(1).max(MAX_LIST).default(10).openapi({ description: "Values per list." }),
  visitors: z
    .boolean()
    .default(false)
    .openapi({ description: `In the totals. ${VISITORS_ASKED}` }),
}).openapi("FirstScreenQuery");

const FirstScreenAnswer = z
  .object({
    range: RangeBody,
    totals: CountsBody,
    previous: CountsBody.extend({ range: RangeBody }),
    series: SeriesBody,
    lists: z.array(BreakdownBody),
    facets: z.array(BreakdownBody),
  })
  .openapi("FirstScreen");

const route = createRoute({
  method: "post",
  path: "/api/v1/analytics/query",
  operationId: "readFirstScreen",
  summary: "Totals, chart, top lists and facets in one request",
  description: "All numbers are from one snapshot. Changes nothing.",
  tags: ["Analytics"],
  ...needs("analytics:read"),
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(FirstScreenBody, {
      period: "last30Days",
      timeZone: "Europe/Berlin",
      lists: ["link", "referrer", "country"],
      facets: ["class"],
    }),
  },
  responses: {
    200: jsonAnswer("The screen.", FirstScreenAnswer),
    ...problems(...BODY_PROBLEMS, ...IDEMPOTENCY_PROBLEMS, "query_too_wide"),
  },
});

export function readFirstScreenOperation(deps: ApiDeps) {
  return operation(route, async (context) => {
    const body = context.req.valid("json");
    const nowMs = deps.nowMs();
    const question = fromBody(body, { workspaceId: context.get("principal").workspaceId, nowMs });
    const interval = body.interval ?? chooseInterval(question.range);
    requireFewPoints(question.range, interval);
    const starts = bucketStarts(question.range, interval, question.range.zone);
    const before = periodBefore(question.range, nowMs);
    const { limit, visitors } = body;
    const ofBefore = { ...question, range: before };
    const list = (dimension: Dimension, of: Question) =>
      ({
        kind: "breakdown",
        question: of,
        dimension,
        limit,
        search: "",
        visitors: false,
        startsMs: null,
      }) as const;
    const [previous, { points, complete: isChartComplete }, counted, ...found] = await ask(deps.database, [
      { kind: "totals", question: ofBefore, visitors },
      { kind: "series", question, startsMs: starts, visitors: false },
      { kind: "totals", question, visitors },
      ...body.lists.map((dimension) => list(dimension, question)),
      ...body.facets.map((dimension) => list(dimension, withoutFilterOn(dimension, question))),
    ]);
    const isComplete = isChartComplete && [counted, ...found].every(({ complete }) => complete);
    const shown = [...body.lists, ...body.facets].flatMap((dimension, index) => {
      const values = found[index];
      return values === undefined ? [] : [toBreakdownBody(dimension, values)];
    });
    const { clicks, visitors: seen } = counted;
    return context.json(
      {
        range: toRange(question.range, isComplete),
        totals: { clicks, visitors: seen },
        previous: toCountsBody(previous, before),
        series: toSeries(interval, starts, points),
        lists: shown.slice(0, body.lists.length),
        facets: shown.slice(body.lists.length),
      },
      200,
    );
  });
}

function withoutFilterOn(dimension: Dimension, question: Question): Question {
  return { ...question, filters: question.filters.filter((filter) => filter.dimension !== dimension) };
}

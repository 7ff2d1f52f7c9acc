/** GET /api/v1/analytics/overview: everything on a dashboard's first screen, in one request to the database. */
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
  VisitorsFlag,
} from "../answer-shape.ts";
import { type Dimension, DIMENSIONS } from "@hopline/analytics/dimension";
import type { Question } from "@hopline/analytics/engine";
import { type Interval, INTERVALS } from "@hopline/analytics/interval";
import { type AskedQuestion, fromBody, fromQuery, QuestionBody, QuestionQuery } from "../question-shape.ts";
import { periodBefore } from "@hopline/analytics/range";
import { chooseBuckets } from "../choose-buckets.ts";
import { ask } from "../run-statements.ts";
import type { ApiDeps } from "../../api-deps.ts";
import { deprecated } from "../../http/deprecation.ts";
import {
  BODY_PROBLEMS,
  IDEMPOTENCY_PROBLEMS,
  IdempotencyHeader,
  jsonAnswer,
  jsonBody,
  needs,
  NOT_MODIFIED,
  operation,
  problems,
} from "../../http/operation.ts";
import { repeatable } from "../../http/query-parameters.ts";

const MAX_LIST = 100;
const USUAL_LIST = 10;

const INTERVAL = "Of the chart; chosen by the length of the range if left out.";
const LISTS = "Dimensions whose top values to list.";
const FACETS =
  "Dimensions to count as choices: with every filter except the dimension's own, so that values that are not selected have counts too.";
const LIMIT = "Values per list.";

const dimensionsParam = (description: string) =>
  repeatable(z.enum(DIMENSIONS), DIMENSIONS.length)
    .default([])
    .openapi({ type: "array", items: { type: "string", enum: [...DIMENSIONS] }, description });

const OverviewQuery = QuestionQuery.extend({
  interval: z.enum(INTERVALS).optional().openapi({ description: INTERVAL }),
  lists: dimensionsParam(LISTS),
  facets: dimensionsParam(FACETS),
  limit: z.coerce.number().int().min(1).max(MAX_LIST).default(USUAL_LIST).openapi({
    type: "integer",
    description: LIMIT,
  }),
  visitors: VisitorsFlag,
});

const OverviewAnswer = z
  .object({
    range: RangeBody,
    totals: CountsBody,
    previous: CountsBody.extend({ range: RangeBody }),
    series: SeriesBody,
    lists: z.array(BreakdownBody),
    facets: z.array(BreakdownBody),
  })
  .openapi("Overview");

const answer = jsonAnswer("The overview.", OverviewAnswer);
const common = {
  tags: ["Analytics"],
  ...needs("analytics:read"),
  description: "All numbers are from one snapshot.",
};

const route = createRoute({
  ...common,
  method: "get",
  path: "/api/v1/analytics/overview",
  operationId: "readOverview",
  summary: "Totals, chart, top lists and facets in one request",
  request: { query: OverviewQuery },
  responses: { 200: answer, ...NOT_MODIFIED, ...problems("query_too_wide") },
});

export function readOverviewOperation(deps: ApiDeps) {
  return operation(route, async (context) => {
    const { interval, lists, facets, limit, visitors, ...asked } = context.req.valid("query");
    const caller = { workspaceId: context.get("principal").workspaceId, nowMs: deps.nowMs() };
    const wanted = { interval, lists, facets, limit, visitors };
    return context.json(await readOverview(fromQuery(asked, caller), wanted, deps), 200);
  });
}

const dimensions = z.array(z.enum(DIMENSIONS)).max(DIMENSIONS.length).default([]);

const FirstScreenBody = QuestionBody.extend({
  interval: z.enum(INTERVALS).optional().openapi({ description: INTERVAL }),
  lists: dimensions.openapi({ description: LISTS }),
  facets: dimensions.openapi({ description: FACETS }),
  limit: z.number().int().min(1).max(MAX_LIST).default(USUAL_LIST).openapi({ description: LIMIT }),
  visitors: z
    .boolean()
    .default(false)
    .openapi({ description: `In the totals. ${VISITORS_ASKED}` }),
}).openapi("FirstScreenQuery");

/** A POST that changes nothing, with filters in a form of its own. */
const formerRoute = createRoute({
  ...common,
  method: "post",
  path: "/api/v1/analytics/query",
  operationId: "readFirstScreen",
  summary: "The overview, by its former path",
  ...deprecated(common.middleware, "overview"),
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(FirstScreenBody, {
      period: "last30Days",
      timeZone: "Europe/Berlin",
      lists: ["link", "referrer", "country"],
      facets: ["class"],
    }),
  },
  responses: { 200: answer, ...problems(...BODY_PROBLEMS, ...IDEMPOTENCY_PROBLEMS, "query_too_wide") },
});

export function readFirstScreenOperation(deps: ApiDeps) {
  return operation(formerRoute, async (context) => {
    const body = context.req.valid("json");
    const caller = { workspaceId: context.get("principal").workspaceId, nowMs: deps.nowMs() };
    return context.json(await readOverview(fromBody(body, caller), body, deps), 200);
  });
}

type Wanted = {
  readonly interval?: Interval | undefined;
  readonly lists: readonly Dimension[];
  readonly facets: readonly Dimension[];
  readonly limit: number;
  readonly visitors: boolean;
};

async function readOverview(
  question: AskedQuestion,
  { interval: wanted, lists, facets, limit, visitors }: Wanted,
  deps: ApiDeps,
): Promise<z.infer<typeof OverviewAnswer>> {
  const { interval, startsMs } = chooseBuckets(question.range, wanted);
  const before = periodBefore(question.range, deps.nowMs());
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
    { kind: "series", question, startsMs, visitors: false },
    { kind: "totals", question, visitors },
    ...lists.map((dimension) => list(dimension, question)),
    ...facets.map((dimension) => list(dimension, withoutFilterOn(dimension, question))),
  ]);
  const isComplete = isChartComplete && [counted, ...found].every(({ complete }) => complete);
  const shown = [...lists, ...facets].flatMap((dimension, index) => {
    const values = found[index];
    return values === undefined ? [] : [toBreakdownBody(dimension, values)];
  });
  return {
    range: toRange(question.range, isComplete),
    totals: { clicks: counted.clicks, visitors: counted.visitors },
    previous: toCountsBody(previous, before),
    series: toSeries(interval, startsMs, points),
    lists: shown.slice(0, lists.length),
    facets: shown.slice(lists.length),
  };
}

function withoutFilterOn(dimension: Dimension, question: Question): Question {
  return { ...question, filters: question.filters.filter((filter) => filter.dimension !== dimension) };
}

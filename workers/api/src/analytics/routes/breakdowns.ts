/** GET /api/v1/analytics/breakdown, /lines and /values */
import { createRoute, z } from "@hono/zod-openapi";
import {
  BreakdownBody,
  LinesBody,
  RangeBody,
  toBreakdownBody,
  toLinesBody,
  toRange,
  VisitorsFlag,
} from "../answer-shape.ts";
import { DIMENSIONS } from "@hopline/analytics/dimension";
import { fromQuery, QuestionQuery } from "../question-shape.ts";
import { chooseBuckets } from "../choose-buckets.ts";
import { ask } from "../run-statements.ts";
import { IntervalParam } from "./counts.ts";
import type { ApiDeps } from "../../api-deps.ts";
import { jsonAnswer, needs, NOT_MODIFIED, operation, problems } from "../../http/operation.ts";
import { plainText } from "../../http/text-shape.ts";

const MAX_BREAKDOWN = 10_000;
const MAX_LINES = 50;
const MAX_SUGGESTIONS = 100;
const MAX_SEARCH_LENGTH = 200;

const limitParam = (max: number, usual: number) =>
  z.coerce
    .number()
    .int()
    .min(1)
    .max(max)
    .default(usual)
    .openapi({ type: "integer", description: "Values with the most clicks.", example: usual });

const dimension = z.enum(DIMENSIONS).openapi({ example: "country" });
const common = { method: "get" as const, tags: ["Analytics"], ...needs("analytics:read") };
const refusals = { ...NOT_MODIFIED, ...problems("query_too_wide") };

const breakdownRoute = createRoute({
  ...common,
  path: "/api/v1/analytics/breakdown",
  operationId: "readBreakdown",
  summary: "Count clicks by a dimension",
  description: "The values with the most clicks, and the sum of the others.",
  request: {
    query: QuestionQuery.extend({ dimension, limit: limitParam(MAX_BREAKDOWN, 10), visitors: VisitorsFlag }),
  },
  responses: {
    200: jsonAnswer("The values.", BreakdownBody.extend({ range: RangeBody }).openapi("Breakdown")),
    ...refusals,
  },
});

export function readBreakdownOperation(deps: ApiDeps) {
  return operation(breakdownRoute, async (context) => {
    const { dimension: by, limit, visitors, ...asked } = context.req.valid("query");
    const { workspaceId } = context.get("principal");
    const question = fromQuery(asked, { workspaceId, nowMs: deps.nowMs() });
    const [found] = await ask(deps.database, [
      { kind: "breakdown", question, dimension: by, limit, search: "", visitors, startsMs: null },
    ]);
    const range = toRange(question.range, found.complete);
    return context.json({ ...toBreakdownBody(by, found), range }, 200);
  });
}

const linesRoute = createRoute({
  ...common,
  path: "/api/v1/analytics/lines",
  operationId: "readLines",
  summary: "Count clicks over time, by a dimension",
  description:
    "A line for each of the values with the most clicks in the range, and one for the sum of the others. Every line has every bucket of the range.",
  request: {
    query: QuestionQuery.extend({ dimension, interval: IntervalParam, limit: limitParam(MAX_LINES, 5) }),
  },
  responses: {
    200: jsonAnswer("The lines.", LinesBody.extend({ range: RangeBody }).openapi("Lines")),
    ...refusals,
  },
});

export function readLinesOperation(deps: ApiDeps) {
  return operation(linesRoute, async (context) => {
    const { dimension: by, interval: wanted, limit, ...asked } = context.req.valid("query");
    const { workspaceId } = context.get("principal");
    const question = fromQuery(asked, { workspaceId, nowMs: deps.nowMs() });
    const { interval, startsMs } = chooseBuckets(question.range, wanted);
    const [found] = await ask(deps.database, [
      { kind: "breakdown", question, dimension: by, limit, search: "", visitors: false, startsMs },
    ]);
    const range = toRange(question.range, found.complete);
    return context.json({ ...toLinesBody({ dimension: by, interval }, startsMs, found), range }, 200);
  });
}

const valuesRoute = createRoute({
  ...common,
  path: "/api/v1/analytics/values",
  operationId: "suggestValues",
  summary: "Suggest values of a dimension",
  description:
    "For a filter's text field: the values with the most clicks in the range that contain the given text, in any case. Links and domains are searched by address. There is no next page: a longer text finds others.",
  request: {
    query: QuestionQuery.extend({
      dimension,
      search: plainText(MAX_SEARCH_LENGTH).default("").openapi({ example: "ber" }),
      limit: limitParam(MAX_SUGGESTIONS, 10),
    }),
  },
  responses: {
    200: jsonAnswer(
      "The values.",
      z.object({ data: BreakdownBody.shape.values, range: RangeBody }).openapi("Suggestions"),
    ),
    ...refusals,
  },
});

export function suggestValuesOperation(deps: ApiDeps) {
  return operation(valuesRoute, async (context) => {
    const { dimension: by, search, limit, ...asked } = context.req.valid("query");
    const { workspaceId } = context.get("principal");
    const question = fromQuery(asked, { workspaceId, nowMs: deps.nowMs() });
    const [found] = await ask(deps.database, [
      { kind: "breakdown", question, dimension: by, limit, search, visitors: false, startsMs: null },
    ]);
    const { values } = toBreakdownBody(by, found);
    return context.json({ data: values, range: toRange(question.range, found.complete) }, 200);
  });
}

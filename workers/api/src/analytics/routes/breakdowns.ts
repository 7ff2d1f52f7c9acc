/** GET /api/v1/analytics/breakdown, /lines and /values */
import { createRoute, z } from "@hono/zod-openapi";
import { DIMENSIONS } from "@hopline/analytics/dimension";
import type { ApiDeps } from "../../api-deps.ts";
import { operation } from "../../http/operation.ts";
import { plainText } from "../../http/text-shape.ts";
import {
  answers,
  BreakdownBody,
  LinesBody,
  RangeBody,
  READ,
  toBreakdownBody,
  toLinesBody,
  toRange,
  VisitorsFlag,
} from "../answer-shape.ts";
import { chooseBuckets, fromQuery, IntervalParam, QuestionQuery } from "../question-shape.ts";
import { ask } from "../run-statements.ts";

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

const breakdownRoute = createRoute({
  ...READ,
  path: "/api/v1/analytics/breakdown",
  operationId: "readBreakdown",
  summary: "Count clicks by a dimension",
  description: "The values with the most clicks, and the sum of the others.",
  request: {
    query: QuestionQuery.extend({ dimension, limit: limitParam(MAX_BREAKDOWN, 10), visitors: VisitorsFlag }),
  },
  responses: answers("The values.", BreakdownBody.extend({ range: RangeBody }).openapi("Breakdown")),
});

export function readBreakdownOperation(deps: ApiDeps) {
  return operation(breakdownRoute, async (context) => {
    const { dimension: by, limit, visitors, ...asked } = context.req.valid("query");
    const question = fromQuery(asked, context, deps);
    const part = { kind: "breakdown", question, dimension: by, limit, visitors } as const;
    const [found] = await ask(deps.database, [part]);
    const range = toRange(question.range, found.complete);
    return context.json({ ...toBreakdownBody(by, found), range }, 200);
  });
}

const linesRoute = createRoute({
  ...READ,
  path: "/api/v1/analytics/lines",
  operationId: "readLines",
  summary: "Count clicks over time, by a dimension",
  description:
    "A line for each of the values with the most clicks in the range, and one for the sum of the others. Every line has every bucket of the range.",
  request: {
    query: QuestionQuery.extend({ dimension, interval: IntervalParam, limit: limitParam(MAX_LINES, 5) }),
  },
  responses: answers("The lines.", LinesBody.extend({ range: RangeBody }).openapi("Lines")),
});

export function readLinesOperation(deps: ApiDeps) {
  return operation(linesRoute, async (context) => {
    const { dimension: by, interval, limit, ...asked } = context.req.valid("query");
    const question = fromQuery(asked, context, deps);
    const buckets = chooseBuckets(question.range, interval);
    const { startsMs } = buckets;
    const part = { kind: "breakdown", question, dimension: by, limit, startsMs } as const;
    const [found] = await ask(deps.database, [part]);
    const range = toRange(question.range, found.complete);
    return context.json({ ...toLinesBody(by, buckets, found), range }, 200);
  });
}

const valuesRoute = createRoute({
  ...READ,
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
  responses: answers(
    "The values.",
    z.object({ data: BreakdownBody.shape.values, range: RangeBody }).openapi("Suggestions"),
  ),
});

export function suggestValuesOperation(deps: ApiDeps) {
  return operation(valuesRoute, async (context) => {
    const { dimension: by, search, limit, ...asked } = context.req.valid("query");
    const question = fromQuery(asked, context, deps);
    const part = { kind: "breakdown", question, dimension: by, limit, search } as const;
    const [found] = await ask(deps.database, [part]);
    const { values } = toBreakdownBody(by, found);
    return context.json({ data: values, range: toRange(question.range, found.complete) }, 200);
  });
}

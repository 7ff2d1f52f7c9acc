/** GET /api/v1/analytics/breakdown, /lines and /values */
import { z } from "@hono/zod-openapi";
import { DIMENSIONS } from "@hopline/analytics/dimension";
import { plainText } from "../../http/text-shape.ts";
import {
  BreakdownBody,
  LinesBody,
  RangeBody,
  toBreakdownBody,
  toLinesBody,
  toRange,
  VisitorsFlag,
} from "../answer-shape.ts";
import { questionOperation } from "../question-operation.ts";
import { chooseBuckets, IntervalParam, limitParam } from "../question-shape.ts";
import { ask } from "../run-statements.ts";

const MAX_BREAKDOWN = 10_000;
const MAX_LINES = 50;
const MAX_SUGGESTIONS = 100;
const MAX_SEARCH_LENGTH = 200;

const valuesParam = (max: number, usual: number) =>
  limitParam(max, usual).openapi({ description: "Values with the most clicks.", example: usual });

const dimension = z.enum(DIMENSIONS).openapi({ example: "country" });

export const readBreakdownOperation = questionOperation({
  path: "/api/v1/analytics/breakdown",
  operationId: "readBreakdown",
  summary: "Count clicks by a dimension",
  description: "The values with the most clicks, and the sum of the others.",
  query: { dimension, limit: valuesParam(MAX_BREAKDOWN, 10), visitors: VisitorsFlag },
  answer: ["The values.", BreakdownBody.extend({ range: RangeBody }).openapi("Breakdown")],
  async read(question, { dimension: by, limit, visitors }, deps) {
    const [found] = await ask(deps.database, [
      { kind: "breakdown", question, dimension: by, limit, visitors },
    ]);
    return { ...toBreakdownBody(by, found), range: toRange(question.range, found.complete) };
  },
});

export const readLinesOperation = questionOperation({
  path: "/api/v1/analytics/lines",
  operationId: "readLines",
  summary: "Count clicks over time, by a dimension",
  description:
    "A line for each of the values with the most clicks in the range, and one for the sum of the others. Every line has every bucket of the range.",
  query: { dimension, interval: IntervalParam, limit: valuesParam(MAX_LINES, 5) },
  answer: ["The lines.", LinesBody.extend({ range: RangeBody }).openapi("Lines")],
  async read(question, { dimension: by, interval, limit }, deps) {
    const buckets = chooseBuckets(question.range, interval);
    const [found] = await ask(deps.database, [
      { kind: "breakdown", question, dimension: by, limit, startsMs: buckets.startsMs },
    ]);
    return { ...toLinesBody(by, buckets, found), range: toRange(question.range, found.complete) };
  },
});

export const suggestValuesOperation = questionOperation({
  path: "/api/v1/analytics/values",
  operationId: "suggestValues",
  summary: "Suggest values of a dimension",
  description:
    "For a filter's text field: the values with the most clicks in the range that contain the given text, in any case. Links and domains are searched by address. There is no next page: a longer text finds others.",
  query: {
    dimension,
    search: plainText(MAX_SEARCH_LENGTH).default("").openapi({ example: "ber" }),
    limit: valuesParam(MAX_SUGGESTIONS, 10),
  },
  answer: [
    "The values.",
    z.object({ data: BreakdownBody.shape.values, range: RangeBody }).openapi("Suggestions"),
  ],
  async read(question, { dimension: by, search, limit }, deps) {
    const [found] = await ask(deps.database, [{ kind: "breakdown", question, dimension: by, limit, search }]);
    const { values } = toBreakdownBody(by, found);
    return { data: values, range: toRange(question.range, found.complete) };
  },
});

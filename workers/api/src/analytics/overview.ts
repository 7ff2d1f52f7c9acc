/** GET /api/v1/analytics/overview: everything on a dashboard's first screen, from one snapshot. */
import { z } from "@hono/zod-openapi";
import { type Dimension, DIMENSIONS } from "@hopline/analytics/dimension";
import { leastComplete, type Question, totalOf, totalsOf } from "@hopline/analytics/engine";
import { periodBefore } from "@hopline/analytics/range";
import { repeatable } from "../http/query-parameters.ts";
import { BreakdownBody, toBreakdownBody } from "./breakdowns.ts";
import { CountsBody, SeriesBody, toSeries, toTotals, VisitorsFlag } from "./counts.ts";
import { questionOperation } from "./question-operation.ts";
import { chooseBuckets, IntervalParam, limitParam, RangeBody, toRange } from "./question-shape.ts";
import { ask } from "../run-statements.ts";

const MAX_LIST = 100;
const USUAL_LIST = 10;

const dimensionsParam = (description: string) =>
  repeatable(z.enum(DIMENSIONS), DIMENSIONS.length)
    .default([])
    .openapi({ type: "array", items: { type: "string", enum: [...DIMENSIONS] }, description });

export const readOverviewOperation = questionOperation({
  path: "/api/v1/analytics/overview",
  operationId: "readOverview",
  summary: "Totals, chart, top lists and facets in one request",
  description: "All numbers are from one snapshot.",
  query: {
    interval: IntervalParam,
    lists: dimensionsParam("Dimensions whose top values to list."),
    facets: dimensionsParam(
      "Dimensions to count as choices: with every filter except the dimension's own, so that values that are not selected have counts too.",
    ),
    limit: limitParam(MAX_LIST, USUAL_LIST).openapi({ description: "Values per list." }),
    visitors: VisitorsFlag,
  },
  answer: [
    "The overview.",
    z
      .object({
        range: RangeBody,
        totals: CountsBody,
        previous: CountsBody.extend({ range: RangeBody }),
        series: SeriesBody,
        lists: z.array(BreakdownBody),
        facets: z.array(BreakdownBody),
      })
      .openapi("Overview"),
  ],
  async read(question, { interval, lists, facets, limit, visitors }, deps) {
    const buckets = chooseBuckets(question.range, interval);
    const before = periodBefore(question.range, deps.nowMs());
    const listed = [
      ...lists.map((dimension) => ({ dimension, question })),
      ...facets.map((dimension) => ({ dimension, question: withoutFilterOn(dimension, question) })),
    ];
    const [previous, series, totals, ...found] = await ask(deps.database, [
      totalsOf({ ...question, range: before }, visitors),
      { kind: "series", question, startsMs: buckets.startsMs, visitors: false },
      totalsOf(question, visitors),
      ...listed.map((list) => ({ kind: "breakdown", ...list, limit }) as const),
    ]);
    const shown = found.map((one, index) => toBreakdownBody(listed[index]?.dimension ?? "link", one));
    return {
      range: toRange(question.range, leastComplete([series, totals, ...found])),
      totals: totalOf(totals),
      previous: toTotals(previous, before),
      series: toSeries(buckets, series),
      lists: shown.slice(0, lists.length),
      facets: shown.slice(lists.length),
    };
  },
});

function withoutFilterOn(dimension: Dimension, question: Question): Question {
  return { ...question, filters: question.filters.filter((filter) => filter.dimension !== dimension) };
}

/** GET /api/v1/analytics/breakdown, /lines and /values. Each field says what its number means. */
import { z } from "@hono/zod-openapi";
import { type Dimension, DIMENSIONS } from "@hopline/analytics/dimension";
import type { Breakdown, ValueCount } from "@hopline/analytics/engine";
import { INTERVALS } from "@hopline/analytics/interval";
import { plainText } from "../http/text-shape.ts";
import { toInstant } from "../instant.ts";
import { countFields, VisitorsFlag } from "./counts.ts";
import { toPublicValue } from "./public-value.ts";
import { questionOperation } from "./question-operation.ts";
import {
  type Buckets,
  chooseBuckets,
  IntervalParam,
  limitParam,
  RangeBody,
  toRange,
} from "./question-shape.ts";
import { ask } from "../run-statements.ts";

export const BreakdownBody = z
  .object({
    dimension: z.enum(DIMENSIONS),
    values: z.array(
      z.object({
        value: z.string().nullable().openapi({
          description:
            "`null`: unknown. The value for filters: a link's id, a domain's host, otherwise the value itself. Regions and cities are told apart by what they are in: `CH-ZH`, `CH-ZH/Zürich`.",
        }),
        label: z
          .string()
          .nullable()
          .openapi({ description: "Address of a link, host of a domain; `null` for other dimensions." }),
        ...countFields,
      }),
    ),
    other: z
      .object({ clicks: z.number().int(), values: z.number().int() })
      .openapi({ description: "The values that are not listed." }),
    total: z.number().int().openapi({
      description:
        "All clicks, each once: listed plus other, except by `tag`, where a click counts for each tag of its link.",
    }),
  })
  .openapi("ClickBreakdown");

const POINTS = z
  .array(z.number().int())
  .openapi({ description: "Clicks of each bucket, in the order of `starts`." });

export const LinesBody = z
  .object({
    dimension: z.enum(DIMENSIONS),
    interval: z.enum(INTERVALS),
    starts: z.array(z.iso.datetime()).openapi({
      description:
        "The starts of all buckets. The first one may start before the range; only clicks in the range count.",
    }),
    lines: z.array(
      z.object({
        ...BreakdownBody.shape.values.element.omit({ visitors: true }).shape,
        points: POINTS,
      }),
    ),
    other: BreakdownBody.shape.other.extend({ points: POINTS }),
    total: BreakdownBody.shape.total,
  })
  .openapi("ClickLines");

export function toBreakdownBody(by: Dimension, found: Breakdown): z.infer<typeof BreakdownBody> {
  return {
    dimension: by,
    values: found.values.map((one) => ({ ...toValue(by, one), visitors: one.visitors })),
    other: { clicks: found.otherClicks, values: found.otherValues },
    total: found.totalClicks,
  };
}

export function toLinesBody(
  by: Dimension,
  { interval, startsMs }: Buckets,
  found: Breakdown,
): z.infer<typeof LinesBody> {
  return {
    dimension: by,
    interval,
    starts: startsMs.map(toInstant),
    lines: found.values.map((one) => ({ ...toValue(by, one), points: [...one.points] })),
    other: { clicks: found.otherClicks, values: found.otherValues, points: [...found.otherPoints] },
    total: found.totalClicks,
  };
}

function toValue(dimension: Dimension, { value, label, clicks }: ValueCount) {
  return { value: toPublicValue(dimension, value, label), label, clicks };
}

const MAX_BREAKDOWN = 10_000;
/** A page of links. */
const MAX_LINES = 100;
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
    return { ...toBreakdownBody(by, found), range: toRange(question.range, found) };
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
    return { ...toLinesBody(by, buckets, found), range: toRange(question.range, found) };
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
    return { data: values, range: toRange(question.range, found) };
  },
});

/** The shapes of analytics answers, with their OpenAPI documentation. Each field says what its number means. */
import { z } from "@hono/zod-openapi";
import { flagParam } from "../http/query-parameters.ts";
import { toInstant } from "../instant.ts";
import { type Dimension, DIMENSIONS } from "@hopline/analytics/dimension";
import { type Interval, INTERVALS } from "@hopline/analytics/interval";
import type { TimeRange } from "@hopline/analytics/range";
import { type Breakdown, type Series, totalOf, type ValueCount } from "@hopline/analytics/engine";
import { toPublicValue } from "./public-value.ts";

const VISITORS =
  "Unique visitors: distinct combinations of truncated address and user agent, per UTC day, because the key of the hash changes daily. For one UTC day it is the number of unique visitors; for a longer range it is the sum over its days, so a visitor who comes on three days counts three times. Visitors who asked not to be tracked are not included. `null` unless `visitors=true` was sent.";

export const VisitorsFlag = flagParam(
  "Count unique visitors too. Complete days (UTC) are pre-aggregated for a whole workspace, one link or one country, for humans or all classes: totals and comparisons with edges on quarters of an hour, series by day or longer, and a workspace by country. Everything else (other filters, other dimensions, hours) is counted from single clicks. That takes longer, and is refused with `query_too_wide` if it takes too long: ask for fewer days, or without visitors.",
);

const countFields = {
  clicks: z
    .number()
    .int()
    .openapi({ description: "Each click counts once; clicks of humans, unless `class` asks for others." }),
  visitors: z.number().int().nullable().openapi({ description: VISITORS }),
};

export const CountsBody = z.object(countFields).openapi("ClickCounts");

export const RangeBody = z
  .object({
    from: z.iso.datetime().openapi({ description: "Inclusive." }),
    to: z.iso.datetime().openapi({ description: "Exclusive." }),
    timeZone: z.string(),
    complete: z.boolean().openapi({
      description:
        "`false`: the numbers are too low, or the list is too short, because they need single clicks that the deployment no longer keeps (`RETENTION_DAYS`). Pre-aggregated numbers (totals and series of workspaces, domains, tags and links, complete days by one dimension, and some unique visitors) reach back further.",
    }),
  })
  .openapi("AnalyticsRange");

export const SeriesBody = z
  .object({
    interval: z.enum(INTERVALS),
    points: z.array(
      z.object({
        at: z.iso.datetime().openapi({
          description:
            "Start of the bucket. The first one may start before the range; only clicks in the range count.",
        }),
        ...countFields,
      }),
    ),
  })
  .openapi("ClickSeries");

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

export function toRange({ fromMs, toMs, timeZone }: TimeRange, complete: boolean): z.infer<typeof RangeBody> {
  return { from: toInstant(fromMs), to: toInstant(toMs), timeZone, complete };
}

/** Of a series of one bucket. */
export function toTotals(series: Series, range: TimeRange) {
  return { ...totalOf(series), range: toRange(range, series.complete) };
}

type Buckets = { readonly interval: Interval; readonly startsMs: readonly number[] };

export function toSeries({ interval, startsMs }: Buckets, { points }: Series): z.infer<typeof SeriesBody> {
  return {
    interval,
    points: points.map((counts, index) => ({ at: toInstant(startsMs[index] ?? 0), ...counts })),
  };
}

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

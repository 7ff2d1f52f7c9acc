/** Analytics as the API shows them, with their OpenAPI documentation. What a number means stands at its field. */
import { z } from "@hono/zod-openapi";
import { toPublicId } from "../http/entity-id.ts";
import { toInstant } from "../instant.ts";
import { type Dimension, DIMENSIONS } from "./dimension.ts";
import { type Interval, INTERVALS } from "./interval.ts";
import type { TimeRange } from "./range.ts";
import type { Breakdown, Counts } from "./statements.ts";

const VISITORS =
  "Unique visitors: different combinations of truncated address and user agent, counted anew each day (UTC), since the key behind the hash changes daily. Over one UTC day it is the number of unique visitors; over a longer range it is the sum of its days' numbers, so one who comes on three days counts three times. Visitors who asked not to be tracked are not in it. `null` when `visitors=true` was not sent.";

export const VISITORS_ASKED =
  "Count unique visitors too. Finished days (UTC) are kept ready for a whole workspace, one link or one country, of humans or of all classes: totals and comparisons with edges on quarters of an hour, series by day or longer, and a workspace by country. All else is counted from single clicks: with other filters, by other dimensions, by the hour. That takes longer and is refused with `query_too_wide` where it takes too long; ask for fewer days then, or without visitors.";

export const VisitorsFlag = z
  .stringbool()
  .default(false)
  .openapi({ type: "boolean", description: VISITORS_ASKED });

const countFields = {
  clicks: z
    .number()
    .int()
    .openapi({ description: "Each click once; of humans unless `class` asks for others." }),
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
        "`false`: the numbers are too low, or the list is too short. They needed single clicks from before the time that the deployment keeps them for (`RETENTION_DAYS`). What is counted ahead (totals and series of workspaces, domains, tags and links, finished days by one dimension, and the unique visitors that are kept ready) reaches back further.",
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
            "Where the bucket begins. The first one may begin before the range; only what lies in the range is counted.",
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
            "`null`: not known. As filters take it: a link's id, a domain's host, else the value itself.",
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
      .openapi({ description: "What is not listed." }),
    total: z.number().int().openapi({
      description:
        "All clicks, each once: listed plus other, except by `tag`, where a click counts for each tag of its link.",
    }),
  })
  .openapi("ClickBreakdown");

export function toRange({ fromMs, toMs, zone }: TimeRange, complete: boolean): z.infer<typeof RangeBody> {
  return { from: toInstant(fromMs), to: toInstant(toMs), timeZone: zone.name, complete };
}

export function toSeries(
  interval: Interval,
  startsMs: readonly number[],
  counts: readonly Counts[],
): z.infer<typeof SeriesBody> {
  return {
    interval,
    points: startsMs.map((startMs, index) => ({
      at: toInstant(startMs),
      clicks: counts[index]?.clicks ?? 0,
      visitors: counts[index]?.visitors ?? null,
    })),
  };
}

export function toBreakdownBody(
  dimension: Dimension,
  { values, otherClicks, otherValues, totalClicks }: Breakdown,
): z.infer<typeof BreakdownBody> {
  return {
    dimension,
    values: values.map(({ value, label, clicks, visitors }) => ({
      value: toPublicValue(dimension, value, label),
      label,
      clicks,
      visitors,
    })),
    other: { clicks: otherClicks, values: otherValues },
    total: totalClicks,
  };
}

/** As filters take it: an id for a link, a host for a domain (its id where the domain is gone). */
function toPublicValue(dimension: Dimension, value: string | null, label: string | null): string | null {
  if (value === null) {
    return null;
  }
  if (dimension === "link") {
    return toPublicId("lnk", value);
  }
  return dimension === "domain" ? (label ?? toPublicId("dom", value)) : value;
}

/** The shape of questions in a query string: time, filters, classes. And of their range in an answer. */
import { z } from "@hono/zod-openapi";
import type { Principal } from "../http/api-key.ts";
import { parsePublicId } from "../http/entity-id.ts";
import { invalidField, ProblemError } from "../http/problem.ts";
import { repeatable } from "../http/query-parameters.ts";
import { plainText } from "../http/text-shape.ts";
import { toInstant } from "../instant.ts";
import { isTimeZone } from "@hopline/analytics/time-zone";
import {
  CLICK_CLASSES,
  type Dimension,
  DIMENSIONS,
  type Filter,
  filtersWithin,
} from "@hopline/analytics/dimension";
import type { Completeness, Question } from "@hopline/analytics/engine";
import {
  bucketStarts,
  chooseInterval,
  type Interval,
  INTERVALS,
  isFineEnough,
  MAX_POINTS,
} from "@hopline/analytics/interval";
import { parseEdge, PERIODS, rangeOfEdges, rangeOfPeriod, type TimeRange } from "@hopline/analytics/range";

const MAX_VALUES = 100;
const MAX_VALUE_LENGTH = 8_192;
const ALL_CLASSES = "all";

/** Years outside of these have no clicks. */
const EARLIEST_MS = Date.UTC(2000, 0, 1);
const LATEST_MS = Date.UTC(2100, 0, 1);

const edge = (description: string, example: string) =>
  plainText(40)
    .refine(
      (text) => parseEdge(text) !== null,
      "is not a time: write a date (2026-11-21) or an RFC 3339 instant",
    )
    .optional()
    .openapi({ description, example });

export const RANGE_FIELDS = {
  from: edge("First instant, or first day in `timeZone`.", "2026-11-01"),
  to: edge(
    "End of the range (exclusive instant), or its last day (inclusive). Now if left out.",
    "2026-11-21",
  ),
  period: z
    .enum(PERIODS)
    .optional()
    .openapi({ description: "Instead of `from`; `last30Days` if both are left out. Includes today." }),
  timeZone: plainText(64)
    .refine(isTimeZone, "is not an IANA time zone: write it as Europe/Berlin")
    .default("UTC")
    .openapi({ description: "IANA zone for days and weeks.", example: "Europe/Berlin" }),
};

const HINTS: Partial<Record<Dimension, string>> = {
  link: "Ids (`lnk_…`).",
  domain: "Hosts, or ids (`dom_…`).",
  tag: "By the current tags of links.",
  destination:
    "Where the visitor was sent: as the link was then, or by a rule of it. The first 512 characters.",
  region: "`CH-ZH`, or `ZH` in any country.",
  city: "`CH-ZH/Zürich`, or `Zürich` anywhere.",
  class: "`human` if left out; `all` for every class.",
};

const filterParam = (description: string) =>
  repeatable(plainText(MAX_VALUE_LENGTH), MAX_VALUES)
    .optional()
    .openapi({ type: "array", items: { type: "string" }, description });

type FilterName = Dimension | `${Dimension}.not`;

const FILTER_FIELDS = Object.fromEntries(
  DIMENSIONS.flatMap((name) => [
    [name, filterParam(`Any of these; an empty one means unknown. ${HINTS[name] ?? ""}`.trim())],
    [`${name}.not`, filterParam("None of these.")],
  ]),
) as { readonly [Name in FilterName]: ReturnType<typeof filterParam> };

/** The parameters of every GET of the analytics. */
export const QuestionQuery = z.object({ ...RANGE_FIELDS, ...FILTER_FIELDS });

/** The same without a time, for the live stream. */
export const FilterQuery = z.object(FILTER_FIELDS);

export const IntervalParam = z
  .enum(INTERVALS)
  .optional()
  .openapi({ description: "Of the chart; chosen by the length of the range if left out." });

export function limitParam(max: number, usual: number) {
  return z.coerce.number().int().min(1).max(max).default(usual).openapi({ type: "integer" });
}

type QuestionInput = z.output<typeof QuestionQuery>;
type RangeInput = Omit<QuestionInput, FilterName>;
type FilterInput = Pick<QuestionInput, FilterName>;

/** A question with its range. */
export type AskedQuestion = Question & { readonly range: TimeRange };

/** Whose question it is. */
type Asker = Pick<Principal, "workspaceId" | "bounds">;

/** Throws `ProblemError` invalid. */
export function toQuestion(query: QuestionInput, asker: Asker, nowMs: number): AskedQuestion {
  const { workspaceId } = asker;
  return { workspaceId, range: readRange(query, nowMs), filters: filtersOf(query, asker) };
}

/** The filters of a query string and those of the caller's bounds, for the statements. Throws `ProblemError` invalid. */
export function filtersOf(query: FilterInput, { bounds }: Pick<Asker, "bounds">): readonly Filter[] {
  const asked = DIMENSIONS.map((dimension) => {
    const toValues = (values: readonly string[] = []) => values.map((value) => toStored(dimension, value));
    const filter = { dimension, is: toValues(query[dimension]), isNot: toValues(query[`${dimension}.not`]) };
    return dimension === "class" ? withClasses(filter) : filter;
  }).filter(({ is, isNot }) => is.length + isNot.length > 0);
  return [...asked, ...filtersWithin(bounds)];
}

/** Links by UUID, domains by UUID or host; `null` is unknown. */
function toStored(dimension: Dimension, value: string): string | null {
  if (dimension === "link") {
    return toLinkUuid(value);
  }
  if (value === "") {
    return null;
  }
  return dimension === "domain" ? (parsePublicId("dom", value) ?? value.toLowerCase()) : value;
}

/** Humans, unless the request has classes. */
function withClasses({ dimension, is, isNot }: Filter): Filter {
  if (is.includes(ALL_CLASSES)) {
    return { dimension, is: [], isNot };
  }
  if (![...is, ...isNot].every((value) => CLICK_CLASSES.some((name) => name === value))) {
    throw invalidField("class", `is not a class: use one of ${[...CLICK_CLASSES, ALL_CLASSES].join(", ")}`);
  }
  return { dimension, is: is.length + isNot.length === 0 ? ["human"] : is, isNot };
}

function toLinkUuid(value: string): string {
  const uuid = parsePublicId("lnk", value);
  if (uuid === null) {
    throw invalidField("link", "is not the id of a link: use lnk_…");
  }
  return uuid;
}

/** Throws `ProblemError` invalid. */
export function readRange({ from, to, period, timeZone }: RangeInput, nowMs: number): TimeRange {
  if (period !== undefined && (from ?? to) !== undefined) {
    throw invalidField("period", "can't be combined with from and to: leave one of them out");
  }
  if (from === undefined && to !== undefined) {
    throw invalidField("from", "is missing: give it together with to");
  }
  const start = from === undefined ? null : parseEdge(from);
  if (start === null) {
    return rangeOfPeriod(period ?? "last30Days", { timeZone, nowMs });
  }
  const range = rangeOfEdges(start, to === undefined ? null : parseEdge(to), { timeZone, nowMs });
  if (range.fromMs >= range.toMs) {
    throw invalidField("to", "is not later than from: choose a later one");
  }
  if (range.fromMs < EARLIEST_MS || range.toMs > LATEST_MS) {
    throw invalidField("from", "is out of range: choose years from 2000 to 2099");
  }
  return range;
}

export const RangeBody = z
  .object({
    from: z.iso.datetime().openapi({ description: "Inclusive." }),
    to: z.iso.datetime().openapi({ description: "Exclusive." }),
    timeZone: z.string(),
    complete: z.boolean().openapi({
      description:
        "`false`: the numbers are too low, or the list is too short. With `completeUntil`: clicks since then came so fast that they are not all pre-aggregated yet; ask again in a minute. Without: they need single clicks that the deployment no longer keeps (`RETENTION_DAYS`). Pre-aggregated numbers (totals and series of workspaces, domains, tags and links, complete days by one dimension, and some unique visitors) reach back further.",
    }),
    completeUntil: z.iso.datetime().nullable().openapi({
      description:
        "All clicks before this are counted; totals and series without filters have those since, too. `null`: see `complete`.",
    }),
  })
  .openapi("AnalyticsRange");

export function toRange(
  { fromMs, toMs, timeZone }: TimeRange,
  { complete, completeUntilMs }: Completeness,
): z.infer<typeof RangeBody> {
  const completeUntil = completeUntilMs === null ? null : toInstant(Math.max(fromMs, completeUntilMs));
  return { from: toInstant(fromMs), to: toInstant(toMs), timeZone, complete, completeUntil };
}

export type Buckets = { readonly interval: Interval; readonly startsMs: readonly number[] };

/**
 * The buckets of a chart.
 *
 * @param wanted chosen by the length of the range if left out. Throws `ProblemError` query_too_wide.
 */
export function chooseBuckets(range: TimeRange, wanted: Interval | undefined): Buckets {
  const interval = wanted ?? chooseInterval(range);
  if (!isFineEnough(range, interval)) {
    const message = `gives more than ${MAX_POINTS} points: use ${chooseInterval(range)} or longer, or a shorter range`;
    throw new ProblemError("query_too_wide", [{ path: "interval", message }]);
  }
  return { interval, startsMs: bucketStarts(range, interval, range.timeZone) };
}

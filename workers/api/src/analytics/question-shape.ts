/** The shapes of questions: time, filters, classes; in a query string and in a body, with the same meaning. */
import { z } from "@hono/zod-openapi";
import { parsePublicId } from "../http/entity-id.ts";
import { type FieldError, ProblemError } from "../http/problem.ts";
import { repeatable } from "../http/query-parameters.ts";
import { plainText } from "../http/text-shape.ts";
import { openZone } from "@hopline/analytics/calendar";
import { CLICK_CLASSES, type Dimension, DIMENSIONS, type Filter } from "@hopline/analytics/dimension";
import type { Question } from "@hopline/analytics/engine";
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
    .refine((name) => openZone(name) !== null, "is not an IANA time zone: write it as Europe/Berlin")
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

function filterParam(description: string) {
  return repeatable(plainText(MAX_VALUE_LENGTH), MAX_VALUES)
    .optional()
    .openapi({ type: "array", items: { type: "string" }, description });
}

type FilterName = Dimension | `${Dimension}.not`;

function filterParams(): { readonly [Name in FilterName]: ReturnType<typeof filterParam> } {
  const fields = DIMENSIONS.flatMap((dimension) => [
    [
      dimension,
      filterParam(`Any of these; an empty one means unknown. ${HINTS[dimension] ?? ""}`.trim()),
    ] as const,
    [`${dimension}.not`, filterParam("None of these.")] as const,
  ]);
  return Object.fromEntries(fields) as never;
}

/** The parameters of every GET of the analytics. */
export const QuestionQuery = z.object({
  ...RANGE_FIELDS,
  ...filterParams(),
});

/** The same without a time, for the live stream. */
export const FilterQuery = z.object(filterParams());

const FilterBody = z.strictObject({
  is: z.array(plainText(MAX_VALUE_LENGTH).nullable()).max(MAX_VALUES).default([]),
  isNot: z.array(plainText(MAX_VALUE_LENGTH).nullable()).max(MAX_VALUES).default([]),
});

export const QuestionBody = z.strictObject({
  ...RANGE_FIELDS,
  filters: z
    .partialRecord(z.enum(DIMENSIONS), FilterBody)
    .default({})
    .openapi({
      description:
        "By dimension: any of `is`, none of `isNot`; `null` means unknown. Only humans, unless `class` says otherwise (`all` for every class).",
      example: { country: { is: ["DE", "CH"] } },
    }),
});

type RangeInput = {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly period?: (typeof PERIODS)[number] | undefined;
  readonly timeZone: string;
};

type FilterInput = { readonly [Name in FilterName]?: readonly string[] | undefined };

type Caller = { readonly workspaceId: string; readonly nowMs: number };

/** A question with its range. */
export type AskedQuestion = Question & { readonly range: TimeRange };

/** Throws `ProblemError` invalid. */
export function fromQuery(query: RangeInput & FilterInput, caller: Caller): AskedQuestion {
  return {
    workspaceId: caller.workspaceId,
    range: readRange(query, caller.nowMs),
    filters: filtersOf(query),
  };
}

/** The filters of a query string, for the statements. Throws `ProblemError` invalid. */
export function filtersOf(query: FilterInput): readonly Filter[] {
  return toStoredFilters(
    DIMENSIONS.map((dimension) => ({
      dimension,
      is: (query[dimension] ?? []).map(emptyToNull),
      isNot: (query[`${dimension}.not`] ?? []).map(emptyToNull),
    })),
  );
}

/** Throws `ProblemError` invalid. */
export function fromBody(body: z.output<typeof QuestionBody>, caller: Caller): AskedQuestion {
  const filters = DIMENSIONS.map((dimension) => {
    const { is = [], isNot = [] } = body.filters[dimension] ?? {};
    return { dimension, is: is.map(emptyToNull), isNot: isNot.map(emptyToNull) };
  });
  return {
    workspaceId: caller.workspaceId,
    range: readRange(body, caller.nowMs),
    filters: toStoredFilters(filters),
  };
}

function toStoredFilters(filters: readonly Filter[]): readonly Filter[] {
  return filters.map(withStoredValues).filter(({ is, isNot }) => is.length + isNot.length > 0);
}

function emptyToNull(value: string | null): string | null {
  return value === "" ? null : value;
}

function withStoredValues(filter: Filter): Filter {
  if (filter.dimension === "class") {
    return withClasses(filter);
  }
  if (filter.dimension === "link") {
    return { ...filter, is: filter.is.map(toLinkUuid), isNot: filter.isNot.map(toLinkUuid) };
  }
  return filter.dimension === "domain"
    ? { ...filter, is: filter.is.map(toDomain), isNot: filter.isNot.map(toDomain) }
    : filter;
}

/** Humans, unless the request has classes. */
function withClasses(filter: Filter): Filter {
  for (const value of [...filter.is, ...filter.isNot]) {
    const isKnown = CLICK_CLASSES.some((name) => name === value) || filter.is.includes(ALL_CLASSES);
    if (!isKnown) {
      throw invalid("class", `is not a class: use one of ${[...CLICK_CLASSES, ALL_CLASSES].join(", ")}`);
    }
  }
  const isDefault = filter.is.length + filter.isNot.length === 0;
  return {
    ...filter,
    is: isDefault ? ["human"] : filter.is.includes(ALL_CLASSES) ? [] : filter.is,
  };
}

function toLinkUuid(value: string | null): string | null {
  const uuid = value === null ? null : parsePublicId("lnk", value);
  if (uuid === null) {
    throw invalid("link", "is not the id of a link: use lnk_…");
  }
  return uuid;
}

/** A host as it is stored, or a domain's UUID. */
function toDomain(value: string | null): string | null {
  return value === null ? null : (parsePublicId("dom", value) ?? value.toLowerCase());
}

function readRange({ from, to, period, timeZone }: RangeInput, nowMs: number): TimeRange {
  const zone = openZone(timeZone);
  const [fromEdge, toEdge] = [from, to].map((text) => (text === undefined ? null : parseEdge(text)));
  if (zone === null) {
    throw invalid("timeZone", "is not an IANA time zone: write it as Europe/Berlin");
  }
  if (period !== undefined && (from !== undefined || to !== undefined)) {
    throw invalid("period", "can't be combined with from and to: leave one of them out");
  }
  if (fromEdge === null || fromEdge === undefined) {
    if (toEdge !== null) {
      throw invalid("from", "is missing: give it together with to");
    }
    return rangeOfPeriod(period ?? "last30Days", { zone, nowMs });
  }
  const range = rangeOfEdges(fromEdge, toEdge ?? null, { zone, nowMs });
  if (range.fromMs >= range.toMs) {
    throw invalid("to", "is not later than from: choose a later one");
  }
  if (range.fromMs < EARLIEST_MS || range.toMs > LATEST_MS) {
    throw invalid("from", "is out of range: choose years from 2000 to 2099");
  }
  return range;
}

function invalid(path: string, message: string): ProblemError {
  const errors: readonly FieldError[] = [{ path, message }];
  return new ProblemError("invalid", errors);
}

import type { Bounds } from "@hopline/db/links/bounds";

/**
 * The dimensions of a click, a closed list. A request for any other is refused; column names are written here and never come from
 * a request.
 */

/** With the column of `click_events`, in the order of the documentation. */
const COLUMNS = {
  link: "link_id",
  domain: "domain_id",
  /** A link's current tag: a click counts for each tag of its link. Tags have no column, they are filtered by link. */
  tag: null,
  rule: "rule_id",
  variant: "variant_id",
  destination: "destination",
  source: "source",
  referrer: "referrer_host",
  country: "country",
  region: "region",
  city: "city",
  continent: "continent",
  browser: "browser",
  os: "os",
  device: "device",
  language: "language",
  colo: "colo",
  class: "class",
  utmSource: "utm_source",
  utmMedium: "utm_medium",
  utmCampaign: "utm_campaign",
  utmTerm: "utm_term",
  utmContent: "utm_content",
} as const;

export type Dimension = keyof typeof COLUMNS;

/** Those of which a click has one value. */
export type ClickDimension = Exclude<Dimension, "tag">;

export const DIMENSIONS = Object.keys(COLUMNS) as [Dimension, ...Dimension[]];

export const CLICK_DIMENSIONS = DIMENSIONS.filter((dimension) => dimension !== "tag");

/** The dimensions whose values are texts, where an empty one means unknown. */
export const TEXT_DIMENSIONS = CLICK_DIMENSIONS.filter(
  (dimension) => !["link", "domain", "class"].includes(dimension),
);

export function columnOf(dimension: ClickDimension): string {
  return COLUMNS[dimension];
}

export const CLICK_CLASSES = ["human", "bot", "preview", "prefetch", "head", "monitor"] as const;

/** Writes a text as SQL of Postgres or of ClickHouse. */
type Write = <Written>(write: (text: TemplateStringsArray) => Written) => Written;

/**
 * Places are told apart by what they are in: `CH-ZH`, `CH-ZH/Zürich`. Over the columns of a click; the separator is before a
 * place's own name.
 */
export const PLACES: {
  readonly [Name in Dimension]?: { readonly value: Write; readonly separator: string };
} = {
  region: {
    value: (write) => write`CASE WHEN region <> '' THEN concat(coalesce(country, ''), '-', region) END`,
    separator: "-",
  },
  city: {
    value: (write) => write`CASE WHEN city <> '' THEN concat(coalesce(country, ''),
      CASE WHEN region <> '' THEN concat('-', region) ELSE '' END, '/', city) END`,
    separator: "/",
  },
};

/**
 * One condition. `null` among the values means unknown. An empty `is` is no condition; of several values in `is` one must match,
 * of those in `isNot` none.
 */
export type Filter = {
  readonly dimension: Dimension | typeof BOUND;
  readonly is: readonly (string | null)[];
  readonly isNot: readonly (string | null)[];
  /** Of `BOUND` alone. */
  readonly bounds?: Bounds;
};

/** No dimension that a caller names: clicks of links within the caller's bounds. */
export const BOUND = "bound";

/** To be put beside the filters that were asked for. */
export function filtersWithin(bounds: Bounds): readonly Filter[] {
  return bounds.length === 0 ? [] : [{ dimension: BOUND, is: [BOUND], isNot: [], bounds }];
}

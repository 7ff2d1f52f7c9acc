/**
 * The dimensions of a click, a closed list. A request for any other is refused; column names are written here and never come from
 * a request.
 */

/** Dimensions that are a text column of `click_events`, with the column. */
const TEXT_COLUMNS = {
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
  utmSource: "utm_source",
  utmMedium: "utm_medium",
  utmCampaign: "utm_campaign",
  utmTerm: "utm_term",
  utmContent: "utm_content",
} as const;

const COLUMNS = { ...TEXT_COLUMNS, link: "link_id", domain: "domain_id", class: "class" } as const;

/**
 * Places are told apart by what they are in: `CH-ZH`, `CH-ZH/Zürich`. As SQL over the columns of a click, for Postgres and
 * ClickHouse alike; the separator is before a place's own name.
 */
export const PLACES: {
  readonly [Name in Dimension]?: { readonly value: string; readonly separator: string };
} = {
  region: {
    value: "CASE WHEN region <> '' THEN concat(coalesce(country, ''), '-', region) END",
    separator: "-",
  },
  city: {
    value:
      "CASE WHEN city <> '' THEN concat(coalesce(country, ''), CASE WHEN region <> '' THEN concat('-', region) ELSE '' END, '/', city) END",
    separator: "/",
  },
};

/** The dimensions whose values are texts, where an empty one means unknown. */
export const TEXT_DIMENSIONS = Object.keys(TEXT_COLUMNS) as readonly (keyof typeof TEXT_COLUMNS)[];

/** `tag` is the link's current tag: a click counts for each tag of its link. */
export type Dimension = keyof typeof COLUMNS | "tag";

export const DIMENSIONS = [
  "link",
  "domain",
  "tag",
  "rule",
  "variant",
  "destination",
  "source",
  "referrer",
  "country",
  "region",
  "city",
  "continent",
  "browser",
  "os",
  "device",
  "language",
  "colo",
  "class",
  "utmSource",
  "utmMedium",
  "utmCampaign",
  "utmTerm",
  "utmContent",
] as const satisfies readonly Dimension[];

export const CLICK_CLASSES = ["human", "bot", "preview", "prefetch", "head", "monitor"] as const;

/** The column of `click_events`. Tags have none: they are filtered by link. */
export function columnOf(dimension: Exclude<Dimension, "tag">): string {
  return COLUMNS[dimension];
}

/**
 * One condition. `null` among the values means unknown. An empty `is` is no condition; of several values in `is` one must match,
 * of those in `isNot` none.
 */
export type Filter = {
  readonly dimension: Dimension;
  readonly is: readonly (string | null)[];
  readonly isNot: readonly (string | null)[];
};

/** What is known of a visit, under the same names in both engines: NULL in Postgres is the empty text in ClickHouse. */
export const VISIT_COLUMNS = [
  "referrer_host",
  "language",
  "browser",
  "os",
  "device",
  "country",
  "region",
  "city",
  "continent",
  "colo",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_term",
  "utm_content",
] as const;

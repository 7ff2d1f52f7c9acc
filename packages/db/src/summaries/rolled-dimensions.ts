/** The columns of `click_events` that the summaries count (migrations/0014). */
export const ROLLED_DIMENSIONS = [
  "rule_id",
  "destination",
  "source",
  "referrer_host",
  "country",
  "region",
  "city",
  "continent",
  "browser",
  "os",
  "device",
  "language",
  "colo",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_term",
  "utm_content",
] as const;

/** The columns that dashboards filter by most: inside of their larger values, all other columns are counted too. */
export const SUMMARY_SCOPES = ["link_id", "country", "device", "browser", "os", "referrer_host"] as const;

/** Columns with so few values that all of them can have rows. */
export const FEW_VALUED_SCOPES = [
  "country",
  "device",
  "browser",
  "os",
] as const satisfies readonly (typeof SUMMARY_SCOPES)[number][];

/** What the pages of analytics say. */
export const PERIODS = {
  today: "Today",
  yesterday: "Yesterday",
  last7Days: "7 days",
  last30Days: "30 days",
  last90Days: "90 days",
  thisMonth: "This month",
  lastMonth: "Last month",
  thisYear: "This year",
  last12Months: "12 months",
} as const;

export const DIMENSIONS = {
  link: "Link",
  domain: "Domain",
  tag: "Tag",
  destination: "Destination",
  rule: "Rule",
  variant: "Variant",
  referrer: "Referrer",
  source: "Source",
  utmSource: "UTM source",
  utmMedium: "UTM medium",
  utmCampaign: "UTM campaign",
  utmTerm: "UTM term",
  utmContent: "UTM content",
  country: "Country",
  region: "Region",
  city: "City",
  continent: "Continent",
  language: "Language",
  browser: "Browser",
  os: "OS",
  device: "Device",
  colo: "Data centre",
  class: "Visitors",
} as const;

/** What the last card shows. */
export const VIEWS = { map: "Map", hours: "Hours", lines: "Over time" } as const;

export const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

export const CONTINENTS: { readonly [code: string]: string } = {
  AF: "Africa",
  AN: "Antarctica",
  AS: "Asia",
  EU: "Europe",
  NA: "North America",
  OC: "Oceania",
  SA: "South America",
};

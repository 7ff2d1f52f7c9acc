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

export const t = {
  // analytics-page.tsx
  sources: "Sources",
  places: "Places",
  devices: "Devices",
  csv: "CSV",
  visitors: "Visitors",
  notAvailableWithThisFilter:
    "Not available with this filter: visitors are counted for a workspace, one link or one country.",
  countedByDaySomeone: "Counted by day: someone who comes on three days counts three times.",
  hidePreviousPeriod: "Hide previous period",
  compareToPreviousPeriod: "Compare to previous period",
  previousPeriod: "Previous period",
  view: "View",
  fromBefore: (before: string) => `from ${before}`,
  // breakdown-card.tsx
  showFewer: "Show fewer",
  moreWithClicks: (values: string, clicks: string) => `${values} more with ${clicks} clicks`,
  noClicksInThisRange: "No clicks in this range.",
  onlyName: (name: string) => `Only ${name}`,
  excludeName: (name: string) => `Exclude ${name}`,
  searchByDimension: (dimension: string) => `Search by ${dimension}`,
  dimensionBeginsWith: (dimension: string) => `${dimension} begins with…`,
  // events-page.tsx
  time: "Time",
  deleted: "deleted",
  place: "Place",
  unknown: "unknown",
  device: "Device",
  comesFrom: "Comes from",
  wentTo: "Went to",
  liveClickShowsUpAboutThree: "Live. A click shows up about three seconds after it.",
  connecting: "Connecting…",
  openOneYourLinksClick: "Open one of your links: its click appears here.",
  noClicksYet: "No clicks yet",
  // filter-chips.tsx
  isNot: " is not",
  // heat-map.tsx
  choosePeriodAtMost80Days: "Choose a period of at most 80 days to see its hours.",
  clicksByWeekdayAndHour: "Clicks by weekday and hour",
  clicksByWeekdayAndHourOfTimeZone: (timeZone: string) => `Clicks by weekday and hour, ${timeZone}`,
  day: "Day",
  n00Clicks: (day: string, value: string, clicks: string) => `${day} ${value}:00, ${clicks} clicks`,
  // lines-card.tsx
  dimension: "Dimension",
  clicksByName: (name: string) => `Clicks by ${name}`,
  moreNotShown: (values: string, clicks: string) => `${values} more, not shown: ${clicks}`,
  // numbers-csv.ts
  list: "List",
  value: "Value",
  total: "Total",
  byInterval: (interval: string) => `By ${interval}`,
  // period-choice.tsx
  period: "Period",
  anotherPeriod: "Another period",
  customRange: "Custom range",
  // range-calendar.tsx
  showFirstToLast: (first: string, last: string) => `Show ${first} to ${last}`,
  chooseFirstAndLastDay: "Choose the first and the last day",
  // series-chart.tsx
  overTimeArrowKeysRead: (label: string, lines: string) =>
    `${label} over time: ${lines}. Arrow keys read the points.`,
  soFar: ", so far",
  // value-name.ts
  peopleAndBots: "People and bots",
  directOrHidden: "Direct or hidden",
  unknownText: "Unknown",
  // world-map.tsx
  country: "country",
  countries: "countries",
  clicksByCountry: "Clicks by country",
};

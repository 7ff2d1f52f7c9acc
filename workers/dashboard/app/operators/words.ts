/** What the pages of operators say. */
export const LIMITS = [
  { name: "links", label: "Links" },
  { name: "clicks", label: "Clicks a month" },
  { name: "requests", label: "Requests a month" },
] as const;

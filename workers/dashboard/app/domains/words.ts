/** What the pages of domains say. */
export const SEEN = {
  found: "Found",
  missing: "Not there yet",
  wrong: "Wrong",
  unavailable: "DNS gave no answer",
} as const;

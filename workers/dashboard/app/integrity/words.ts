/** What the pages of integrity say. */
export const PERIODS = { last7Days: "7 days", last30Days: "30 days", last90Days: "90 days" } as const;

export const COLUMNS = [
  { name: "accepted", label: "Accepted", hint: "Numbered at the edge." },
  { name: "inserted", label: "Stored", hint: "In the database, once each." },
  { name: "duplicate", label: "Skipped", hint: "Delivered again by a queue, and not counted twice." },
  { name: "waiting", label: "Waiting", hint: "Not there yet, for a quarter of an hour at most." },
  {
    name: "rejected",
    label: "Dead letters",
    hint: "Refused by the database; kept, and counted when they are replayed.",
  },
  { name: "missing", label: "Missing", hint: "Neither stored nor in a dead letter." },
] as const;

export const STATES = {
  missing: { kind: "bad", label: "clicks missing" },
  arriving: { kind: "", label: "still arriving" },
  "accounted-for": { kind: "good", label: "accounted for" },
} as const;

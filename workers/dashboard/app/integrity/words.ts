/** What the pages of integrity say. */
import { formatDateTime, formatNumber } from "../format.ts";
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

export const t = {
  // integrity-page.tsx
  integrity: "Integrity",
  whatBecameEveryClickInAll: "What became of every click, in all workspaces.",
  period: "Period",
  edgeNumbersEveryClickVisit:
    "The edge numbers every click. Visit one of your links: seconds later this page says whether each number has arrived.",
  noClickHasBeenCountedYet: "No click has been counted yet",
  howThisIsMeasured: "How this is measured",
  eachIsolateAtEdgeNumbers:
    "Each isolate at the edge numbers its clicks, and the database keeps which numbers have arrived. A number that is not there is a missing click. What an isolate lost after its last delivery leaves no such gap, and can’t be seen here.",
  alsoComparesStoredClicks: "also compares the stored clicks and all counts with this ledger.",
  whatToDo: "What to do",
  lookWhetherTheyWaitQueues: "Look whether they wait: the queues",
  andTheirBacklog:
    "and their backlog, in the Cloudflare dashboard. A queue keeps a message for days, and what comes late is counted on its own day.",
  lookIntoProducersLogFor: "Look into the producer’s log for",
  and: "and",
  firstCanStillBeCounted: ". The first can still be counted:",
  compareEverything: "Compare everything:",
  wholeWayIsIn: "The whole way is in",
  underClicksAreMissing: ", under “Clicks are missing”.",
  copyText: (text: string) => `Copy ${text}`,
  deadLettersWaitForOperator: (open: number, oldestAt: null | string, timeZone: string, unreadable: number) =>
    `${open === 1 ? "A dead letter waits" : `${formatNumber(open)} dead letters wait`} for an operator${oldestAt !== null ? `, the oldest since ${formatDateTime(oldestAt, timeZone)}` : ""}.${unreadable > 0 ? ` ${formatNumber(unreadable)} of them can't be read: how many clicks those are is unknown.` : ""}`,
  deadLettersSaysHowToCount: ", “Dead letters”, says how to count them.",
  byDay: "By day",
  day: "Day",
  noClicks: "no clicks",
  total: "Total",
};

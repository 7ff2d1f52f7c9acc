/**
 * The alert rules: their one definition. docs/grafana/alerts.yaml is made from it. Conditions
 * are data over the families of GET /api/metrics, so that any holder of the numbers can judge them. Pure.
 */

/** Matchers of labels, as Prometheus writes them. */
export type Where = { readonly [label: string]: readonly ["=" | "=~" | "!~", string] };

type Grown = { readonly grown: string; readonly where?: Where; readonly minutes: number };

export type Value =
  | { readonly largest: string; readonly where?: Where }
  | { readonly sum: string }
  /** Seconds since the moment that a gauge names. */
  | { readonly since: string }
  | Grown
  /** Of what came in that time, the share that is `part`; nothing came: no number. */
  | { readonly part: Grown; readonly of: Grown }
  /** The share that is not. */
  | { readonly allBut: Grown; readonly of: Grown };

export type Condition = { readonly value: Value } & ({ readonly above: number } | { readonly below: number });

export type AlertRule = {
  readonly name: string;
  /** What it means, for an operator who was just woken. */
  readonly summary: string;
  /** The section of docs/run-book.md that says what to do. */
  readonly section: string;
  /** All of them, for this long. */
  readonly when: readonly Condition[];
  readonly minutes: number;
};

const oldestWork = (where: Where): Value => ({ largest: "hopline_work_oldest_seconds", where });

/** What of a histogram's observations was above a bound, which has to be one of its own. */
function laterThan(family: string, boundSeconds: string, minutes: number): Value {
  const bucket = (le: string): Grown => ({ grown: `${family}_bucket`, where: { le: ["=", le] }, minutes });
  return { allBut: bucket(boundSeconds), of: bucket("+Inf") };
}

export const ALERT_RULES: readonly AlertRule[] = [
  {
    name: "MetricsAreGone",
    summary: "The metrics cannot be read: the database or the API does not answer.",
    section: "Database outage",
    when: [{ value: { largest: "up", where: { job: ["=", "hopline"] } }, below: 1 }],
    minutes: 3,
  },
  {
    name: "EdgeIsUnavailable",
    summary: "More than one answer in a hundred is a 503.",
    section: "Database outage",
    when: [
      {
        value: {
          part: { grown: "hopline_answers_total", where: { outcome: ["=", "unavailable"] }, minutes: 5 },
          of: { grown: "hopline_answers_total", minutes: 5 },
        },
        above: 0.01,
      },
    ],
    minutes: 5,
  },
  {
    name: "EdgeHearsLate",
    summary: "One report in ten is from an isolate without the feed: edits take up to 60 s + 60 s there.",
    section: "Feed down",
    when: [{ value: laterThan("hopline_feed_age_seconds", "2.5", 2), above: 0.1 }],
    minutes: 1,
  },
  {
    name: "ClicksAreLate",
    summary: "One segment in twenty takes more than a minute to the database.",
    section: "Queue backlog",
    when: [{ value: laterThan("hopline_queue_delay_seconds", "60", 10), above: 0.05 }],
    minutes: 10,
  },
  {
    name: "ClicksStandStill",
    summary: "Clicks came within the hour, and none was written for 15 minutes.",
    section: "Queue backlog",
    when: [
      { value: { since: "hopline_last_click_timestamp_seconds" }, above: 900 },
      { value: { grown: "hopline_clicks_total", minutes: 60 }, above: 1_000 },
    ],
    minutes: 10,
  },
  {
    // A consumer counts reports every ten seconds, and numbers are read once a minute: said within two.
    name: "QueueStandsStill",
    summary: "A queue delivers nothing, while the others do.",
    section: "Queue backlog",
    when: [{ value: { largest: "hopline_queue_silent_seconds" }, above: 45 }],
    minutes: 0,
  },
  {
    // For half an hour: a backlog that drains is no gap.
    name: "ClicksAreMissing",
    summary: "Clicks that the edge numbered did not arrive; `pnpm reconcile` names them.",
    section: "Clicks are missing",
    when: [{ value: { largest: "hopline_missing_clicks" }, above: 0 }],
    minutes: 30,
  },
  {
    name: "DeadLettersWait",
    summary: "Clicks or messages that the database refused wait for an operator.",
    section: "Dead letters",
    when: [{ value: { sum: "hopline_dead_letters" }, above: 0 }],
    minutes: 0,
  },
  {
    name: "ChangesWait",
    summary: "Changes are committed and not published.",
    section: "Work that waits",
    when: [{ value: oldestWork({ kind: ["=", "publish"] }), above: 120 }],
    minutes: 0,
  },
  {
    name: "ImportsWait",
    summary: "Imported links are not in KV: Postgres answers their visitors.",
    section: "Work that waits",
    when: [{ value: oldestWork({ kind: ["=", "publish-import"] }), above: 300 }],
    minutes: 0,
  },
  {
    name: "WorkWaits",
    summary: "Work has been due for a quarter of an hour.",
    section: "Work that waits",
    when: [{ value: oldestWork({ kind: ["!~", "publish.*|summary|tags"] }), above: 900 }],
    minutes: 5,
  },
  {
    name: "WebhooksAreLate",
    summary: "A receiver works, and what is due to it is not sent.",
    section: "Webhooks wait",
    when: [{ value: { largest: "hopline_webhook_overdue_seconds" }, above: 300 }],
    minutes: 5,
  },
  {
    name: "WebhooksStandStill",
    summary: "Clicks for webhooks were not looked for.",
    section: "Webhooks wait",
    when: [{ value: { largest: "hopline_webhook_cursor_age_seconds" }, above: 300 }],
    minutes: 5,
  },
  {
    name: "DaysAreBehind",
    summary: "Days are not pre-aggregated: analytics are slower. It can wait for the morning.",
    section: "Days behind",
    when: [{ value: oldestWork({ kind: ["=~", "summary|tags"] }), above: 7_200 }],
    minutes: 30,
  },
];

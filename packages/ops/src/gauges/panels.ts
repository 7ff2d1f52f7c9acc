/** What the Grafana page shows: how Hopline is at the top, where and why below. dashboard-file.ts makes it Grafana's. */

/** In Grafana's names. */
export type Unit = "reqps" | "percentunit" | "s" | "short" | "bytes";

export type Panel = {
  readonly title: string;
  readonly unit: Unit;
  /** `expr` for each legend; `{{colo}}` in a legend is the label's text. */
  readonly lines: { readonly [legend: string]: string };
  /** One number that turns orange and red from these values on; without them, lines over time. */
  readonly limits?: readonly [orange: number, red: number];
  readonly explains?: string;
};

const HERE = `colo=~"$colo"`;
const MEMORY = `cache_tier=~"isolate|stale|negative"`;
const rate = (family: string, ...where: readonly string[]) =>
  `rate(${family}${where.length === 0 ? "" : `{${where.join(",")}}`}[$__rate_interval])`;
const answers = (...where: readonly string[]) => rate("redirect_duration_seconds_count", HERE, ...where);
const lookUps = (tier: string) => rate("hopline_look_ups_total", HERE, `cache_tier="${tier}"`);
const wait = (quantile: number, by = "") =>
  `histogram_quantile(${quantile}, sum by (${by}le) (${rate("redirect_duration_seconds_bucket", HERE)}))`;
const lateBy = (quantile: number) =>
  `histogram_quantile(${quantile}, sum by (le) (${rate("hopline_queue_delay_seconds_bucket")}))`;
const outcomes = (name: string) =>
  `(sum(${rate("hopline_answers_total", `outcome="${name}"`)}) or vector(0)) / sum(${rate("hopline_answers_total")})`;
/** Never lit. */
const NEVER = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER] as const;

export const PANELS: readonly Panel[] = [
  { title: "Answers", unit: "reqps", limits: NEVER, lines: { all: `sum(${answers()})` } },
  {
    title: "Not from KV",
    unit: "percentunit",
    limits: [0.1, 0.3],
    lines: { all: `(sum(${lookUps("db")}) or vector(0)) / sum(${lookUps("kv")})` },
    explains:
      "Of the keys that KV was asked for, those that went on to Postgres: KV is down or slow, links are not published, or addresses are guessed.",
  },
  { title: "p99 wait", unit: "s", limits: [0.25, 1], lines: { p99: wait(0.99) } },
  { title: "503", unit: "percentunit", limits: [0.001, 0.01], lines: { share: outcomes("unavailable") } },
  {
    title: "Clicks late by",
    unit: "s",
    limits: [30, 60],
    lines: {
      p95: lateBy(0.95),
      "since the last": `(max(timestamp(hopline_last_click_timestamp_seconds) - hopline_last_click_timestamp_seconds) and sum(increase(hopline_clicks_total[1h])) > 1000) or max(hopline_last_click_timestamp_seconds) * 0`,
      "one queue": "max(hopline_queue_silent_seconds)",
    },
    explains:
      "Of clicks that were written; how long none was, where a thousand came within the hour; and how long one queue has delivered none, while others did.",
  },
  {
    title: "Missing, dead letters",
    unit: "short",
    limits: [1, 1],
    lines: { missing: "max(hopline_missing_clicks)", letters: "sum(hopline_dead_letters)" },
    explains:
      "Missing: of clicks older than ten minutes. A queue that stands still is late, and then missing.",
  },
  {
    title: "Oldest work",
    unit: "s",
    limits: [120, 900],
    lines: { oldest: `max(hopline_work_oldest_seconds{kind!~"summary|tags"})` },
  },
  {
    title: "Metrics unreadable",
    unit: "short",
    limits: [1, 1],
    lines: { unreadable: `1 - max(up{job="hopline"})` },
    explains: "1: Postgres or the API does not answer. No other number of this page is of now.",
  },
  { title: "Answers by data centre", unit: "reqps", lines: { "{{colo}}": `sum by (colo) (${answers()})` } },
  {
    title: "Hit ratio by data centre",
    unit: "percentunit",
    lines: { "{{colo}}": `sum by (colo) (${answers(MEMORY)}) / sum by (colo) (${answers()})` },
    explains: "Of all answers, those from an isolate's memory. It falls when caches are too small, or new.",
  },
  {
    title: "p95 and p99 by tier",
    unit: "s",
    lines: {
      "p95 {{cache_tier}}": wait(0.95, "cache_tier, "),
      "p99 {{cache_tier}}": wait(0.99, "cache_tier, "),
    },
  },
  {
    title: "p95 and p99 by data centre",
    unit: "s",
    lines: { "p95 {{colo}}": wait(0.95, "colo, "), "p99 {{colo}}": wait(0.99, "colo, ") },
  },
  {
    title: "Cache pressure: loads by tier",
    unit: "reqps",
    lines: { "{{cache_tier}}": `sum by (cache_tier) (${answers(`cache_tier=~"kv|db|none"`)})` },
    explains:
      "What memory did not have. Postgres (db) much above 0 for long: KV is down, or links wait to be published.",
  },
  {
    title: "Look-ups by tier, and hedged",
    unit: "reqps",
    lines: {
      "{{cache_tier}}": `sum by (cache_tier) (${rate("hopline_look_ups_total", HERE)})`,
      hedged: `sum(${rate("hopline_hedged_total", HERE)}) or vector(0)`,
    },
    explains: "Keys asked for, behind answers too. Hedged: KV was slow, so the database was asked as well.",
  },
  {
    title: "Cache pressure: evicted, refused",
    unit: "reqps",
    lines: {
      "evicted {{colo}}": `sum by (colo) (${rate("hopline_cache_evictions_total", HERE)}) or sum by (colo) (hopline_isolates{${HERE}} * 0)`,
      "refused {{colo}}": `sum by (colo) (${rate("hopline_cache_refused_total", HERE)}) or sum by (colo) (hopline_isolates{${HERE}} * 0)`,
    },
    explains:
      "Evicted: links that were in use, so memory is too small. Refused: asked for once, as by a scan, or too large.",
  },
  {
    title: "Memory of an isolate",
    unit: "bytes",
    lines: {
      "{{colo}}": `sum by (colo) (hopline_cache_bytes{${HERE}}) / sum by (colo) (hopline_isolates{${HERE}})`,
    },
  },
  {
    title: "Isolates, entries each, clicks buffered",
    unit: "short",
    lines: {
      "isolates {{colo}}": `sum by (colo) (hopline_isolates{${HERE}})`,
      "entries {{colo}}": `sum by (colo) (hopline_cache_entries{${HERE}}) / sum by (colo) (hopline_isolates{${HERE}})`,
      "buffered {{colo}}": `sum by (colo) (hopline_buffered_clicks{${HERE}})`,
    },
  },
  {
    title: "Answers by outcome",
    unit: "reqps",
    lines: { "{{outcome}}": `sum by (outcome) (${rate("hopline_answers_total")})` },
  },
  {
    title: "Clicks written, delivered twice, retried",
    unit: "reqps",
    lines: {
      written: `sum(${rate("hopline_clicks_total")})`,
      twice: rate("hopline_duplicate_clicks_total"),
      retried: rate("hopline_retries_total"),
    },
  },
  {
    title: "From click to database",
    unit: "s",
    lines: { p50: lateBy(0.5), p95: lateBy(0.95), p99: lateBy(0.99) },
  },
  {
    title: "Queues that deliver nothing, while others do",
    unit: "s",
    lines: { "{{queue}}": "hopline_queue_silent_seconds" },
  },
  { title: "Work by kind: oldest", unit: "s", lines: { "{{kind}}": "hopline_work_oldest_seconds" } },
  {
    title: "Age of the change feed, p95",
    unit: "s",
    lines: {
      "{{colo}}": `histogram_quantile(0.95, sum by (colo, le) (${rate("hopline_feed_age_seconds_bucket", HERE)}))`,
    },
  },
];

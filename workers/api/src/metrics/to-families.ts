/** The counters as metric families, with their names and help texts. Pure. */
import { DURATION_BOUNDS_MS, DURATION_BUCKETS } from "@hopline/core/click/edge-report";
import { QUEUE_DELAY_BOUNDS_MS } from "@hopline/db/ingest/ingest-counters";
import type { Backlog } from "@hopline/db/work/find-backlog";
import { WORK_KINDS } from "@hopline/db/work/work-kinds";
import { CLICK_CLASSES } from "@hopline/analytics/dimension";
import type { Family, Histogram, Labels, Sample } from "./exposition.ts";
import type { AliveIsolates, Counters } from "./read-counters.ts";

const LETTER_KINDS = ["click_refused", "message_undecodable"] as const;

/** @param missing clicks; `null` if they take too long to count: then their family is left out. */
export function toFamilies(counters: Counters, missing: number | null): readonly Family[] {
  return [
    ...edgeFamilies(counters),
    ...isolateFamilies(counters),
    ...ingestFamilies(counters),
    ...stateFamilies(counters, missing),
    ...webhookFamilies(counters),
  ];
}

function edgeFamilies({ answers, feedAges }: Counters): readonly Family[] {
  return [
    {
      name: "redirect_duration_seconds",
      type: "histogram",
      help: "From a request to its answer, at the edge. A Worker's clock stands still while it computes, so answers from the isolate take 0 and CPU time is not included. Without the last seconds of isolates that have ended.",
      boundsMs: DURATION_BOUNDS_MS,
      histograms: toHistograms(
        answers.map((row) => ({
          labels: { colo: row.colo, cache_tier: row.cacheTier },
          bucket: row.bucket,
          observations: row.answers,
          totalMs: row.totalMs,
        })),
        DURATION_BUCKETS,
      ),
    },
    counter(
      "hopline_answers_total",
      "Answers of the edge, by the tier that had the link and by outcome. A domain's fallback counts as a redirect.",
      sumBy(
        answers.map((row) => ({
          labels: { cache_tier: row.cacheTier, outcome: row.outcome },
          value: row.answers,
        })),
      ),
    ),
    {
      name: "hopline_feed_age_seconds",
      type: "histogram",
      help: "Age of an isolate's copy of the change feed, once per report.",
      boundsMs: DURATION_BOUNDS_MS,
      histograms: toHistograms(
        feedAges.map((row) => ({
          labels: { colo: row.colo },
          bucket: row.bucket,
          observations: row.reports,
          totalMs: row.totalMs,
        })),
        DURATION_BUCKETS,
      ),
    },
  ];
}

function isolateFamilies({ alive, ingest }: Counters): readonly Family[] {
  const heldBy = (toValue: (one: AliveIsolates) => number): readonly Sample[] =>
    alive.map((one) => ({ labels: { colo: one.colo }, value: toValue(one) }));
  const countedAs = (metric: string, labels: Labels = {}): readonly Sample[] =>
    ingest
      .filter((row) => row.metric === metric)
      .map(({ label, total }) => ({ labels: { colo: label, ...labels }, value: total }));
  return [
    gauge(
      "hopline_isolates",
      "Isolates that have reported within the last minute; those without clicks report every half minute, if at all.",
      heldBy(({ isolates }) => isolates),
    ),
    gauge(
      "hopline_cache_entries",
      "What these isolates hold in memory, absences included.",
      heldBy(({ entries }) => entries),
    ),
    gauge(
      "hopline_cache_bytes",
      "The estimated size of that; 17 MiB an isolate at most.",
      heldBy(({ bytes }) => bytes),
    ),
    gauge(
      "hopline_buffered_clicks",
      "Clicks in these isolates that no queue had accepted when they reported.",
      heldBy(({ buffered }) => buffered),
    ),
    counter(
      "hopline_cache_evictions_total",
      "Links that were asked for repeatedly and lost their place in an isolate's memory to others: it is too small.",
      countedAs("edge_evictions"),
    ),
    counter(
      "hopline_cache_refused_total",
      "Links that left an isolate's memory without having been asked for again, or were too large for it.",
      countedAs("edge_refused"),
    ),
    counter("hopline_look_ups_total", "Keys that the edge has asked a tier for, by tier.", [
      ...countedAs("edge_kv", { cache_tier: "kv" }),
      ...countedAs("edge_db", { cache_tier: "db" }),
    ]),
    counter(
      "hopline_hedged_total",
      "Keys for which the database was asked because KV was slow.",
      countedAs("edge_hedged"),
    ),
  ];
}

function ingestFamilies({ ingest, queues, countedAtSeconds }: Counters): readonly Family[] {
  const totalOf = (metric: string, label = ""): number =>
    ingest.find((row) => row.metric === metric && row.label === label)?.total ?? 0;
  const delays = Array.from({ length: QUEUE_DELAY_BOUNDS_MS.length + 1 }, (_, bucket) =>
    totalOf("queue_delay", String(bucket)),
  );
  return [
    counter(
      "hopline_clicks_total",
      "Clicks in the database, each counted once.",
      CLICK_CLASSES.map((name) => ({ labels: { class: name }, value: totalOf("clicks", name) })),
    ),
    counter(
      "hopline_segments_total",
      "Segments (the clicks of one flush of an isolate) that have reached the database.",
      [{ value: delays.reduce((sum, segments) => sum + segments, 0) }],
    ),
    {
      name: "hopline_queue_delay_seconds",
      type: "histogram",
      help: "From a segment's last click to the consumer that wrote it, by their clocks.",
      boundsMs: QUEUE_DELAY_BOUNDS_MS,
      histograms: [{ buckets: delays, totalMs: totalOf("queue_delay_ms") }],
    },
    gauge(
      "hopline_queue_silent_seconds",
      "For how long the queue has delivered nothing while others have, where chance does not explain it; 0 otherwise. Without queues that have been silent for an hour.",
      queues.map(({ queue, silentSeconds }) => ({ labels: { queue }, value: silentSeconds })),
    ),
    counter("hopline_duplicate_clicks_total", "Clicks that arrived again and were not counted again.", [
      { value: totalOf("duplicates") },
    ]),
    counter(
      "hopline_retries_total",
      "How often messages went back to their queue before they were written.",
      [{ value: totalOf("retries") }],
    ),
    counter(
      "hopline_feed_gaps_total",
      "How often isolates missed changes of the feed, and loaded all that they held again.",
      [{ value: totalOf("feed_gaps") }],
    ),
    gauge(
      "hopline_last_click_timestamp_seconds",
      "When the consumer last wrote a click; 0 for never. Does not change while clicks wait, or while there are none.",
      [{ value: countedAtSeconds ?? 0 }],
    ),
  ];
}

function stateFamilies({ deadLetters, backlog }: Counters, missing: number | null): readonly Family[] {
  return [
    gauge(
      "hopline_dead_letters",
      "Dead letters that need an operator (pnpm dead-letters).",
      LETTER_KINDS.map((kind) => ({
        labels: { kind },
        value: deadLetters.find((row) => row.kind === kind)?.letters ?? 0,
      })),
    ),
    ...(missing === null
      ? []
      : [
          gauge(
            "hopline_missing_clicks",
            "Clicks of the hour that ended ten minutes ago that are missing between two segments of an isolate. Includes clicks that still wait in a queue; pnpm reconcile checks any time range.",
            [{ value: missing }],
          ),
        ]),
    ...workFamilies(backlog),
  ];
}

function webhookFamilies({ webhooks }: Counters): readonly Family[] {
  const { matched = 0, delivered = 0, givenUp = 0, on = 0, failing = 0, off = 0 } = webhooks ?? {};
  const clicks = { matched, delivered, waiting: matched - delivered - givenUp, given_up: givenUp };
  const samplesOf = (values: { readonly [state: string]: number }): readonly Sample[] =>
    Object.entries(values).map(([state, value]) => ({ labels: { state }, value }));
  return [
    gauge(
      "hopline_webhook_clicks",
      "Clicks of webhooks, counted for each: those that matched are delivered, waiting or given up.",
      samplesOf(clicks),
    ),
    gauge(
      "hopline_webhooks",
      "Webhooks that are on, on and failing, or off.",
      samplesOf({ on, failing, off }),
    ),
    gauge(
      "hopline_webhook_overdue_seconds",
      "For how long the oldest delivery to a receiver that works has been due; 0 if there is none.",
      [{ value: webhooks?.overdueSeconds ?? 0 }],
    ),
    gauge(
      "hopline_webhook_cursor_age_seconds",
      "For how long webhooks have not looked for clicks; 0 while there are none that one wants.",
      [{ value: webhooks?.cursorAgeSeconds ?? 0 }],
    ),
  ];
}

function workFamilies(backlog: readonly Backlog[]): readonly Family[] {
  const kinds = new Set<string>([...WORK_KINDS, ...backlog.map(({ kind }) => kind)]);
  const samplesOf = (toValue: (one: Backlog) => number) =>
    Array.from(kinds, (kind) => {
      const found = backlog.find((one) => one.kind === kind);
      return { labels: { kind }, value: found === undefined ? 0 : toValue(found) };
    });
  return [
    gauge(
      "hopline_work_waiting",
      "Work that is due and not done: changes to publish, jobs to run. By kind.",
      samplesOf(({ waiting }) => waiting),
    ),
    gauge(
      "hopline_work_oldest_seconds",
      "For how long the oldest of it has been due; 0 if there is none.",
      samplesOf(({ oldestSeconds }) => oldestSeconds),
    ),
    gauge(
      "hopline_work_failing",
      "Work whose last try failed. pnpm run doctor says why.",
      samplesOf(({ failing }) => failing),
    ),
  ];
}

function counter(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, type: "counter", help, samples };
}

function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, type: "gauge", help, samples };
}

type Observed = {
  readonly labels: Labels;
  readonly bucket: number;
  readonly observations: number;
  readonly totalMs: number;
};

/** One histogram for each set of labels, in the order of their first row. */
function toHistograms(rows: readonly Observed[], bucketCount: number): readonly Histogram[] {
  const groups = Map.groupBy(rows, ({ labels }) => JSON.stringify(labels));
  return Array.from(groups.values(), (group) => {
    const buckets = Array<number>(bucketCount).fill(0);
    let totalMs = 0;
    for (const row of group) {
      buckets[row.bucket] = (buckets[row.bucket] ?? 0) + row.observations;
      totalMs += row.totalMs;
    }
    return { labels: group[0]?.labels ?? {}, buckets, totalMs };
  });
}

function sumBy(rows: readonly { readonly labels: Labels; readonly value: number }[]): readonly Sample[] {
  const groups = Map.groupBy(rows, ({ labels }) => JSON.stringify(labels));
  return Array.from(groups.values(), (group) => ({
    labels: group[0]?.labels ?? {},
    value: group.reduce((sum, { value }) => sum + value, 0),
  }));
}

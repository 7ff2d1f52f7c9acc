/** The bars that `pnpm bench --check` holds. Data only: a section of the bench supplies each figure under its name here. */
export type Unit =
  | "µs"
  | "ms"
  | "ns"
  | "x"
  | "1/s"
  | "%"
  | "points"
  | "per request"
  | "B"
  | "MB"
  | "instructions";

export type Bar = { readonly atMost: number } | { readonly atLeast: number };

export type Gate = {
  /** The section that measures it, as `--only` names it. */
  readonly section: SectionName;
  /** Its name in the section's report. */
  readonly figure: string;
  readonly title: string;
  readonly unit: Unit;
  readonly bar: Bar;
  /** Where the bar comes from, and what others reach. */
  readonly source: string;
};

export const SECTION_NAMES = [
  "start-up",
  "invocations",
  "redirect",
  "instructions",
  "cache",
  "rules",
  "waits",
  "ingest",
  "ingest-webhooks",
  "ledger",
  "webhooks",
  "import",
  "lists",
  "indexes",
  "analytics",
  "dashboard",
] as const;
export type SectionName = (typeof SECTION_NAMES)[number];

/**
 * Measured without `--only` or `--all`, and held by CI: shares and CPU times, which mean about the same on a busy machine.
 * Invocations take a minute; instructions need Valgrind and many minutes, nightly; ingest, ledger, webhooks, import, lists, indexes and analytics are rates and times of a database, the dashboard those of a browser, and
 * need a quiet one.
 */
export const EVERYDAY_SECTIONS: readonly SectionName[] = ["start-up", "redirect", "cache", "rules"];

/** A hit rate may lie this far below the reference implementation's on the same trace. */
const HIT_RATE_TOLERANCE_POINTS = 0.5;

export const GATES: readonly Gate[] = [
  {
    section: "waits",
    figure: "waits.kv-hot.p99",
    title: "KV hot, p99 of a visitor's wait",
    unit: "ms",
    bar: { atMost: 10 },
    source: "the budget of the tier",
  },
  {
    section: "waits",
    figure: "waits.database.p99",
    title: "not in KV yet, database near, p99 of a visitor's wait",
    unit: "ms",
    bar: { atMost: 150 },
    source: "the budget of the tier",
  },
  {
    section: "waits",
    figure: "waits.kv-slow.worst",
    title: "KV as slow as before 2025-08, worst wait of a visitor",
    unit: "ms",
    bar: { atMost: 800 },
    source: "all that a visitor waits for",
  },
  ...Object.entries({ producer: 50, consumer: 50, api: 250, dashboard: 50 }).map(([name, atMost]): Gate => ({
    section: "start-up",
    figure: `start-up.${name}`,
    title: `CPU to the first answer, ${name}, over an empty Worker`,
    unit: "ms",
    bar: { atMost },
    source: "Cloudflare ends a start that takes a second of CPU, and Workers Free has 10 ms for each request",
  })),
  {
    section: "redirect",
    figure: "redirect.isolate-hit.cpu-over-facts",
    title: "CPU: isolate hit over a Worker that reads its facts",
    unit: "x",
    bar: { atMost: 1.6 },
    source: "a guard against regressions: the aim is 1.15, and 1.06 to 1.19 was measured on 2026-11-22",
  },
  {
    section: "redirect",
    figure: "redirect.kv-hit.cpu-over-kv-read",
    title: "CPU: KV hit over a Worker that reads KV once",
    unit: "x",
    bar: { atMost: 2 },
    source:
      "a guard against regressions: 1.24 to 1.37 was measured on 2026-11-22, over a read with options that the producer does not give",
  },
  {
    section: "redirect",
    figure: "redirect.kv-hit.cpu-over-kv-read-and-facts",
    title: "CPU: KV hit over a Worker that reads KV and its facts",
    unit: "x",
    bar: { atMost: 1.8 },
    source: "a guard against regressions: the aim is 1.1; load-tests/results/2026-11-25-runs.md",
  },
  {
    section: "instructions",
    figure: "instructions.isolate-hit.over-facts",
    title: "Instructions: isolate hit over a Worker that reads its facts",
    unit: "x",
    bar: { atMost: 1.06 },
    source: "3 % above the 1.03 that was counted on 2026-11-25, which is the aim; runs differ by 1 %",
  },
  {
    section: "instructions",
    figure: "instructions.kv-hit.over-kv-read-and-facts",
    title: "Instructions: KV hit over a Worker that reads KV and its facts",
    unit: "x",
    bar: { atMost: 1.1 },
    source: "3 % above the 1.07 that was counted on 2026-11-25; the aim is 1.1",
  },
  ...[
    { share: 2, referencePercent: 48.8, others: "LRU 44.1, optimal 57.9" },
    { share: 10, referencePercent: 58.2, others: "LRU 55.7, optimal 68.1" },
    { share: 25, referencePercent: 63.9, others: "LRU 62.9, optimal 73.1" },
  ].map(({ share, referencePercent, others }): Gate => ({
    section: "cache",
    figure: `cache.web07.${share}-percent.hit-rate`,
    title: `Hit rate on the web trace, cache of ${share} % of its keys`,
    unit: "%",
    bar: { atLeast: referencePercent - HIT_RATE_TOLERANCE_POINTS },
    source: `S3-FIFO ${referencePercent}, ${others}`,
  })),
  {
    section: "cache",
    figure: "cache.scan.lost",
    title: "Hit rate lost when every second request is a scan",
    unit: "points",
    bar: { atMost: 2 },
    source: "LRU loses 13",
  },
  {
    section: "rules",
    figure: "rules.ten.evaluation",
    title: "Evaluation of 10 rules, the slowest of the kinds",
    unit: "µs",
    bar: { atMost: 10 },
    source: "a guard against regressions: 4.8 when quiet and 6.3 beside others was measured on 2026-11-22",
  },
  {
    section: "ingest",
    figure: "ingest.clicks-per-second",
    title: "Clicks inserted in full statements, 4 at once",
    unit: "1/s",
    bar: { atLeast: 20_000 },
    source: "docs/capacity-and-cost.md counts on a quarter of it; a prototype did 62,000",
  },
  {
    section: "ingest-webhooks",
    figure: "ingest.with-webhook",
    title: "Clicks inserted with a webhook on each, of without",
    unit: "%",
    bar: { atLeast: 95 },
    source:
      "the same within the noise of rounds; what the consumer does for webhooks is one statement behind each batch",
  },
  ...(
    [
      ["reconcile-day", "A billion clicks a day: reconcile of a day", "ms", 20_000],
      ["reconcile-hour", "Reconcile of its last hour", "ms", 1_000],
      ["integrity-30-days", "30 days of the integrity page", "ms", 300],
      ["bytes-per-click", "Bytes of the ledger a click, ten clicks a segment", "B", 2],
    ] as const
  ).map(([name, title, unit, atMost]): Gate => ({
    section: "ledger",
    figure: `ledger.${name}`,
    title,
    unit,
    bar: { atMost },
    source:
      "with a row a segment a day took 800 s, 30 days failed from 25,000 clicks a day, and a click took 21 bytes",
  })),
  ...Object.entries({
    batch: "mode batch",
    each: "mode each",
    "beside-hanging": "beside 50 receivers that hang",
  }).map(([name, title]): Gate => ({
    section: "webhooks",
    figure: `webhooks.${name}.p95`,
    title: `Click to delivery, p95, ${title}`,
    unit: "ms",
    bar: { atMost: 5_000 },
    source: "the promise of webhooks at 200 clicks/s and ten endpoints, on two cores",
  })),
  {
    section: "import",
    figure: "import.in-kv-after-answer",
    title: "20,000 imported links in KV, after the answer",
    unit: "ms",
    bar: { atMost: 60_000 },
    source: "the promise of the publishing queue; here with one publisher at a time",
  },
  {
    section: "dashboard",
    figure: "dashboard.interaction.p98",
    title: "Interactions with 100,000 links, p98",
    unit: "ms",
    bar: { atMost: 100 },
    source: "what feels immediate; INP calls 200 ms good",
  },
];

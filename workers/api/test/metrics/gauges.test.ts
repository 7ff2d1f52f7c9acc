/** The Grafana page and the alert rules: they ask for what /api/metrics gives, and rules fire when they should. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ALERT_RULES } from "@hopline/core/alerts/alert-rules";
import { judgeAlerts, listFiring, NEW_ALERTS, type Sample } from "@hopline/core/alerts/judge-alerts";
import { ALERTS_PATH, sectionPath, writeAlerts } from "@hopline/ops/gauges/alerts-file";
import { DASHBOARD_PATH, writeDashboard } from "@hopline/ops/gauges/dashboard-file";
import { PANELS } from "@hopline/ops/gauges/panels";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { describe, expect, it } from "vitest";
import { writeFamilies } from "../../src/metrics/exposition.ts";
import { toFamilies } from "../../src/metrics/to-families.ts";
import { parseExposition } from "./parse-exposition.ts";

const read = (path: string) => readFileSync(inWorkspace(path), "utf8");

/** What /api/metrics gives where everything has happened once: each sample's name with its labels. */
const given = new Map<string, ReadonlyMap<string, ReadonlySet<string>>>();
const once = { colo: "ZRH", cacheTier: "kv", outcome: "redirect", bucket: 1, answers: 1, totalMs: 1 };
const webhooks = { matched: 1, delivered: 1, givenUp: 0, on: 1, failing: 0, off: 0 };
const families = toFamilies(
  {
    answers: [once, { ...once, outcome: "unavailable", cacheTier: "none" }],
    feedAges: [{ colo: "ZRH", bucket: 1, reports: 1, totalMs: 1 }],
    alive: [{ colo: "ZRH", isolates: 1, entries: 1, bytes: 1, buffered: 0 }],
    queues: [{ queue: "hopline-clicks-0", silentSeconds: 0 }],
    ingest: ["edge_evictions", "edge_refused", "edge_kv", "edge_db", "edge_hedged"].map((metric) => ({
      metric,
      label: "ZRH",
      total: 1,
    })),
    countedAtSeconds: 1,
    deadLetters: [],
    backlog: [],
    webhooks: { ...webhooks, overdueSeconds: 0, cursorAgeSeconds: 0 },
  },
  0,
);
for (const samples of parseExposition(writeFamilies(families)).values()) {
  for (const { name, labels } of samples) {
    const known = new Map(given.get(name));
    for (const [label, text] of labels) {
      known.set(label, new Set([...(known.get(label) ?? []), text]));
    }
    given.set(name, known);
  }
}
// Prometheus' own, of each target.
given.set("up", new Map([["job", new Set(["hopline"])]]));

/** Names, labels and exact texts that PromQL asks for, and nobody gives. */
function unknownIn(promql: string): readonly string[] {
  const names = [...promql.matchAll(/\b(up|(?:hopline|redirect)_[a-z_]+)(?:\{([^}]*)\})?/g)];
  const grouped = [...promql.matchAll(/by \(([^)]*)\)/g)].flatMap((match) => (match[1] ?? "").split(", "));
  const everyLabel = new Set(names.flatMap((match) => [...(given.get(match[1] ?? "")?.keys() ?? [])]));
  expect(names.length).toBeGreaterThan(0);
  return [
    ...grouped.filter((label) => !everyLabel.has(label)),
    ...names.flatMap(([, name = "", where = ""]) => {
      const labels = given.get(name);
      const matchers = [...where.matchAll(/([a-z_]+)(=~|!~|=)"([^"]*)"/g)];
      const wrong = matchers.filter(
        ([, label = "", operator, text = ""]) =>
          labels?.has(label) !== true || (operator === "=" && labels.get(label)?.has(text) !== true),
      );
      return labels === undefined ? [name] : wrong.map((match) => `${name}{${match[0]}}`);
    }),
  ];
}

const expressions = [...writeAlerts().matchAll(/expr: (".*")$/gm)].map((match) =>
  String(JSON.parse(match[1] ?? "")),
);

it("asks for no metric, label or kind that /api/metrics does not give", () => {
  expect(expressions).toHaveLength(ALERT_RULES.length);
  expect(expressions.flatMap(unknownIn)).toEqual([]);
  expect(PANELS.flatMap(({ lines }) => Object.values(lines)).flatMap(unknownIn)).toEqual([]);
  expect(
    unknownIn(`sum by (place) (hopline_nothing) + hopline_work_waiting{kind="none",colo=~".*"}`),
  ).toEqual([
    "place",
    "hopline_nothing",
    `hopline_work_waiting{kind="none"}`,
    `hopline_work_waiting{colo=~".*"}`,
  ]);
});

it("is committed as the code writes it", () => {
  expect(read(ALERTS_PATH)).toBe(writeAlerts());
  expect(read(DASHBOARD_PATH)).toBe(writeDashboard());
  expect(JSON.parse(writeDashboard()).panels).toHaveLength(PANELS.length);
});

it("shows numbers of now: in an outage none, and not for an hour the last ones before it", () => {
  const { panels } = JSON.parse(writeDashboard());
  const numbers = panels.filter(({ type }: { readonly type: string }) => type === "stat");
  expect(numbers).toHaveLength(PANELS.filter(({ limits }) => limits !== undefined).length);
  for (const { targets } of numbers) {
    expect(targets).toEqual(
      targets.map((target: object) => expect.objectContaining({ ...target, instant: true, range: false })),
    );
  }
});

it("sends whoever is called to a section of the run-book that is there", () => {
  const sections = [...read("docs/run-book.md").matchAll(/^## (.+)$/gm)].map((match) => match[1] ?? "");
  expect(ALERT_RULES.map(({ section }) => section).filter((name) => !sections.includes(name))).toEqual([]);
});

type Series = { readonly [series: string]: string };

/** Two hours of numbers, one a minute: in the first the rule fires at the end, in the second it is quiet. */
const CASES: { readonly [rule: string]: readonly [firing: Series, quiet: Series] } = {
  MetricsAreGone: [{ 'up{job="hopline"}': "1x100 0x20" }, { 'up{job="hopline"}': "1x118 0 0" }],
  EdgeIsUnavailable: shares(`hopline_answers_total{cache_tier="none",outcome="unavailable"}`, [2, 0], {
    'hopline_answers_total{cache_tier="kv",outcome="redirect"}': "0+98x120",
  }),
  EdgeHearsLate: late("hopline_feed_age_seconds", "2.5", [85, 95]),
  ClicksAreLate: late("hopline_queue_delay_seconds", "60", [94, 96]),
  ClicksStandStill: [
    { hopline_last_click_timestamp_seconds: "0+60x90 5400x30", hopline_clicks_total: "0+100x90 9000x30" },
    // Nobody visits: a click now and then.
    { hopline_last_click_timestamp_seconds: "0+60x90 5400x30", hopline_clicks_total: "0+1x90 90x30" },
  ],
  QueueStandsStill: [
    {
      'hopline_queue_silent_seconds{queue="hopline-clicks-0"}': "0x120",
      'hopline_queue_silent_seconds{queue="hopline-clicks-1"}': "0x119 46",
    },
    { 'hopline_queue_silent_seconds{queue="hopline-clicks-1"}': "46x100 45x20" },
  ],
  ClicksAreMissing: [{ hopline_missing_clicks: "0x60 3x60" }, { hopline_missing_clicks: "0x100 3x15 0x5" }],
  DeadLettersWait: [
    {
      'hopline_dead_letters{kind="click_refused"}': "1x120",
      'hopline_dead_letters{kind="message_undecodable"}': "0x120",
    },
    { 'hopline_dead_letters{kind="click_refused"}': "0x120" },
  ],
  ChangesWait: oldest("publish", [121, 119]),
  ImportsWait: oldest("publish-import", [301, 299]),
  WorkWaits: [
    { 'hopline_work_oldest_seconds{kind="retention"}': "901x120" },
    {
      'hopline_work_oldest_seconds{kind="retention"}': "899x120",
      'hopline_work_oldest_seconds{kind="summary"}': "1000x120",
      'hopline_work_oldest_seconds{kind="publish-import"}': "1000x120",
    },
  ],
  WebhooksAreLate: [
    { hopline_webhook_overdue_seconds: "301x120" },
    { hopline_webhook_overdue_seconds: "299x120" },
  ],
  WebhooksStandStill: [
    { hopline_webhook_cursor_age_seconds: "301x120" },
    { hopline_webhook_cursor_age_seconds: "299x120" },
  ],
  DaysAreBehind: oldest("tags", [7_201, 7_199]),
};

function oldest(kind: string, [firing, quiet]: readonly [number, number]): readonly [Series, Series] {
  const series = `hopline_work_oldest_seconds{kind="${kind}"}`;
  return [{ [series]: `${firing}x120` }, { [series]: `${quiet}x120` }];
}

function shares(
  series: string,
  [firing, quiet]: readonly [number, number],
  rest: Series,
): readonly [Series, Series] {
  return [
    { ...rest, [series]: `0+${firing}x120` },
    { ...rest, [series]: `0+${quiet}x120` },
  ];
}

/** Of 100 a minute so many within the bound. */
function late(family: string, bound: string, within: readonly [number, number]): readonly [Series, Series] {
  return shares(`${family}_bucket{le="${bound}"}`, within, { [`${family}_bucket{le="+Inf"}`]: "0+100x120" });
}

it("has numbers for each rule, in which it fires and in which it does not", () => {
  expect(Object.keys(CASES).toSorted()).toEqual(ALERT_RULES.map(({ name }) => name).toSorted());
});

it("each rule fires where it should, and is quiet where it should be, without Prometheus", () => {
  for (const [name, cases] of Object.entries(CASES)) {
    const firing = cases.map((series) => {
      const values = Object.entries(series).map(([of, notation]) => [of, valuesOf(notation)] as const);
      let state = NEW_ALERTS;
      for (let minute = 0; minute <= 120; minute += 1) {
        const samples = values.flatMap(([of, numbers]) => toSample(of, numbers[minute]));
        state = judgeAlerts(state, samples, minute * 60_000);
      }
      return listFiring(state).some((rule) => rule.name === name);
    });
    expect(firing, name).toEqual([true, false]);
  }
});

/** Promtool's notation: `1+2x3` is 1 3 5 7, `4x2` is 4 4 4. */
function valuesOf(notation: string): readonly number[] {
  return notation.split(" ").flatMap((part) => {
    const [, from = "", step = "0", times = "0"] = /^(\d+)(?:\+(\d+))?(?:x(\d+))?$/.exec(part) ?? [];
    return Array.from({ length: Number(times) + 1 }, (_, index) => Number(from) + index * Number(step));
  });
}

function toSample(series: string, value: number | undefined): readonly Sample[] {
  const [, name = "", where = ""] = /^([a-z_]+)(?:\{(.*)\})?$/.exec(series) ?? [];
  const labels = [...where.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, label = "", text = ""]) => [
    label,
    text,
  ]);
  return value === undefined ? [] : [{ name, labels: Object.fromEntries(labels), value }];
}

/** One of Prometheus' own tests of rules, whose numbers end after two hours. */
function toTest(alertname: string, series: Series, alerts: readonly object[]): object {
  return {
    interval: "1m",
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [{ eval_time: "2h", alertname, exp_alerts: alerts }],
  };
}

describe.skipIf(spawnSync("promtool", ["--version"]).status !== 0)("in Prometheus' own tests", () => {
  it("each rule fires where it should, names its section, and is quiet where it should be", () => {
    const tests = ALERT_RULES.flatMap(({ name, summary, section }) => {
      const [firing, quiet] = CASES[name] ?? [{}, {}];
      const fired = { exp_labels: {}, exp_annotations: { summary, run_book: sectionPath(section) } };
      return [toTest(name, firing, [fired]), toTest(name, quiet, [])];
    });
    const directory = mkdtempSync(join(tmpdir(), "hopline-rules-"));
    try {
      const path = join(directory, "test.yaml");
      const rule_files = [inWorkspace(ALERTS_PATH)];
      // JSON is YAML.
      writeFileSync(path, JSON.stringify({ rule_files, evaluation_interval: "1m", tests }));
      const { status, stdout, stderr } = spawnSync("promtool", ["test", "rules", path], { encoding: "utf8" });
      expect(status, stdout + stderr).toBe(0);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

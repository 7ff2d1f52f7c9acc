/**
 * CPU time of evaluating ten rules, each time with a fresh visitor as the redirect makes one, in Node. Checks the decision
 * before it times it. Machines differ by a factor of three, so times are given for one that copies the rules as JSON in
 * `REFERENCE_MICROS`.
 */
import { setImmediate as letTimersRun } from "node:timers/promises";

import { RULES, withAllConditions } from "@hopline/core/rules/decode-rules";
import { readEdgeDevice } from "@hopline/core/rules/evaluate/edge-device";
import { evaluate } from "@hopline/core/rules/evaluate/evaluate";
import { createLocalTime } from "@hopline/core/rules/evaluate/local-time";
import type { SmartLink, SmartRule } from "@hopline/core/rules/rule";
import { createVisitor, type Visitor } from "@hopline/core/rules/evaluate/visitor";

import { GATES } from "./gates.ts";
import type { Section } from "./section.ts";
import { formatTable } from "./table.ts";

/** The fastest round counts: what else the machine does only ever adds. More rounds where that is above the bar. */
const MIN_ROUNDS = 10;
/** Further rounds would only lower a figure that is within the bar. */
const MIN_JUDGED_ROUNDS = 3;
const MAX_ROUNDS = 40;
const EVALUATIONS_PER_ROUND = 20_000;
/** Chosen, so that figures stay comparable with older ones: the slowest took 0.84 times as long (2026-11-26), and 4.5 µs before. */
const REFERENCE_MICROS = 5.4;

const FIGURE = "rules.ten.evaluation";

export const rulesSection: Section = {
  title: "Rules: CPU time of one evaluation with a fresh visitor, in Node",
  async run({ rounds: chosen, isOnlyJudged, say }) {
    const minRounds = isOnlyJudged ? MIN_JUDGED_ROUNDS : MIN_ROUNDS;
    const bar = GATES.find(({ figure }) => figure === FIGURE)?.bar;
    const mostMicros = bar !== undefined && "atMost" in bar ? bar.atMost : Infinity;
    const cases: { readonly title: string; readonly micros: number }[] = [];
    for (const [title, link] of Object.entries(CASES)) {
      say(title);
      checkDecision(title, link);
      // The first round warms up the compiler.
      timeRound(title, link);
      timeReference();
      let micros = Infinity;
      const least = { own: Infinity, reference: Infinity };
      for (let round = 0; round < (chosen ?? (micros > mostMicros ? MAX_ROUNDS : minRounds)); round += 1) {
        least.reference = Math.min(least.reference, timeReference());
        least.own = Math.min(least.own, timeRound(title, link));
        micros = (least.own / least.reference) * REFERENCE_MICROS;
        await letTimersRun();
      }
      cases.push({ title, micros });
    }
    return {
      figures: [
        { name: FIGURE, value: Math.max(...cases.map(({ micros }) => micros)), unit: "µs" },
        ...cases.map(({ title, micros }) => ({
          name: `rules.case: ${title}`,
          value: micros,
          unit: "µs" as const,
        })),
      ],
      lines: formatTable(cases.map(({ title, micros }) => [title, `${micros.toFixed(2)} µs`])),
    };
  },
};

/** Ten rules of which none matches before the last; every field is asked by one of them. */
const EVERY_FIELD: readonly unknown[] = [
  { country: ["FR", "BE", "LU"] },
  { continent: ["NA", "SA"], country: ["US"] },
  { region: ["DE-BY", "DE-BW"] },
  { time: { zone: "Europe/Berlin", days: [6, 7], startMinute: 1_320, endMinute: 360 } },
  { query: [{ name: "ref", values: ["sms", "push"] }] },
  { language: ["fr", "it", "zh-hant"] },
  { referrer: ["*.facebook.com", "t.co", "news.ycombinator.com"] },
  { device: ["mobile", "tablet"], os: ["iOS"] },
  { browser: ["Firefox", "Opera"] },
  { visitor: "human", country: ["DE"] },
];

const PLACES_ONLY: readonly unknown[] = ["FR", "US", "GB", "IT", "ES", "NL", "BE", "AT", "CH", "DE"].map(
  (country) => ({
    country: [country],
  }),
);

const MOBILE_STORES: readonly unknown[] = Array.from({ length: 10 }, (_, index) => ({
  os: [index === 9 ? "Windows" : "iOS"],
}));

const SPLIT = Array.from({ length: 10 }, (_, index) => ({
  id: `v${index}`,
  url: `https://example.com/${index}`,
  weight: index + 1,
}));

const LINK_ID = "0198c0de-0000-7000-8000-000000000001";

function aLink(
  conditions: readonly unknown[],
  lastTo: unknown = { url: "https://example.com/r9" },
): SmartLink {
  const rules = conditions.map((when, index) => ({
    id: `rule-${index}`,
    when,
    to: index === conditions.length - 1 ? lastTo : { url: `https://example.com/r${index}` },
  }));
  return { linkId: LINK_ID, url: "https://example.com/", rules: decodeOrThrow(rules) };
}

function decodeOrThrow(rules: unknown): readonly SmartRule[] {
  const published: unknown = JSON.parse(JSON.stringify(rules));
  const fault = RULES(published);
  if (fault !== null) {
    throw new Error(`invariant: the bench's rules are malformed at ${fault}`);
  }
  return (published as readonly SmartRule[]).map(withAllConditions);
}

const USER_AGENT =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
const HEADERS = {
  "user-agent": USER_AGENT,
  "accept-language": "de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7",
  referer: "https://www.example.org/articles/1?x=y",
};
const PLACE = { country: "DE", continent: "EU", regionCode: "BE", city: "Berlin" };
const localTime = createLocalTime();

function aVisitor(second: number): Visitor {
  return createVisitor({
    nowMs: Date.UTC(2026, 5, 15, 13, 30) + second * 1_000,
    place: () => PLACE,
    header: (name) => HEADERS[name],
    query: "ref=mail&utm_source=letter",
    stickyKey: () => `203.0.${second & 255}.0 ${USER_AGENT}`,
    readDevice: readEdgeDevice,
    localTime,
  });
}

const CASES: Readonly<Record<string, SmartLink>> = {
  "10 rules, every field asked, last one matches": aLink(EVERY_FIELD),
  "10 rules by country, last one matches": aLink(PLACES_ONLY),
  "10 rules by OS, last one matches": aLink(MOBILE_STORES),
  "10 rules, every field asked, then a split of 10": aLink(EVERY_FIELD, { split: SPLIT }),
  "no rules": { linkId: LINK_ID, url: "https://example.com/r9" },
};

function checkDecision(title: string, link: SmartLink): void {
  const decision = evaluate(link, aVisitor(0));
  if (decision.kind !== "destination" || (link.rules !== undefined && decision.ruleId !== "rule-9")) {
    throw new Error(`invariant: ${title}: the last rule should have matched`);
  }
}

function timeRound(title: string, link: SmartLink): number {
  return timeOnce(title, (index) => evaluate(link, aVisitor(index & 255)).kind === "destination");
}

function timeReference(): number {
  return timeOnce("a copy of the rules", () => Array.isArray(JSON.parse(JSON.stringify(EVERY_FIELD))));
}

/** CPU microseconds of this thread for one of many: what others do on the machine is not in it. */
function timeOnce(title: string, isDone: (index: number) => boolean): number {
  const before = process.threadCpuUsage();
  let done = 0;
  for (let index = 0; index < EVALUATIONS_PER_ROUND; index += 1) {
    done += isDone(index) ? 1 : 0;
  }
  const { user, system } = process.threadCpuUsage(before);
  if (done !== EVALUATIONS_PER_ROUND) {
    throw new Error(`invariant: ${title}: was not done each time`);
  }
  return (user + system) / EVALUATIONS_PER_ROUND;
}

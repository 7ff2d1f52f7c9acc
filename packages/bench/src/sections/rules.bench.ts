/**
 * Cost of evaluating ten rules, in nanoseconds of CPU time per evaluation, each with a fresh visitor as the redirect makes
 * one. Checks the decision before it times it. Run by itself (`node packages/bench/src/sections/rules.bench.ts`) it prints its cases.
 */
import { decodeRules } from "@hopline/core/rules/decode-rules";
import { readEdgeDevice } from "@hopline/core/rules/evaluate/edge-device";
import { evaluate } from "@hopline/core/rules/evaluate/evaluate";
import { createLocalTime } from "@hopline/core/rules/evaluate/local-time";
import type { SmartLink, SmartRule } from "@hopline/core/rules/rule";
import { createVisitor, type Visitor } from "@hopline/core/rules/evaluate/visitor";

export type RulesBenchCase = {
  readonly name: string;
  /** Of the fastest round. */
  readonly nsPerEvaluation: number;
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

/**
 * The CPU time that this thread has used, in nanoseconds: what others do on the machine is not in it, though what they do
 * to its caches is.
 */
export function threadCpuNs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) * 1_000;
}

/** Times every case; the whole takes some seconds. `nowNs` only goes forward, in nanoseconds. */
export function benchRules(nowNs: () => number): readonly RulesBenchCase[] {
  return [
    time("10 rules, every field asked, last one matches", aLink(EVERY_FIELD), nowNs),
    time("10 rules by country, last one matches", aLink(PLACES_ONLY), nowNs),
    time("10 rules by OS, last one matches", aLink(MOBILE_STORES), nowNs),
    time("10 rules, every field asked, then a split of 10", aLink(EVERY_FIELD, { split: SPLIT }), nowNs),
    time("no rules", { linkId: LINK_ID, url: "https://example.com/r9" }, nowNs),
  ];
}

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
  const decoded = decodeRules(JSON.parse(JSON.stringify(rules)));
  if (!decoded.ok) {
    throw new Error(`invariant: the bench's rules are malformed at ${decoded.error.field}`);
  }
  return decoded.value;
}

const USER_AGENT =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
const HEADERS = {
  "user-agent": USER_AGENT,
  "accept-language": "de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7",
  referer: "https://www.example.org/articles/1?x=y",
};
const PLACE = { country: "DE", continent: "EU", regionCode: "BE" };
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

const ROUNDS = 25;
const EVALUATIONS_PER_ROUND = 20_000;

function time(name: string, link: SmartLink, nowNs: () => number): RulesBenchCase {
  const first = evaluate(link, aVisitor(0));
  if (first.kind !== "destination" || (link.rules !== undefined && first.ruleId !== "rule-9")) {
    throw new Error(`invariant: ${name}: the last rule should have matched`);
  }
  const rounds: number[] = [];
  let answered = 0;
  for (let round = 0; round <= ROUNDS; round += 1) {
    const startNs = nowNs();
    for (let index = 0; index < EVALUATIONS_PER_ROUND; index += 1) {
      answered += evaluate(link, aVisitor(index & 255)).kind === "destination" ? 1 : 0;
    }
    rounds.push((nowNs() - startNs) / EVALUATIONS_PER_ROUND);
  }
  if (answered !== (ROUNDS + 1) * EVALUATIONS_PER_ROUND) {
    throw new Error(`invariant: ${name}: a visitor went without a destination`);
  }
  // The first round warms up the compiler. Of the others the fastest: what else a machine does only ever adds.
  return { name, nsPerEvaluation: Math.min(...rounds.slice(1)) };
}

if (import.meta.main) {
  for (const { name, nsPerEvaluation } of benchRules(threadCpuNs)) {
    console.log(`${(nsPerEvaluation / 1_000).toFixed(2).padStart(8)} µs  ${name}`);
  }
}

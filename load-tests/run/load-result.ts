/** The result of one run: what `--json` writes and the summary tells. Pure. */
import type { Circumstances } from "@hopline/bench/circumstances";

import { ANSWERS, TIERS, tookOf, WRONG_LOCATION } from "../script/counters.ts";
import { mainPhaseOf } from "../script/script-defaults.ts";
import type { Imported } from "./import-links.ts";
import { type K6Summary, statisticOf } from "./k6-summary.ts";
import { type Latency, round, type Spreads, toLatency, toSpreads } from "./latency.ts";
import type { RunPlan } from "./run-plan.ts";
import type { StoredClicks, Verdict } from "./verdict.ts";

export type LoadResult = Omit<Circumstances, "date"> & {
  /** RFC 3339. */
  readonly startedAt: string;
  /** `null`: this machine. Otherwise the rest of the circumstances are those of the verdict. */
  readonly environment: string | null;
  readonly plan: RunPlan;
  readonly verdict: Verdict;
  /** Visits that were answered. */
  readonly requests: number;
  readonly redirects: number;
  /** How many answers were of each kind; a redirect to the wrong address is among the redirects. */
  readonly answers: { readonly [kind: string]: number };
  /** Answers by tier, of those that were asked for it: all of them where links are cold, one in fifty otherwise. */
  readonly tiers: { readonly [tier: string]: number };
  /** Their answer times, and those of the constant Worker where it was visited in turn; without tiers that gave none. */
  readonly spreads: Spreads;
  /** Requests that k6 dropped because no VU was free. */
  readonly dropped: number;
  /** Of the main phase: the steady one, or the burst. */
  readonly steadyRate: number;
  readonly latency: Latency;
  /** Of the first seconds after the import; `null` where links are warm. */
  readonly firstLatency: Latency | null;
  /** Of the changes made through the API during the run: from the answer until a visit saw it. */
  readonly changes: (Latency & { readonly count: number }) | null;
  /** `null` where no links were needed. */
  readonly imported: Imported | null;
  /** Statements that the producer sent to the database; `null`: nobody counts them in a deployment. */
  readonly statements: number | null;
  readonly stored: StoredClicks | null;
  /** Share of all cores that others used while k6 ran; `null`: unknown here. Above 0.1 the figure says little. */
  readonly cpuOfOthers: number | null;
};

/** Of a run whose k6 left no summary here: what only k6 has seen is `null`, and the redirects are those that the edge numbered. */
export type UnseenResult = Omit<LoadResult, keyof Seen> & {
  readonly [name in keyof Seen]: Seen[name] | null;
};
type Seen = Pick<
  LoadResult,
  "requests" | "answers" | "tiers" | "spreads" | "dropped" | "steadyRate" | "latency"
>;

export type ResultParts = Omit<Circumstances, "date"> &
  Pick<
    LoadResult,
    "startedAt" | "environment" | "plan" | "verdict" | "imported" | "statements" | "stored" | "cpuOfOthers"
  > & {
    /** Length of the main phase. */
    readonly mainSeconds: number;
    readonly summary: K6Summary;
  };

export function toUnseenResult(
  parts: Omit<UnseenResult, keyof Seen | "firstLatency" | "changes">,
): UnseenResult {
  const unseen = { requests: null, answers: null, tiers: null, spreads: null, dropped: null };
  return { ...parts, ...unseen, steadyRate: null, latency: null, firstLatency: null, changes: null };
}

export function toLoadResult({ summary, mainSeconds, ...parts }: ResultParts): LoadResult {
  const mainPhase = mainPhaseOf(parts.plan.script);
  const count = (metric: string): number => statisticOf(summary, metric, "count");
  const latency = (metric: string): Latency => toLatency(summary, metric);
  const importMs = statisticOf(summary, "import_ms", "max");
  const changeCount = count("change_in_effect_ms");
  return {
    ...parts,
    imported:
      parts.imported ?? (importMs === 0 ? null : { seconds: round(importMs / 1_000, 1), kvSeconds: null }),
    requests: ANSWERS.reduce((sum, name) => sum + count(name), 0),
    redirects: count("redirects"),
    answers: Object.fromEntries([...ANSWERS, WRONG_LOCATION].map((name) => [name, count(name)])),
    tiers: Object.fromEntries(TIERS.map((tier) => [tier, count(tookOf(tier))])),
    spreads: toSpreads(summary),
    dropped: count("dropped_iterations"),
    steadyRate: round(count(`iterations{scenario:${mainPhase}}`) / mainSeconds, 1),
    latency: latency(`http_req_duration{scenario:${mainPhase}}`),
    firstLatency: parts.plan.isCold ? latency("http_req_duration{scenario:first}") : null,
    changes: changeCount === 0 ? null : { count: changeCount, ...latency("change_in_effect_ms") },
  };
}

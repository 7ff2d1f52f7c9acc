/** Did the run hold? Arithmetic over what k6 and the database counted. Pure. */
import { CONSTANT } from "../script/counters.ts";
import type { K6Summary, MissedBar } from "./k6-summary.ts";
import type { Latency, Spreads } from "./latency.ts";

/** What the database knows of the run's clicks. */
export type StoredClicks = {
  readonly events: number;
  readonly distinctEvents: number;
  readonly rolledUp: number;
  /** Of the ledger, as the next four. */
  readonly inserted: number;
  /** Clicks that were delivered again and ignored: no fault. */
  readonly duplicates: number;
  readonly rejected: number;
  readonly deadLetters: number;
  /** Numbered at the edge and never arrived. */
  readonly missing: number;
  readonly segments: number;
  readonly isolates: number;
  /** From a segment's last click to its row. */
  readonly delayP95Ms: number;
  /** What `pnpm reconcile` would say of the whole run. */
  readonly addsUp: boolean;
};

/** `isOk` `null`: could not be judged, and counts for neither. */
type Finding = { readonly name: string; readonly isOk: boolean | null; readonly detail: string };

export type Verdict = { readonly isOk: boolean; readonly findings: readonly Finding[] };

/** Of a run in which nothing but the database knew the links: what the producer asked it, and how many answers needed it. */
type DatabaseUse = { readonly statements: number; readonly lookUps: number };

export type Counted = {
  /** 302 answers that k6 saw; without its summary, clicks that the edge numbered. */
  readonly redirects: number;
  /** `null` for a target that counts no clicks. */
  readonly stored: StoredClicks | null;
  /** `null` where KV knew links too. */
  readonly database: DatabaseUse | null;
  /** Of all visits and by tier, the constant Worker's among them; `null` where it was not visited in turn. */
  readonly tail: { readonly latency: Latency; readonly spreads: Spreads } | null;
};

/** @param summary `null`: k6 left none here. */
export function judgeRun(summary: Bars | null, { redirects, stored, database, tail }: Counted): Verdict {
  const findings = [
    summary === null ? unjudged(ANSWERS) : judgeAnswers(summary, redirects),
    summary === null ? unjudged(BARS) : judgeBars(summary),
    ...judgeDatabase(database),
    ...judgeTail(tail),
    ...judgeCounts({ redirects, by: summary === null ? "clicks numbered at the edge" : "redirects" }, stored),
  ];
  return { isOk: findings.every(({ isOk }) => isOk !== false), findings };
}

const ANSWERS = "Every answer right";
const BARS = "Rate and answer times";

function unjudged(name: string): Finding {
  return { name, isOk: null, detail: "not judged: only k6's summary says" };
}

/** Each of them answered a visitor; what an isolate lost after its last segment or report is not among them. */
export function countNumbered({ inserted, rejected, missing }: StoredClicks): number {
  return inserted + rejected + missing;
}

/** Cold look-ups go to the database in groups: one statement asks for ten links or more. */
const MIN_LOOK_UPS_A_STATEMENT = 10;

function judgeDatabase(database: DatabaseUse | null): readonly Finding[] {
  if (database === null) {
    return [];
  }
  const { statements, lookUps } = database;
  return [
    {
      name: "Look-ups in groups",
      isOk: lookUps >= statements * MIN_LOOK_UPS_A_STATEMENT,
      detail: `${count(statements)} statements for ${count(lookUps)} look-ups; at most one for ${MIN_LOOK_UPS_A_STATEMENT}`,
    },
  ];
}

/** Of the constant Worker's, in the same workerd and the same minutes. */
const MAX_P99_RATIO = 1.5;
const MAX_P999_RATIO = 2;
/** Of what the isolate or KV held. */
const MAX_WARM_MS = 250;

function judgeTail(tail: Counted["tail"]): readonly Finding[] {
  if (tail === null) {
    return [];
  }
  const { latency, spreads } = tail;
  const constant = spreads[CONSTANT];
  const of = (ours: number, theirs: number | undefined, bar: number) => {
    // A figure that is missing misses its bar.
    const ratio = ours / (theirs ?? Number.NaN);
    return {
      isOk: ratio <= bar,
      text: `${ours} of ${theirs ?? "no"} ms: ${ratio.toFixed(2)}x, at most ${bar}x`,
    };
  };
  const p99 = of(latency.p99Ms, constant?.p99Ms, MAX_P99_RATIO);
  const p999 = of(latency.p999Ms, constant?.p999Ms, MAX_P999_RATIO);
  const warm = Object.entries(spreads).filter(([tier]) => tier !== CONSTANT && tier !== "db");
  const worstMs = warm.length === 0 ? Number.NaN : Math.max(...warm.map(([, { maxMs }]) => maxMs));
  const hasStoodStill = constant !== undefined && constant.maxMs > MAX_WARM_MS;
  return [
    {
      name: "Tail of the constant's",
      isOk: p99.isOk && p999.isOk,
      detail: `p99 ${p99.text}; p99.9 ${p999.text}`,
    },
    {
      name: "Warm answers",
      // Where the constant Worker waited as long, the process stood still, and what a visitor of ours waited says nothing.
      isOk: worstMs > MAX_WARM_MS && hasStoodStill ? null : worstMs <= MAX_WARM_MS,
      detail: `worst ${worstMs} ms, at most ${MAX_WARM_MS}${hasStoodStill ? `; the constant Worker's ${constant?.maxMs}` : ""}`,
    },
  ];
}

type Bars = Pick<K6Summary, "missedBars" | "failedChecks">;

/** The bar on checks says the same as the checks that failed. */
const CHECKS = "checks";

/** A run in which nothing was redirected proves nothing. */
function judgeAnswers({ failedChecks, missedBars }: Bars, redirects: number): Finding {
  const hasPassed = failedChecks.length === 0 && missedBars.every(({ metric }) => metric !== CHECKS);
  const failures = failedChecks.map(({ name, fails }) => `"${name}" failed ${count(fails)} times`);
  if (hasPassed && redirects === 0) {
    failures.push("nothing was redirected");
  }
  return {
    name: ANSWERS,
    isOk: hasPassed && redirects > 0,
    detail: failures.length === 0 ? "every status and Location as expected" : failures.join(", "),
  };
}

function judgeBars({ missedBars }: Bars): Finding {
  const missed = missedBars.filter(({ metric }) => metric !== CHECKS);
  return {
    name: BARS,
    isOk: missed.length === 0,
    detail: missed.length === 0 ? "all of k6's bars met" : missed.map(describeBar).join(", "),
  };
}

const METRIC_NAMES: { readonly [metric: string]: string } = {
  iterations: "requests sent",
  http_req_duration: "answer times in ms",
  change_in_effect_ms: "ms until a change was in effect",
};

/** `requests sent in "steady": 4,410, not count>=4455`. */
function describeBar({ metric, bar, actual }: MissedBar): string {
  const [, name = metric, scenario] = /^(\w+)(?:\{scenario:(\w+)\})?$/.exec(metric) ?? [];
  const place = scenario === undefined ? "" : ` in "${scenario}"`;
  const value = actual === null ? "" : `${count(Math.round(actual))}, `;
  return `${METRIC_NAMES[name] ?? name}${place}: ${value}not ${bar}`;
}

function judgeCounts(
  { redirects, by }: { readonly redirects: number; readonly by: string },
  stored: StoredClicks | null,
): readonly Finding[] {
  if (stored === null) {
    return [];
  }
  const counted = [
    ["events", stored.events],
    ["distinct events", stored.distinctEvents],
    ["rollup total", stored.rolledUp],
    ["ledger", stored.inserted],
  ] as const;
  const wrong = counted.filter(([, value]) => value !== redirects);
  const lost = stored.missing + stored.rejected + stored.deadLetters;
  return [
    {
      name: "Every click counted once",
      isOk: redirects > 0 && wrong.length === 0,
      detail:
        wrong.length === 0
          ? `${count(redirects)} ${by} = events = distinct events = rollups = ledger`
          : `${count(redirects)} ${by}, but ${wrong.map(([name, value]) => `${name} ${difference(value, redirects)}`).join(", ")}`,
    },
    {
      name: "Reconciled, nothing lost",
      isOk: lost === 0 && stored.addsUp,
      detail: `reconcile ${stored.addsUp ? "adds up" : "does not add up"}: ${count(stored.missing)} missing, ${count(stored.rejected)} rejected, ${count(stored.deadLetters)} dead letters`,
    },
  ];
}

function difference(value: number, expected: number): string {
  return `${count(value)} (${value > expected ? "+" : "−"}${count(Math.abs(value - expected))})`;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}

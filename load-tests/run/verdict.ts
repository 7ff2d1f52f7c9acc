/** Did the run hold? Arithmetic over what k6 and the database counted. Pure. */
import type { K6Summary } from "./k6-summary.ts";

/** What the database knows of the run's clicks. */
export type StoredClicks = {
  readonly events: number;
  readonly distinctEvents: number;
  readonly rolledUp: number;
  /** Of the ledger, as the next four. */
  readonly inserted: number;
  /** Clicks that arrived again and were passed over: no fault. */
  readonly duplicates: number;
  readonly rejected: number;
  readonly deadLetters: number;
  /** Numbered at the edge and never arrived. */
  readonly missing: number;
  readonly segments: number;
  readonly isolates: number;
};

export type Finding = { readonly name: string; readonly isOk: boolean; readonly detail: string };

export type Verdict = { readonly isOk: boolean; readonly findings: readonly Finding[] };

/** `stored` is null for a target that counts no clicks; `redirects` is the number of 302 answers that k6 saw. */
export function judgeRun(
  summary: Pick<K6Summary, "missedBars" | "failedChecks">,
  redirects: number,
  stored: StoredClicks | null,
): Verdict {
  const findings = [judgeAnswers(summary), judgeBars(summary), ...judgeCounts(redirects, stored)];
  return { isOk: findings.every(({ isOk }) => isOk), findings };
}

function judgeAnswers({ failedChecks }: Pick<K6Summary, "failedChecks">): Finding {
  return {
    name: "Every answer right",
    isOk: failedChecks.length === 0,
    detail:
      failedChecks.length === 0
        ? "status and Location, to the letter"
        : failedChecks.map(({ name, fails }) => `"${name}" failed ${count(fails)} times`).join(", "),
  };
}

function judgeBars({ missedBars }: Pick<K6Summary, "missedBars">): Finding {
  return {
    name: "At the rate asked for",
    isOk: missedBars.length === 0,
    detail: missedBars.length === 0 ? "all of k6's bars met" : `missed ${missedBars.join(", ")}`,
  };
}

function judgeCounts(redirects: number, stored: StoredClicks | null): readonly Finding[] {
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
          ? `${count(redirects)} redirects = events = distinct events = rollups = ledger`
          : `${count(redirects)} redirects, but ${wrong.map(([name, value]) => `${name} ${difference(value, redirects)}`).join(", ")}`,
    },
    {
      name: "Nothing on the way",
      isOk: lost === 0,
      detail: `${count(stored.missing)} missing, ${count(stored.rejected)} rejected, ${count(stored.deadLetters)} dead letters`,
    },
  ];
}

function difference(value: number, expected: number): string {
  return `${count(value)} (${value > expected ? "+" : "−"}${count(Math.abs(value - expected))})`;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}

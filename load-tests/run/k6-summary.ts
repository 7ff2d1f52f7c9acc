/** Reads the file of k6's `--summary-export`. Pure. */

type Metric = { readonly [statistic: string]: number };

/** A threshold that was missed, `p(95)<500` on a metric, and the metric's value where k6 gives it. */
export type MissedBar = { readonly metric: string; readonly bar: string; readonly actual: number | null };

export type K6Summary = {
  /** By name, `http_req_duration{scenario:steady}` for a part of one. */
  readonly metrics: { readonly [name: string]: Metric };
  readonly missedBars: readonly MissedBar[];
  /** Names of the checks with how often each failed; those that always held are left out. */
  readonly failedChecks: readonly { readonly name: string; readonly fails: number }[];
};

/** As k6 writes it; `thresholds` are true where they were missed. */
type Exported = {
  readonly metrics: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly root_group: { readonly checks?: Readonly<Record<string, { readonly fails: number }>> };
};

/** Throws where the text is no summary: k6 wrote it, and we started that k6. */
export function decodeSummary(text: string): K6Summary {
  const { metrics: exported, root_group: root } = JSON.parse(text) as Exported;
  const metrics: Record<string, Metric> = {};
  const missedBars: MissedBar[] = [];
  for (const [metric, { thresholds, ...fields }] of Object.entries(exported)) {
    const statistics = Object.fromEntries(
      Object.entries(fields).filter((field): field is [string, number] => typeof field[1] === "number"),
    );
    metrics[metric] = statistics;
    for (const [bar, isMissed] of Object.entries(thresholds ?? {})) {
      if (isMissed === true) {
        const statistic = /^[a-z]+(\([\d.]+\))?/.exec(bar)?.[0] ?? "";
        missedBars.push({ metric, bar, actual: statistics[statistic] ?? null });
      }
    }
  }
  const failedChecks = Object.entries(root.checks ?? {}).flatMap(([name, { fails }]) =>
    fails > 0 ? [{ name, fails }] : [],
  );
  return { metrics, missedBars, failedChecks };
}

/** A statistic of a metric; 0 where k6 never saw it, as for a counter that nothing was added to. */
export function statisticOf({ metrics }: K6Summary, metric: string, statistic: string): number {
  return metrics[metric]?.[statistic] ?? 0;
}

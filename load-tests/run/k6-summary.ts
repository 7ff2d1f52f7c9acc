/** Reads the file of k6's `--summary-export`. Pure. */

type Metric = { readonly [statistic: string]: number };

/** A threshold that was missed, `p(95)<500` on a metric, and where the metric stood where k6 says so. */
export type MissedBar = { readonly metric: string; readonly bar: string; readonly actual: number | null };

export type K6Summary = {
  /** By name, `http_req_duration{scenario:steady}` for a part of one. */
  readonly metrics: { readonly [name: string]: Metric };
  readonly missedBars: readonly MissedBar[];
  /** Names of the checks with how often each failed; those that always held are not here. */
  readonly failedChecks: readonly { readonly name: string; readonly fails: number }[];
};

/** Throws where the text is no summary: k6 wrote it, and we started that k6. */
export function decodeSummary(text: string): K6Summary {
  const summary = toFields(JSON.parse(text));
  const metrics: Record<string, Metric> = {};
  const missedBars: MissedBar[] = [];
  for (const [name, value] of Object.entries(toFields(summary["metrics"]))) {
    const fields = toFields(value);
    metrics[name] = Object.fromEntries(
      Object.entries(fields).filter((field): field is [string, number] => typeof field[1] === "number"),
    );
    for (const [bar, isMissed] of Object.entries(toFields(fields["thresholds"]))) {
      if (isMissed === true) {
        const statistic = /^[a-z]+(\(\d+\))?/.exec(bar)?.[0] ?? "";
        missedBars.push({ metric: name, bar, actual: metrics[name]?.[statistic] ?? null });
      }
    }
  }
  return { metrics, missedBars, failedChecks: listFailedChecks(toFields(summary["root_group"])) };
}

/** A statistic of a metric; 0 where k6 never saw it, as for a counter that nothing was added to. */
export function statisticOf({ metrics }: K6Summary, metric: string, statistic: string): number {
  return metrics[metric]?.[statistic] ?? 0;
}

function listFailedChecks(rootGroup: Fields): K6Summary["failedChecks"] {
  return Object.entries(toFields(rootGroup["checks"])).flatMap(([name, value]) => {
    const { fails } = toFields(value);
    return typeof fails === "number" && fails > 0 ? [{ name, fails }] : [];
  });
}

type Fields = { readonly [field: string]: unknown };

function toFields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

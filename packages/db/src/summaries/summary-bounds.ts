/** Which periods get summaries: for the job that makes them, and for the metric that says how far behind it is. */

/** An hour or a day with fewer clicks is counted from its events fast enough. */
export const MIN_PERIOD_CLICKS = 1_000;

/** Every minute the job looks at the last days, where clicks still come in; every hour at everything. */
export const RECENT_MS = 3 * 86_400_000;

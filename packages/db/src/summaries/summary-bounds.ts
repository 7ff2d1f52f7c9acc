/** Which periods are worth summaries: for the job that makes them, and for the metric that says how far behind it is. */

/** Fewer clicks than this in an hour or a day are counted from the events in no time. */
export const MIN_PERIOD_CLICKS = 1_000;

/** Every minute the last days, where clicks still come in; once an hour all there is. */
export const RECENT_MS = 3 * 86_400_000;

/** The summarised periods that analytics would use: they were made of as many clicks as the rollups have now. */

/** Condition on a row of `summary_periods AS period`. */
export const HAS_ALL_CLICKS = `period.clicks = (SELECT COALESCE(sum(rollup.clicks), 0) FROM workspace_rollups AS rollup
        WHERE rollup.workspace_id = period.workspace_id
          AND rollup.bucket_start >= period.period_start AND rollup.bucket_start < period.period_end)`;

/**
 * SELECT of (workspace_id, period_start, period_end) of `summary_periods AS period`: those inside the range from `$1` to
 * `$2` (epoch milliseconds) that analytics would use. Ends with its WHERE clause, so that a condition can be added.
 */
export const USED_PERIODS: string = `SELECT workspace_id, period_start, period_end FROM summary_periods AS period
    WHERE period_start >= to_timestamp($1::float8 / 1000.0) AND period_end <= to_timestamp($2::float8 / 1000.0)
      AND ${HAS_ALL_CLICKS}`;

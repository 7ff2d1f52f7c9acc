/**
 * Adds up the summaries of seven days to summaries of the week (migrations/0017), in one transaction with one snapshot.
 * Reads no events, so it works after retention removed them.
 */
import type { RunTransaction } from "../neon-client.ts";
import { ROLLED_DIMENSIONS } from "./rolled-dimensions.ts";
import { SUMMARY_SETTINGS } from "./summarise-period.ts";

export type SummaryWeek = {
  readonly workspaceId: string;
  /** Epoch milliseconds; a multiple of `WEEK_MS`. */
  readonly fromMs: number;
};

export const WEEK_MS = 604_800_000;

const START = "to_timestamp($2::float8 / 1000.0)";
const END = `(${START} + interval '168 hours')`;
const PERIOD = `workspace_id = $1::uuid AND period_start >= ${START} AND period_start < ${END}`;

const TABLES = ["summary_weeks", "dimension_weeks", "link_weeks", "scope_weeks"];

/** NULL clicks, and so an error and a rollback, unless there are seven days. */
const SEAL = `
  INSERT INTO summary_weeks (workspace_id, week_start, clicks)
  SELECT $1::uuid, ${START}, CASE WHEN count(*) = 7 THEN sum(clicks) END
  FROM summary_periods WHERE ${PERIOD} AND period_end = period_start + interval '24 hours'`;

// The dimensions by name, because the index has them before the time.
const DIMENSIONS = `
  INSERT INTO dimension_weeks (workspace_id, dimension, week_start, class, domain_id, value, clicks)
  WITH folded AS MATERIALIZED (
    SELECT dimension, class, domain_id, value, sum(clicks) AS clicks
    FROM dimension_summaries WHERE ${PERIOD} AND dimension = ANY('{${ROLLED_DIMENSIONS.join(", ")}}')
    GROUP BY 1, 2, 3, 4
  )
  SELECT $1::uuid, dimension, ${START}, class, domain_id, value, clicks FROM folded ORDER BY dimension, class`;

const LINKS = `
  INSERT INTO link_weeks (workspace_id, week_start, class, link_id, domain_id, clicks)
  WITH folded AS MATERIALIZED (
    SELECT class, link_id, domain_id, sum(clicks) AS clicks FROM link_summaries WHERE ${PERIOD} GROUP BY 1, 2, 3
  )
  SELECT $1::uuid, ${START}, class, link_id, domain_id, clicks FROM folded ORDER BY class, link_id`;

const SCOPES = `
  INSERT INTO scope_weeks
    (workspace_id, scope, scope_value, dimension, week_start, class, domain_id, member_values, member_clicks)
  WITH whole AS MATERIALIZED (
    SELECT scope, scope_value, dimension FROM scope_summaries WHERE ${PERIOD}
    GROUP BY 1, 2, 3 HAVING count(DISTINCT period_start) = 7
  )
  SELECT $1::uuid, scope, scope_value, dimension, ${START}, class, domain_id, array_agg(member), array_agg(clicks)
  FROM (
    SELECT scope, scope_value, dimension, class, domain_id, member COLLATE "C" AS member,
      sum(day_clicks)::bigint AS clicks
    FROM scope_summaries JOIN whole USING (scope, scope_value, dimension)
    CROSS JOIN LATERAL unnest(member_values, member_clicks) AS part (member, day_clicks)
    WHERE ${PERIOD}
    GROUP BY 1, 2, 3, 4, 5, 6
  ) AS members
  GROUP BY scope, scope_value, dimension, class, domain_id`;

export type SummariseWeekOptions = { readonly timeoutMs: number };

/**
 * Makes the week's summaries and replaces those it has. Rejects as `RunSql` does, with nothing changed: with SQLSTATE
 * 23502 unless all seven days are summarised as days.
 */
export async function summariseWeek(
  runTransaction: RunTransaction,
  { workspaceId, fromMs }: SummaryWeek,
  { timeoutMs }: SummariseWeekOptions,
): Promise<void> {
  const parameters = [workspaceId, fromMs];
  await runTransaction(
    [
      ...SUMMARY_SETTINGS.map((text) => ({ text, parameters: [] })),
      ...TABLES.map((table) => ({
        text: `DELETE FROM ${table} WHERE workspace_id = $1::uuid AND week_start = ${START}`,
        parameters,
      })),
      ...[SEAL, DIMENSIONS, LINKS, SCOPES].map((text) => ({ text, parameters })),
    ],
    timeoutMs,
  );
}

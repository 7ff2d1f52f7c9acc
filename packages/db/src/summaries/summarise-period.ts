/**
 * Pre-aggregates the clicks of one workspace and period (migrations/0014, 0016, 0018) in one transaction with one
 * snapshot, so that the rows agree with the number of clicks they were made of. Periods of a workspace never overlap.
 */
import { insertTagMemberships, insertTagPeriods, insertTagSummaries } from "./insert-tag-summaries.ts";
import { insertVisitorSummaries } from "./insert-visitor-summaries.ts";
import type { RunTransaction, SqlStatement } from "../neon-client.ts";
import { quarterOf } from "./quarter-of.ts";
import { FEW_VALUED_SCOPES, ROLLED_DIMENSIONS, SUMMARY_SCOPES } from "./rolled-dimensions.ts";

export type SummaryPeriod = {
  readonly workspaceId: string;
  /** Epoch milliseconds; a whole UTC hour or day. */
  readonly fromMs: number;
  readonly toMs: number;
};

const DAY_MS = 86_400_000;

export type SummariseOptions = {
  readonly timeoutMs: number;
  /** The inside of a link, country and so on with fewer clicks in a day is counted from its events. */
  readonly minScopeClicks?: number;
  /** On a day with that many clicks every value of FEW_VALUED_SCOPES has rows, so that no question scans all events. */
  readonly minBusyDayClicks?: number;
  /** Visitors of a link with fewer clicks in a day are counted from its events. */
  readonly minVisitorClicks?: number;
  /** A tag whose links have fewer clicks in a day is counted link by link. */
  readonly minTagClicks?: number;
};

/** Ninety days of a link just below it are 45,000 events, read by an index. */
const MIN_SCOPE_CLICKS = 500;
const MIN_BUSY_DAY_CLICKS = 20_000;
/** Ninety days of a link just below it are 9,000 events, read by an index. */
const MIN_VISITOR_CLICKS = 100;
const MIN_TAG_CLICKS = 500;

const PERIOD = `workspace_id = $1::uuid AND clicked_at >= to_timestamp($2::float8 / 1000.0)
      AND clicked_at < to_timestamp($3::float8 / 1000.0)`;
const START = "to_timestamp($2::float8 / 1000.0)";
const QUARTER = quarterOf(START);
const PARTS = ROLLED_DIMENSIONS.map((column) => `('${column}', ${column}::text)`).join(", ");

// Its own start too: an older release that removes a period leaves rows of tables it does not know.
const OVERLAPPING = `
  SELECT period_start FROM summary_periods WHERE workspace_id = $1::uuid
    AND period_start < to_timestamp($3::float8 / 1000.0) AND period_end > ${START}
  UNION SELECT ${START}`;

/**
 * The lock is taken before the snapshot, so that a transaction that waited sees what the other one made. Readers do not
 * wait. Sorting is off because the planner misjudges the number of groups over so many columns, and sorting costs
 * several times what hashing does.
 */
export const SUMMARY_SETTINGS: readonly string[] = [
  "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
  "LOCK TABLE summary_periods IN SHARE ROW EXCLUSIVE MODE",
  "SET LOCAL enable_sort = off",
  "SET LOCAL work_mem = '64MB'",
  "SET LOCAL jit = off",
];

/** Periods last: the statements for the others read them. */
const TABLES = [
  "dimension_summaries",
  "link_summaries",
  "scope_summaries",
  "visitor_summaries",
  "tag_summaries",
  "tag_periods",
  "summary_periods",
];

// MATERIALIZED: otherwise the planner sorts all events for the order of the few rows at the end.
const DIMENSIONS = `
  INSERT INTO dimension_summaries
    (workspace_id, dimension, period_start, class, domain_id, value, clicks, quarters, quarter_clicks)
  WITH quarter_counts AS MATERIALIZED (
    SELECT dimension, class, domain_id, COALESCE(value, '') COLLATE "C" AS value, quarter, count(*)::integer AS clicks
    FROM (
      SELECT *, ${QUARTER} AS quarter
      FROM click_events WHERE ${PERIOD}
    ) AS event
    CROSS JOIN LATERAL (VALUES ${PARTS}) AS part (dimension, value)
    GROUP BY 1, 2, 3, 4, 5
  )
  SELECT $1::uuid, dimension, ${START}, class, domain_id, value, sum(clicks), array_agg(quarter), array_agg(clicks)
  FROM quarter_counts
  GROUP BY dimension, class, domain_id, value
  ORDER BY dimension, class`;

const LINKS = `
  INSERT INTO link_summaries
    (workspace_id, period_start, class, link_id, domain_id, clicks, quarters, quarter_clicks)
  WITH quarter_counts AS MATERIALIZED (
    SELECT class, link_id, domain_id, ${QUARTER} AS quarter, count(*)::integer AS clicks
    FROM click_events WHERE ${PERIOD} GROUP BY 1, 2, 3, 4
  )
  SELECT $1::uuid, ${START}, class, link_id, domain_id, sum(clicks), array_agg(quarter), array_agg(clicks)
  FROM quarter_counts
  GROUP BY class, link_id, domain_id ORDER BY class, link_id`;

const MEMBERS = ["link_id", ...ROLLED_DIMENSIONS];

/**
 * What is inside of each large value of a column. GROUPING SETS take half the time of a row per member. OFFSET 0 keeps
 * PostgreSQL before 18 from merging a place with the member of the same column.
 */
function countMembers(scope: string): string {
  const isLarge = FEW_VALUED_SCOPES.some((one) => one === scope)
    ? "count(*) >= $4::bigint OR (SELECT count(*) FROM event) >= $5::bigint"
    : "count(*) >= $4::bigint";
  return `
    SELECT '${scope}' AS scope, place AS scope_value,
      CASE ${MEMBERS.map((column) => `WHEN GROUPING(${column}) = 0 THEN '${column}'`).join(" ")} END AS dimension,
      class, domain_id, COALESCE(${MEMBERS.join(", ")}) AS value, count(*)::integer AS clicks
    FROM (
      SELECT ${scope} AS place, * FROM event WHERE ${scope} IN (
        SELECT ${scope} FROM event WHERE ${scope} <> '' GROUP BY ${scope} HAVING ${isLarge}
      ) OFFSET 0
    ) AS inside
    GROUP BY GROUPING SETS (${MEMBERS.map((column) => `(place, class, domain_id, ${column})`).join(", ")})`;
}

const SCOPES = `
  INSERT INTO scope_summaries
    (workspace_id, scope, scope_value, dimension, period_start, class, domain_id, member_values, member_clicks)
  WITH event AS MATERIALIZED (
    SELECT class, domain_id, ${MEMBERS.map((column) => `COALESCE(${column}::text, '') COLLATE "C" AS ${column}`).join(", ")}
    FROM click_events WHERE ${PERIOD}
  )
  SELECT $1::uuid, scope, scope_value, dimension, ${START}, class, domain_id, array_agg(value), array_agg(clicks)
  FROM (${SUMMARY_SCOPES.map(countMembers).join(" UNION ALL ")}) AS members
  GROUP BY scope, scope_value, dimension, class, domain_id`;

const VISITORS = insertVisitorSummaries({ period: PERIOD, start: START, quarter: QUARTER });
const TAGS = insertTagSummaries({ period: PERIOD, start: START });

/**
 * Adds to the rollups what a consumer of an older release, which did not know workspace_rollups, wrote as events only.
 * Never subtracts: after retention the rollups have counted more than there are events.
 */
const MEND = `
  INSERT INTO workspace_rollups AS rollup (workspace_id, bucket_start, domain_id, class, clicks)
  SELECT $1::uuid, event.bucket_start, event.domain_id, event.class, event.clicks - COALESCE(known.clicks, 0)
  FROM (
    SELECT date_bin('15 minutes', clicked_at, 'epoch') AS bucket_start, domain_id, class, count(*) AS clicks
    FROM click_events WHERE ${PERIOD} GROUP BY 1, 2, 3
  ) AS event
  LEFT JOIN workspace_rollups AS known ON known.workspace_id = $1::uuid AND known.bucket_start = event.bucket_start
    AND known.domain_id = event.domain_id AND known.class = event.class
  WHERE event.clicks > COALESCE(known.clicks, 0)
  ON CONFLICT (workspace_id, bucket_start, domain_id, class) DO UPDATE SET clicks = rollup.clicks + excluded.clicks`;

/** NULL clicks, and so an error and a rollback, if the events do not match the rollups. */
const SEAL = `
  INSERT INTO summary_periods (workspace_id, period_start, period_end, with_tags, clicks)
  SELECT $1::uuid, ${START}, to_timestamp($3::float8 / 1000.0), $3::float8 - $2::float8 = ${DAY_MS},
    CASE WHEN count(*) = (
      SELECT sum(clicks) FROM workspace_rollups WHERE workspace_id = $1::uuid AND bucket_start >= ${START}
        AND bucket_start < to_timestamp($3::float8 / 1000.0)
    ) THEN count(*) END
  FROM click_events WHERE ${PERIOD}`;

/**
 * Makes the period's summaries and replaces all that overlap it. Rejects as `RunSql` does, with nothing changed: with
 * SQLSTATE 23502 if events that the rollups counted are gone, 40001 if a late click came in meanwhile.
 */
export async function summarisePeriod(
  runTransaction: RunTransaction,
  { workspaceId, fromMs, toMs }: SummaryPeriod,
  options: SummariseOptions,
): Promise<void> {
  const period = [workspaceId, fromMs, toMs];
  const { timeoutMs, minScopeClicks = MIN_SCOPE_CLICKS, minVisitorClicks = MIN_VISITOR_CLICKS } = options;
  const { minTagClicks = MIN_TAG_CLICKS, minBusyDayClicks = MIN_BUSY_DAY_CLICKS } = options;
  const isDay = toMs - fromMs === DAY_MS;
  const ofDay = [
    { text: SCOPES, parameters: [...period, minScopeClicks, minBusyDayClicks] },
    { text: VISITORS, parameters: [...period, minVisitorClicks] },
    { text: TAGS, parameters: [...period, minTagClicks] },
    { text: insertTagMemberships(START), parameters: [workspaceId, fromMs] },
  ];
  const statements: readonly SqlStatement[] = [
    ...SUMMARY_SETTINGS.map((text) => ({ text, parameters: [] })),
    ...TABLES.map((table) => ({
      text: `DELETE FROM ${table} WHERE workspace_id = $1::uuid AND period_start IN (${OVERLAPPING})`,
      parameters: period,
    })),
    { text: MEND, parameters: period },
    { text: DIMENSIONS, parameters: period },
    { text: LINKS, parameters: period },
    ...(isDay ? ofDay : []),
    { text: SEAL, parameters: period },
    ...(isDay ? [{ text: insertTagPeriods(START), parameters: [workspaceId, fromMs] }] : []),
  ];
  await runTransaction(statements, timeoutMs);
}

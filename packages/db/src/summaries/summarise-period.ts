/**
 * Counts the clicks of one workspace and period ahead (migrations/0014, 0016, 0018): all of it in one transaction that sees one
 * moment, so that the rows and the number of clicks they were made of agree. One period at a time: no two of a workspace
 * may overlap.
 */
import { insertTagMemberships, insertTagPeriods, insertTagSummaries } from "./insert-tag-summaries.ts";
import { insertVisitorSummaries } from "./insert-visitor-summaries.ts";
import type { RunTransaction, SqlStatement } from "../neon-client.ts";
import { quarterOf } from "./quarter-of.ts";
import { FEW_VALUED_SCOPES, ROLLED_DIMENSIONS, SUMMARY_SCOPES } from "./rolled-dimensions.ts";

export type SummaryPeriod = {
  readonly workspaceId: string;
  /** Epoch milliseconds; an hour or a day, on its own multiples (UTC). */
  readonly fromMs: number;
  readonly toMs: number;
};

const DAY_MS = 86_400_000;

export type SummariseOptions = {
  readonly timeoutMs: number;
  /** What is inside a link, country and so on with fewer clicks in a day is counted from its events. */
  readonly minScopeClicks?: number;
  /** On a day with as many, every value of FEW_VALUED_SCOPES has rows: one without is looked for among all events. */
  readonly minBusyDayClicks?: number;
  /** A link with fewer clicks in a day has its visitors counted from its events. */
  readonly minVisitorClicks?: number;
  /** A tag whose links have fewer clicks in a day is counted link by link. */
  readonly minTagClicks?: number;
};

/** Ninety days of a link just below it are 45,000 events, by its own index. */
const MIN_SCOPE_CLICKS = 500;
const MIN_BUSY_DAY_CLICKS = 20_000;
/** Ninety days of a link just below it are 9,000 events, by its own index. */
const MIN_VISITOR_CLICKS = 100;
const MIN_TAG_CLICKS = 500;

const PERIOD = `workspace_id = $1::uuid AND clicked_at >= to_timestamp($2::float8 / 1000.0)
      AND clicked_at < to_timestamp($3::float8 / 1000.0)`;
const START = "to_timestamp($2::float8 / 1000.0)";
const QUARTER = quarterOf(START);
const PARTS = ROLLED_DIMENSIONS.map((column) => `('${column}', ${column}::text)`).join(", ");

// Its own start too: a release before a table leaves that table's rows where it takes a period away.
const OVERLAPPING = `
  SELECT period_start FROM summary_periods WHERE workspace_id = $1::uuid
    AND period_start < to_timestamp($3::float8 / 1000.0) AND period_end > ${START}
  UNION SELECT ${START}`;

/**
 * The lock comes before the transaction's snapshot: who waits for it sees what the other made. Readers do not wait.
 * Groups are guessed far too few or too many over so many columns, and sorting costs several times what hashing does.
 */
export const SUMMARY_SETTINGS: readonly string[] = [
  "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
  "LOCK TABLE summary_periods IN SHARE ROW EXCLUSIVE MODE",
  "SET LOCAL enable_sort = off",
  "SET LOCAL work_mem = '64MB'",
  "SET LOCAL jit = off",
];

/** The periods last: they say which rows of the others go. */
const TABLES = [
  "dimension_summaries",
  "link_summaries",
  "scope_summaries",
  "visitor_summaries",
  "tag_summaries",
  "tag_periods",
  "summary_periods",
];

// Planned apart from what is done with it: an order wanted of the few rows at the end would otherwise have all sorted.
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
 * What is inside each large value of a column. By sets: a row for each member takes twice as long. OFFSET 0, or
 * PostgreSQL before 18 takes the place and the member of the same column for one, which is in every set.
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
 * Adds what a consumer of a release before workspace_rollups wrote to the events alone. Never takes away: where
 * retention has removed events the rollups know more than they do.
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

/** No number of clicks (and so an error, and nothing changed) where the events are not what the rollups say. */
const SEAL = `
  INSERT INTO summary_periods (workspace_id, period_start, period_end, with_tags, clicks)
  SELECT $1::uuid, ${START}, to_timestamp($3::float8 / 1000.0), $3::float8 - $2::float8 = ${DAY_MS},
    CASE WHEN count(*) = (
      SELECT sum(clicks) FROM workspace_rollups WHERE workspace_id = $1::uuid AND bucket_start >= ${START}
        AND bucket_start < to_timestamp($3::float8 / 1000.0)
    ) THEN count(*) END
  FROM click_events WHERE ${PERIOD}`;

/**
 * Makes the period's summaries, in place of all that overlap it. Rejects as `RunSql` does, with nothing changed: with
 * SQLSTATE 23502 where events are gone that the rollups know of, 40001 where a click came late in the same moment.
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

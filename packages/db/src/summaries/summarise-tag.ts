/**
 * Pre-aggregates days of one tag for its present links (migrations/0018): days that were made before the tag existed, and
 * days on which links that it gained or lost since had many clicks. One transaction with one snapshot.
 */
import type { RunTransaction, SqlStatement } from "../neon-client.ts";
import { PICK_DAYS } from "./pick-tag-days.ts";
import { SUMMARY_SETTINGS } from "./summarise-period.ts";
import { beginGenerations } from "./tag-generations.ts";
import { insertFolded, toTagMembers } from "./tag-members.ts";

export type WorkspaceTag = { readonly workspaceId: string; readonly tag: string };

export type SummariseTagOptions = {
  readonly timeoutMs: number;
  /** A day on which the tag's links had fewer clicks is counted link by link. */
  readonly minTagClicks?: number;
  /** A day is not made again for links that had fewer clicks together. At least 1. */
  readonly minDifference?: number;
  /** Clicks of the days made in one transaction. One day is made even if it has more. */
  readonly maxClicks?: number;
};

const MIN_TAG_CLICKS = 500;
/** An index finds that many quickly, on each of ninety days. */
const MIN_DIFFERENCE = 100;
const MAX_CLICKS = 500_000;

const IS_TAG = "workspace_id = $1::uuid AND tag = $2::text";

const MEMBERSHIPS = beginGenerations({ isWanted: IS_TAG, hasWanted: "tags @> ARRAY[$2::text]" });

const DELETE_DAYS = `
  DELETE FROM tag_summaries WHERE ${IS_TAG}
    AND period_start IN (SELECT period_start FROM tag_periods WHERE ${IS_TAG} AND clicks < 0)`;

// Day by day, because the events of a day are stored next to each other.
const DAYS = insertFolded(
  `part AS MATERIALIZED (
    SELECT DISTINCT period_start, link_id AS of_link
    FROM tag_periods AS picked JOIN tag_memberships USING (workspace_id, tag)
    JOIN link_summaries USING (workspace_id, period_start, link_id)
    WHERE ${IS_TAG} AND picked.clicks < 0 AND to_generation IS NULL
    ORDER BY period_start
  ), event AS MATERIALIZED (
    SELECT period_start, class, domain_id, ${toTagMembers("period_start")}
    FROM part CROSS JOIN LATERAL (
      SELECT * FROM click_events WHERE workspace_id = $1::uuid AND link_id = of_link
        AND clicked_at >= period_start AND clicked_at < period_start + interval '24 hours' OFFSET 0
    ) AS click
  )`,
  { by: "period_start", tag: "$2::text", start: "period_start" },
);

const COUNTED = `
  UPDATE tag_generations SET counted_generation = generation
  WHERE ${IS_TAG} AND NOT EXISTS (SELECT FROM tag_periods WHERE ${IS_TAG} AND clicks < 0)`;

/** NULL clicks, and so an error and a rollback, if retention removed events meanwhile. */
const SEAL = `
  UPDATE tag_periods AS made SET clicks = CASE WHEN -1 - made.clicks = (
      SELECT COALESCE(sum(part), 0) FROM tag_summaries CROSS JOIN LATERAL unnest(member_clicks) AS part
      WHERE ${IS_TAG} AND dimension = 'quarter' AND period_start = made.period_start
    ) THEN period.clicks END
  FROM summary_periods AS period
  WHERE made.workspace_id = $1::uuid AND made.tag = $2::text AND made.clicks < 0
    AND period.workspace_id = made.workspace_id AND period.period_start = made.period_start`;

/**
 * Makes the newest of the days that need it. Resolves to true if there were none: all days are made. Rejects as `RunSql`
 * does, with nothing changed: with SQLSTATE 23502 if events are gone that the summaries counted.
 */
export async function summariseTag(
  runTransaction: RunTransaction,
  { workspaceId, tag }: WorkspaceTag,
  options: SummariseTagOptions,
): Promise<boolean> {
  const { timeoutMs, maxClicks = MAX_CLICKS } = options;
  const { minTagClicks = MIN_TAG_CLICKS, minDifference = MIN_DIFFERENCE } = options;
  const ofTag = [workspaceId, tag];
  const before: readonly SqlStatement[] = [
    ...SUMMARY_SETTINGS.map((text) => ({ text, parameters: [] })),
    { text: MEMBERSHIPS, parameters: ofTag },
  ];
  const pick = { text: PICK_DAYS, parameters: [...ofTag, minTagClicks, minDifference, maxClicks] };
  const after = [DELETE_DAYS, DAYS, COUNTED, SEAL].map((text) => ({ text, parameters: ofTag }));
  const results = await runTransaction([...before, pick, ...after], timeoutMs);
  return results[before.length]?.length === 0;
}

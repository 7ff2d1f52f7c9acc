/** The statement that picks the days of a tag to make next, for its present links (migrations/0018). */
import { HAS_ALL_CLICKS } from "./used-periods.ts";

/**
 * Writes each day into tag_periods, and returns it, with clicks = -1 - the clicks its links had that day. `$1`: workspace;
 * `$2`: tag. `$3`: clicks the tag must have on a day without rows; `$4`: clicks the added and removed links must have on a
 * day with rows. `$5`: maximum clicks of all picked days; the first day is picked even if it has more.
 */
export const PICK_DAYS: string = `
  INSERT INTO tag_periods (workspace_id, tag, period_start, clicks, generation)
  WITH member AS MATERIALIZED (
    SELECT link_id, range_agg(int4range(from_generation, to_generation)) AS generations
    FROM tag_memberships WHERE workspace_id = $1::uuid AND tag = $2::text GROUP BY link_id
  ), day AS MATERIALIZED (
    SELECT period_start, made.generation
    FROM summary_periods LEFT JOIN (SELECT * FROM tag_periods WHERE tag = $2::text) AS made
      USING (workspace_id, period_start, clicks)
    WHERE workspace_id = $1::uuid AND with_tags
      AND NOT EXISTS (SELECT FROM event_retention WHERE kept_from > period_start)
  ), wanted AS MATERIALIZED (
    SELECT period_start, COALESCE(sum(clicks) FILTER (WHERE upper_inf(generations)), 0) AS clicks
    FROM day JOIN link_summaries USING (period_start) JOIN member USING (link_id)
    WHERE workspace_id = $1::uuid
    GROUP BY period_start, generation
    HAVING CASE WHEN generation IS NULL THEN sum(clicks) FILTER (WHERE upper_inf(generations)) >= $3::bigint
      ELSE sum(clicks) FILTER (WHERE upper_inf(generations) <> (generations @> generation)) >= $4::bigint END
  ), usable AS (
    SELECT period_start, wanted.clicks, sum(wanted.clicks) OVER (ORDER BY period_start DESC) AS with_newer
    FROM wanted JOIN summary_periods AS period USING (period_start)
    WHERE workspace_id = $1::uuid AND ${HAS_ALL_CLICKS}
  )
  SELECT $1::uuid, $2::text, period_start, -1 - clicks,
    (SELECT generation FROM tag_generations WHERE workspace_id = $1::uuid AND tag = $2::text)
  FROM usable WHERE with_newer <= $5::bigint OR with_newer = clicks
  ON CONFLICT (workspace_id, tag, period_start) DO UPDATE
    SET clicks = excluded.clicks, generation = excluded.generation
  RETURNING period_start`;

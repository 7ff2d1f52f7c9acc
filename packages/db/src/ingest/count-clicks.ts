/**
 * What every statement that counts clicks writes with them: parts of a WITH that read `fresh` (link_id, bucket_start, class, workspace_id,
 * domain_id, clicks, hashes, last_clicked_at) and `via` (link_id, slug, clicked_at), and have these names: rolled_up, workspace_rolled_up,
 * totalled, aliased, capped_links, capped. Each waits for the one before and locks its rows by key, so that any number of statements for one hot link never deadlock.
 */
import { quarterOf } from "../ledger/ledger-accounts.ts";
import { type Sql, sql } from "../sql.ts";
import { CLICK_COLUMNS, type ClickField, type ClickRow } from "./click-row.ts";
import { type Arrays, COMMA, toArrays, toColumns, unnest } from "./columns.ts";

/** The SQLSTATE of `must_count_in`: clicks are counted elsewhere now (migrations/0003_clicks.sql). */
export const WRONG_MODE = "HL001";

export type CountingMode = "postgres" | "clickhouse";

/** One row, before anything is read: a change of the mode waits for this statement, and this one for a change. */
export const mustCountIn = (mode: CountingMode): Sql =>
  sql`(SELECT must_count_in(${mode}::text) OFFSET 0) AS counting`;

/**
 * The link of clicks whose link has no row any more: late ones, and those that were removed. A row of a count either has an owner or is
 * of this link.
 */
export const NO_LINK: Sql = sql`'00000000-0000-0000-0000-000000000000'::uuid`;

const STORED_COLUMNS = CLICK_COLUMNS.filter(({ field }) => field !== "clickedAtMs").map(({ name }) => name);
const STORED = sql.join(STORED_COLUMNS, COMMA);
const STORED_VALUES = sql.join(
  CLICK_COLUMNS.filter(({ field }) => field !== "clickedAtMs").map(({ name, field }) =>
    field === "linkId" ? sql`COALESCE(links.id, ${NO_LINK})` : sql`click.${name}`,
  ),
  COMMA,
);

/** @param isWanted whether the row `click` is written. */
export const insertEvents = (clicks: Arrays<ClickField>, isWanted: Sql, onConflict: Sql): Sql => sql`
    INSERT INTO click_events (clicked_at, workspace_id, domain_id, ${STORED})
    SELECT to_timestamp(click.clicked_at_ms / 1000.0), links.workspace_id, links.domain_id, ${STORED_VALUES}
    FROM ${unnest("click", CLICK_COLUMNS, clicks)}
    LEFT JOIN links ON links.id = click.link_id
    WHERE ${isWanted}
    ORDER BY click.clicked_at_ms, click.event_id
    ${onConflict}
    RETURNING event_id, clicked_at, link_id, workspace_id, domain_id, class`;

/** For another rollup add another part like this one, and name it in both statements after this one. */
export const ROLLUPS: Sql = sql`
    INSERT INTO click_rollups AS rollup (link_id, bucket_start, class, workspace_id, domain_id, clicks, hashes)
    SELECT link_id, bucket_start, class, workspace_id, domain_id, clicks, hashes
    FROM fresh
    ORDER BY 1, 2, 3
    ON CONFLICT (link_id, bucket_start, class) DO UPDATE SET
      clicks = rollup.clicks + excluded.clicks, hashes = rollup.hashes + excluded.hashes
    RETURNING 1`;

// Counting the part before makes this one wait for it, so that every statement locks rows in the same order.
export const WORKSPACE_ROLLUPS: Sql = sql`
    INSERT INTO workspace_rollups AS rollup (workspace_id, bucket_start, domain_id, class, clicks, hashes)
    SELECT workspace_id, bucket_start, domain_id, class, sum(clicks), sum(hashes)
    FROM fresh
    WHERE workspace_id IS NOT NULL AND (SELECT count(*) FROM rolled_up) >= 0
    GROUP BY 1, 2, 3, 4
    ORDER BY 1, 2, 3, 4
    ON CONFLICT (workspace_id, bucket_start, domain_id, class) DO UPDATE SET
      clicks = rollup.clicks + excluded.clicks, hashes = rollup.hashes + excluded.hashes
    RETURNING workspace_id, date_bin('24 hours', bucket_start, 'epoch') AS day, clicks`;

export const LINK_TOTALS: Sql = sql`
    INSERT INTO link_totals AS kept (link_id, human, total, last_clicked_at)
    SELECT link_id, COALESCE(sum(clicks) FILTER (WHERE class = 'human'), 0), sum(clicks), max(last_clicked_at)
    FROM fresh
    WHERE workspace_id IS NOT NULL AND (SELECT count(*) FROM workspace_rolled_up) >= 0
    GROUP BY 1
    ORDER BY 1
    ON CONFLICT (link_id) DO UPDATE SET
      human = kept.human + excluded.human,
      total = kept.total + excluded.total,
      last_clicked_at = GREATEST(kept.last_clicked_at, excluded.last_clicked_at)
    RETURNING 1`;

/** People who came through a former slug of a link. */
const ALIAS_COLUMNS = toColumns({
  eventId: "uuid",
  segment: "integer",
  linkId: "uuid",
  slug: "text",
  clickedAtMs: "float8",
} as const);

/** For FROM: `aliased_click`, with the index of its segment. Of most batches none. */
export function aliasedClicks(rows: readonly ClickRow[], segmentOfRow: readonly number[]): Sql {
  const aliased = rows.flatMap(({ eventId, class: kind, linkId, alias: slug, clickedAtMs }, index) =>
    typeof slug === "string" && kind === "human"
      ? [{ eventId, segment: segmentOfRow[index] ?? 0, linkId, slug, clickedAtMs }]
      : [],
  );
  return unnest("aliased_click", ALIAS_COLUMNS, toArrays(ALIAS_COLUMNS, aliased));
}

export const ALIASES: Sql = sql`
    INSERT INTO alias_clicks AS kept (link_id, slug, day, clicks, last_clicked_at)
    SELECT link_id, slug, (clicked_at AT TIME ZONE 'UTC')::date, count(*), max(clicked_at)
    FROM via
    WHERE (SELECT count(*) FROM totalled) >= 0
    GROUP BY 1, 2, 3
    ORDER BY 1, 2, 3
    ON CONFLICT (link_id, slug, day) DO UPDATE SET clicks = kept.clicks + excluded.clicks,
      last_clicked_at = GREATEST(kept.last_clicked_at, excluded.last_clicked_at)
    RETURNING 1`;

/**
 * Fast caps, counted with the clicks and so exactly once. The rows are locked in order first, because an UPDATE locks in
 * any order. A link without a cap costs one index look-up.
 */
export const CAPPED_LINKS: Sql = sql`
    SELECT cap.link_id, clicked.clicks
    FROM (SELECT link_id, sum(clicks)::bigint AS clicks FROM fresh GROUP BY 1) clicked
    JOIN link_caps cap ON cap.link_id = clicked.link_id
    WHERE cap.mode = 'fast' AND (SELECT count(*) FROM aliased) >= 0
    ORDER BY cap.link_id
    FOR NO KEY UPDATE OF cap`;
export const CAPS: Sql = sql`
    UPDATE link_caps AS cap SET used = cap.used + capped_links.clicks
    FROM capped_links WHERE cap.link_id = capped_links.link_id
    RETURNING cap.used >= cap.max_clicks AND NOT cap.published_used_up AS is_used_up`;

/** Of segments that are settled already. Reads `segment`, after `settled`. */
export const DUPLICATES: Sql = sql`
    INSERT INTO ledger_sums AS kept (bucket_start, duplicates)
    SELECT ${quarterOf(sql`to_timestamp(first_clicked_at_ms / 1000.0)`)}, sum(sent_count)
    FROM segment WHERE is_known AND sent_count > 0 AND (SELECT count(*) FROM settled) >= 0
    GROUP BY 1
    ORDER BY 1
    ON CONFLICT (bucket_start) DO UPDATE SET duplicates = kept.duplicates + excluded.duplicates`;

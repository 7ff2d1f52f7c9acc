/** How many people came through a link's aliases, and when last. Counted with the clicks (migrations/0003_clicks.sql). */
import { sql } from "drizzle-orm";
import type { Database } from "../../database.ts";

export const ALIAS_DAYS = 30;

export type AliasClicks = {
  /** Of people, in the last 30 days (UTC). */
  readonly clicks: number;
  readonly lastAtMs: number | null;
};

export const NO_CLICKS: AliasClicks = { clicks: 0, lastAtMs: null };

/** By slug; aliases without any are left out. Of a link that the caller may see. */
export async function findAliasClicks(
  database: Database,
  linkId: string,
): Promise<ReadonlyMap<string, AliasClicks>> {
  const { rows } = await database.execute(sql`
    SELECT slug, coalesce(sum(clicks) FILTER (WHERE day > (now() AT TIME ZONE 'UTC')::date - ${ALIAS_DAYS}::integer), 0) AS clicks,
      round(extract(epoch FROM max(last_clicked_at)) * 1000) AS last_ms
    FROM alias_clicks WHERE link_id = ${linkId}::uuid GROUP BY 1`);
  return new Map(
    rows.map((row) => [
      String(row["slug"]),
      { clicks: Number(row["clicks"]), lastAtMs: Number(row["last_ms"]) },
    ]),
  );
}

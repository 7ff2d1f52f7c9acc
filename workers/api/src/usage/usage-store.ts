/** What a workspace uses in this month, and what it may. */
import { sql } from "drizzle-orm";
import type { Database } from "../database.ts";

/** `limit`: `null` for none. */
export type Use = { readonly used: number; readonly limit: number | null };

export type Usage = {
  /** `2026-11`, in UTC. */
  readonly month: string;
  readonly links: Use;
  readonly clicks: Use;
  readonly requests: Use;
};

export async function findUsage(database: Database, workspaceId: string): Promise<Usage> {
  const isOurs = sql`workspace_id = ${workspaceId}::uuid`;
  const { rows } = await database.execute(sql`
    SELECT to_char(this_month(), 'YYYY-MM') AS month,
      (SELECT count(*) FROM links WHERE ${isOurs} AND state <> 'deleted') AS links,
      clicks_this_month(${workspaceId}::uuid) AS clicks,
      coalesce((SELECT requests FROM workspace_requests WHERE ${isOurs} AND month = this_month()), 0)
        + coalesce((SELECT requests FROM request_counts WHERE subject = ${`ws:${workspaceId}`}), 0) AS requests,
      limits.links AS most_links, limits.clicks AS most_clicks, limits.requests AS most_requests
    FROM (SELECT) AS one LEFT JOIN workspace_limits AS limits ON ${isOurs}`);
  const [row = {}] = rows;
  const toUse = (name: string): Use => {
    const limit = row[`most_${name}`];
    return { used: Number(row[name]), limit: limit === null ? null : Number(limit) };
  };
  return {
    month: String(row["month"]),
    links: toUse("links"),
    clicks: toUse("clicks"),
    requests: toUse("requests"),
  };
}

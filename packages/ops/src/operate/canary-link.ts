/**
 * The link that proves a deployment: on the first host, in the workspace that has it, which is the operators'. Made where
 * it is missing; it leads to a page that always answers.
 */
import { encodeLinkRecord } from "@hopline/core/link/link-record";
import { sql } from "@hopline/db/sql";
import { v7 as newUuid } from "uuid";

import { runAt } from "./direct-sql.ts";

export const CANARY_SLUG = "hopline-canary";
export const CANARY_URL = "https://example.com/";

/** Its id; null where no workspace has the host yet, and where the link was switched off or deleted. */
export async function ensureCanary(databaseUrl: string, host: string): Promise<string | null> {
  const id = newUuid();
  const record = encodeLinkRecord({ linkId: id, state: "live", url: CANARY_URL, redirectStatus: 302 });
  const statement = sql`
    WITH domain AS (
      SELECT id, workspace_id FROM domains
      WHERE host = ${host} AND proof <> 'pending' AND released_at IS NULL AND deleted_at IS NULL
    ),
    made AS (
      INSERT INTO links (id, workspace_id, domain_id, slug, url, title, record)
      SELECT ${id}::uuid, workspace_id, id, ${CANARY_SLUG}, ${CANARY_URL}, 'Proves deployments', ${record}
      FROM domain ON CONFLICT DO NOTHING RETURNING id
    )
    SELECT id FROM made UNION ALL
    SELECT links.id FROM links JOIN domain ON domain.id = links.domain_id
    WHERE slug = ${CANARY_SLUG} AND state = 'live'`;
  const [link] = await runAt(databaseUrl, statement);
  return link === undefined ? null : String(link["id"]);
}

/** Of the last hour. */
export async function countClicksOf(databaseUrl: string, linkId: string): Promise<number> {
  const statement = sql`
    SELECT COALESCE(sum(clicks), 0)::int AS clicks FROM click_rollups
    WHERE link_id = ${linkId}::uuid AND bucket_start > now() - interval '1 hour'`;
  const [row] = await runAt(databaseUrl, statement);
  return Number(row?.["clicks"] ?? 0);
}

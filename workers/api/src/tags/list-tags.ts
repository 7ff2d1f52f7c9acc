/** The tags of a workspace's links, with how many links have each. */
import { sql } from "drizzle-orm";
import type { Database } from "../database.ts";

export type TagCount = { readonly tag: string; readonly links: number };

/** In the order of their code points, from behind `afterTag` on. Archived links count, deleted ones do not. */
export async function listTags(
  database: Database,
  workspaceId: string,
  page: { readonly afterTag: string | null; readonly limit: number },
): Promise<readonly TagCount[]> {
  const { rows } = await database.execute(sql`
    SELECT tag COLLATE "C" AS tag, count(*)::int AS links
    FROM links, unnest(tags) AS tag
    WHERE workspace_id = ${workspaceId}::uuid AND state <> 'deleted'
      AND (${page.afterTag}::text IS NULL OR tag COLLATE "C" > ${page.afterTag}::text)
    GROUP BY 1 ORDER BY 1 LIMIT ${page.limit}`);
  return rows.map((row) => ({ tag: toText(row["tag"]), links: Number(row["links"]) }));
}

function toText(cell: unknown): string {
  return typeof cell === "string" ? cell : "";
}

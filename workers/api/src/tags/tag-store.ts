/**
 * Tags in Postgres. A tag is what links have in `links.tags`, which triggers count in `tag_counts`; a row of `tags` gives it a
 * colour, and keeps it where no link has it. Every statement is scoped by workspace.
 */
import { tagCounts, tags } from "@hopline/db/schema";
import { and, eq, sql, type SQL } from "drizzle-orm";
import type { Database } from "../database.ts";

export type StoredTag = {
  readonly name: string;
  /** `#rrggbb`, in lower case. */
  readonly color: string | null;
  readonly links: number;
};

/** A tag of a workspace. */
export type TagName = { readonly workspaceId: string; readonly name: string };

/** In the order of their code points. */
export async function listTags(
  database: Database,
  workspaceId: string,
  { afterName, limit }: { readonly afterName: string | null; readonly limit: number },
): Promise<readonly StoredTag[]> {
  const isAhead = sql`workspace_id = ${workspaceId}::uuid AND name > coalesce(${afterName}::text, '')`;
  const { rows } = await database.execute<StoredTag>(sql`
    WITH counted AS (
      SELECT name, sum(links)::int AS links FROM tag_counts WHERE ${isAhead}
      GROUP BY name HAVING sum(links) > 0 ORDER BY name LIMIT ${limit}
    ),
    kept AS (SELECT name, color FROM tags WHERE ${isAhead} ORDER BY name LIMIT ${limit})
    SELECT name, color, coalesce(links, 0) AS links FROM counted FULL JOIN kept USING (name)
    ORDER BY name LIMIT ${limit}`);
  return rows;
}

export async function findTag(database: Database, tag: TagName): Promise<StoredTag | null> {
  const { rows } = await database.execute<StoredTag>(sql`
    SELECT ${tag.name} AS name, (SELECT color FROM tags WHERE ${isKept(tag)}) AS color,
      ${countLinks(tag)} AS links
    WHERE ${isThere(tag)}`);
  return rows[0] ?? null;
}

/**
 * `null` if the tag is there already. Finds what an earlier attempt of the same request has created. Rejects when somebody else
 * creates it at the same moment (`tags_by_name`).
 */
export async function insertTag(
  database: Database,
  { id, color, ...tag }: TagName & { readonly id: string; readonly color: string | null },
): Promise<StoredTag | null> {
  const { rows } = await database.execute<StoredTag>(sql`
    INSERT INTO tags (id, workspace_id, name, color)
    SELECT ${id}::uuid, ${tag.workspaceId}::uuid, ${tag.name}, ${color}::text
    WHERE NOT ${isThere(tag)} OR EXISTS (SELECT FROM tags WHERE id = ${id}::uuid)
    ON CONFLICT (id) DO UPDATE SET id = excluded.id
    RETURNING name, color, ${countLinks(tag)} AS links`);
  return rows[0] ?? null;
}

/** Nothing happens if the tag is not there. */
export async function setColor(
  database: Database,
  { id, color, ...tag }: TagName & { readonly id: string; readonly color: string | null },
): Promise<void> {
  await database.execute(sql`
    INSERT INTO tags (id, workspace_id, name, color)
    SELECT ${id}::uuid, ${tag.workspaceId}::uuid, ${tag.name}, ${color}::text WHERE ${isThere(tag)}
    ON CONFLICT (workspace_id, name) DO UPDATE SET color = excluded.color`);
}

function countLinks(tag: TagName): SQL {
  const isOfTag = and(eq(tagCounts.workspaceId, tag.workspaceId), eq(tagCounts.name, tag.name));
  return sql`(SELECT coalesce(sum(${tagCounts.links}), 0)::int FROM tag_counts WHERE ${isOfTag})`;
}

/** On rows of `tags`. */
export function isKept({ workspaceId, name }: TagName): SQL | undefined {
  return and(eq(tags.workspaceId, workspaceId), eq(tags.name, name));
}

/** On rows of `links`, deleted ones too: their clicks count for their tags. */
export function isOnLink({ workspaceId, name }: TagName): SQL {
  return sql`workspace_id = ${workspaceId}::uuid AND tags @> ARRAY[${name}::text]`;
}

/** Whether the workspace has the tag: a condition that stands alone. */
export function isThere(tag: TagName): SQL {
  return sql`(EXISTS (SELECT FROM tags WHERE ${isKept(tag)})
    OR ${countLinks(tag)} > 0)`;
}

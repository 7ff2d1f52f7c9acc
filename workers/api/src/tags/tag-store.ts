/**
 * Tags in Postgres. A tag is what links have in `links.tags`, which triggers count in `tag_counts`; a row of `tags` gives it a
 * colour, and keeps it where no link has it. Every statement is scoped by workspace.
 */
import { tagCounts, tags } from "@hopline/db/schema";
import { and, eq, sql, type SQL } from "drizzle-orm";
import type { Database } from "../database.ts";
import { containsWords } from "../http/list-rows.ts";

export type StoredTag = {
  readonly name: string;
  /** `#rrggbb`, in lower case. */
  readonly color: string | null;
  readonly links: number;
};

/** A tag of a workspace. */
export type TagName = { readonly workspaceId: string; readonly name: string };

export type TagPage = {
  /** In the order of their code points, or the other way round. */
  readonly isDescending: boolean;
  readonly afterName: string | null;
  /** `null`: all. */
  readonly limit: number | null;
  readonly search: string;
};

export async function listTags(
  database: Database,
  workspaceId: string,
  page: TagPage,
): Promise<readonly StoredTag[]> {
  return (await database.execute<StoredTag>(selectTags(workspaceId, page))).rows;
}

export async function countTags(database: Database, workspaceId: string, search: string): Promise<number> {
  const all = selectTags(workspaceId, { isDescending: false, afterName: null, limit: null, search });
  const { rows } = await database.execute(sql`SELECT count(*)::int AS count FROM (${all}) AS found`);
  return Number(rows[0]?.["count"]);
}

function selectTags(workspaceId: string, { isDescending, afterName, limit, search }: TagPage): SQL {
  const isAfter = isDescending ? sql`name < ${afterName}::text` : sql`name > ${afterName}::text`;
  const isAhead = sql`workspace_id = ${workspaceId}::uuid
    AND ${and(afterName === null ? sql`true` : isAfter, ...containsWords([sql`name`], search))}`;
  const inOrder = sql`ORDER BY name ${isDescending ? sql`DESC` : sql`ASC`} LIMIT ${limit}::int`;
  return sql`
    WITH counted AS (
      SELECT name, sum(links)::int AS links FROM tag_counts WHERE ${isAhead}
      GROUP BY name HAVING sum(links) > 0 ${inOrder}
    ),
    kept AS (SELECT name, color FROM tags WHERE ${isAhead} ${inOrder})
    SELECT name, color, coalesce(links, 0) AS links FROM counted FULL JOIN kept USING (name) ${inOrder}`;
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

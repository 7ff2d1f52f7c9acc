/**
 * Tags in Postgres. A tag is what links have in `links.tags`, which triggers count in `tag_counts`; a row of `tags`, which the first
 * link makes (`count_tags`), has its id and its colour, and if `is_kept` keeps it where no link has it. Every statement is scoped by
 * workspace.
 */
import { tagCounts, tags } from "@hopline/db/schema";
import { and, eq, sql, type SQL } from "drizzle-orm";
import { isWithinBounds } from "../http/bounds/within-bounds.ts";
import type { Database } from "../database.ts";
import { containsWords } from "../http/list-rows.ts";

export type StoredTag = {
  readonly id: string;
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
  const shown = sql`
    SELECT id, name, color, found.links FROM (${selectTags(workspaceId, page)}) AS found JOIN tags USING (name)
    WHERE workspace_id = ${workspaceId}::uuid ORDER BY name ${page.isDescending ? sql`DESC` : sql`ASC`}`;
  return (await database.execute<StoredTag>(shown)).rows;
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
  const isWanted = isWithinBounds();
  if (isWanted !== undefined) {
    return sql`SELECT name, count(*)::int AS links FROM links, unnest(tags) AS name
      WHERE state <> 'deleted' AND ${isWanted} AND ${isAhead} GROUP BY name ${inOrder}`;
  }
  return sql`
    WITH counted AS (
      SELECT name, sum(links)::int AS links FROM tag_counts WHERE ${isAhead}
      GROUP BY name HAVING sum(links) > 0 ${inOrder}
    ),
    kept AS (SELECT name FROM tags WHERE is_kept AND ${isAhead} ${inOrder})
    SELECT name, coalesce(links, 0) AS links FROM counted FULL JOIN kept USING (name) ${inOrder}`;
}

export async function findTag(database: Database, tag: TagName): Promise<StoredTag | null> {
  const { rows } = await database.execute<StoredTag>(sql`
    SELECT id, name, color, ${countLinks(tag)} AS links FROM tags WHERE ${isRowOf(tag)} AND ${isThere(tag)}`);
  return rows[0] ?? null;
}

/** The name of the tag with this id, if the workspace has it. */
export async function findTagName(
  database: Database,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
): Promise<string | null> {
  const rows = await database
    .select({ name: tags.name })
    .from(tags)
    .where(and(eq(tags.workspaceId, workspaceId), eq(tags.id, id)));
  return rows[0]?.name ?? null;
}

/** `null` if the tag is there already. Finds what an earlier attempt of the same request has created. */
export async function insertTag(
  database: Database,
  { id, color, ...tag }: TagName & { readonly id: string; readonly color: string | null },
): Promise<StoredTag | null> {
  const { rows } = await database.execute<StoredTag>(sql`
    INSERT INTO tags (id, workspace_id, name, color)
    SELECT ${id}::uuid, ${tag.workspaceId}::uuid, ${tag.name}, ${color}::text
    WHERE NOT ${isThere(tag)} OR EXISTS (SELECT FROM tags WHERE id = ${id}::uuid)
    ON CONFLICT (workspace_id, name) DO UPDATE SET id = excluded.id, color = excluded.color, is_kept = true
    WHERE NOT tags.is_kept OR tags.id = excluded.id
    RETURNING id, name, color, ${countLinks(tag)} AS links`);
  return rows[0] ?? null;
}

/** Nothing happens if the tag is not there. */
export async function setColor(database: Database, tag: TagName, color: string | null): Promise<void> {
  await database
    .update(tags)
    .set({ color, isKept: true })
    .where(and(isRowOf(tag), isThere(tag)));
}

function countLinks(tag: TagName): SQL {
  const isWanted = isWithinBounds();
  if (isWanted !== undefined) {
    return sql`(SELECT count(*)::int FROM links WHERE state <> 'deleted' AND ${isOnLink(tag)} AND ${isWanted})`;
  }
  const isOfTag = and(eq(tagCounts.workspaceId, tag.workspaceId), eq(tagCounts.name, tag.name));
  return sql`(SELECT coalesce(sum(${tagCounts.links}), 0)::int FROM tag_counts WHERE ${isOfTag})`;
}

/** On rows of `tags`. */
export function isRowOf({ workspaceId, name }: TagName): SQL | undefined {
  return and(eq(tags.workspaceId, workspaceId), eq(tags.name, name));
}

/** On rows of `links`, deleted ones too: their clicks count for their tags. */
export function isOnLink({ workspaceId, name }: TagName): SQL {
  return sql`workspace_id = ${workspaceId}::uuid AND tags @> ARRAY[${name}::text]`;
}

/** Whether the workspace has the tag: a condition that stands alone. */
export function isThere(tag: TagName): SQL {
  // Within bounds, a tag is what a link within them has.
  const isKept = sql`EXISTS (SELECT FROM tags WHERE is_kept AND ${isRowOf(tag)})`;
  return sql`(${isWithinBounds() === undefined ? isKept : sql`false`} OR ${countLinks(tag)} > 0)`;
}

/** Folders in Postgres. Every statement is scoped by workspace. A deleted folder keeps its row, without a workspace. */
import { folders } from "@hopline/db/schema";
import { and, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { isExpected, nextVersion, type Rows, type RowTarget } from "../http/list-rows.ts";
import { epochMs } from "../instant.ts";

export type StoredFolder = {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly createdAtMs: number;
  /** Without deleted ones; `MAX_COUNTED` at most. */
  readonly links: number;
};

/** So that a list of folders costs the same for a hundred thousand links. */
export const MAX_COUNTED = 1_000;

const columns = {
  id: folders.id,
  name: folders.name,
  version: folders.version,
  createdAtMs: epochMs(folders.createdAt),
  // With the table's name, which drizzle leaves out in a statement without joins.
  links: sql<number>`(SELECT count(*)::int FROM (
    SELECT FROM links WHERE links.folder_id = folders.id AND links.state <> 'deleted' LIMIT ${MAX_COUNTED}
  ) AS counted)`,
};

function isThere(workspaceId: string): SQL | undefined {
  return and(eq(folders.workspaceId, workspaceId), isNull(folders.deletedAt));
}

function isTarget({ workspaceId, id, ifMatch }: RowTarget): SQL | undefined {
  return and(isThere(workspaceId), eq(folders.id, id), isExpected(folders.version, ifMatch));
}

/** Also when an earlier attempt of the same request has created it. Rejects when the name is taken (`folders_by_name`). */
export async function insertFolder(
  database: Database,
  folder: { readonly id: string; readonly workspaceId: string; readonly name: string },
): Promise<StoredFolder | null> {
  const rows = await database
    .insert(folders)
    .values(folder)
    .onConflictDoUpdate({ target: folders.id, set: { name: folder.name } })
    .returning(columns);
  return rows[0] ?? null;
}

export function foldersOf(database: Database, workspaceId: string): Rows<StoredFolder> {
  return {
    where: isThere(workspaceId),
    id: folders.id,
    name: folders.name,
    nameOf: ({ name }) => name,
    searched: [folders.name],
    select: (where) => database.select(columns).from(folders).where(where),
  };
}

/** Which of the ids are folders of the workspace. */
export async function findFolderIds(
  database: Database,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) {
    return new Set();
  }
  const rows = await database
    .select({ id: folders.id })
    .from(folders)
    .where(and(isThere(workspaceId), inArray(folders.id, [...ids])));
  return new Set(rows.map(({ id }) => id));
}

/** Rejects when the name is taken (`folders_by_name`). */
export async function renameFolder(
  database: Database,
  target: RowTarget,
  name: string | undefined,
): Promise<StoredFolder | null> {
  const rows = await database
    .update(folders)
    .set({ name, version: nextVersion(folders.version) })
    .where(isTarget(target))
    .returning(columns);
  return rows[0] ?? null;
}

/** Its links are in no folder any more. */
export async function deleteFolder(database: Database, target: RowTarget): Promise<boolean> {
  const rows = await database
    .update(folders)
    .set({ deletedAt: sql`now()` })
    .where(isTarget(target))
    .returning({ id: folders.id });
  return rows.length === 1;
}

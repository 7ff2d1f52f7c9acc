/** Folders in Postgres. Every statement is scoped by workspace. A deleted folder keeps its row, without a workspace. */
import { folders } from "@hopline/db/schema";
import { and, desc, eq, inArray, isNull, lt, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import type { IdPage } from "../http/page.ts";
import { epochMs } from "../instant.ts";

export type StoredFolder = { readonly id: string; readonly name: string; readonly createdAtMs: number };

const columns = { id: folders.id, name: folders.name, createdAtMs: epochMs(folders.createdAt) };

function isThere(workspaceId: string) {
  return and(eq(folders.workspaceId, workspaceId), isNull(folders.deletedAt));
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

/** Newest first. */
export async function listFolders(
  database: Database,
  workspaceId: string,
  { afterId, limit }: IdPage,
): Promise<readonly StoredFolder[]> {
  return database
    .select(columns)
    .from(folders)
    .where(and(isThere(workspaceId), afterId === null ? undefined : lt(folders.id, afterId)))
    .orderBy(desc(folders.id))
    .limit(limit);
}

export async function findFolder(
  database: Database,
  workspaceId: string,
  folderId: string,
): Promise<StoredFolder | null> {
  const rows = await database
    .select(columns)
    .from(folders)
    .where(and(isThere(workspaceId), eq(folders.id, folderId)));
  return rows[0] ?? null;
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
  workspaceId: string,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<StoredFolder | null> {
  const rows = await database
    .update(folders)
    .set({ name })
    .where(and(isThere(workspaceId), eq(folders.id, id)))
    .returning(columns);
  return rows[0] ?? null;
}

/** Its links are in no folder any more. False when there is no such folder. */
export async function deleteFolder(
  database: Database,
  workspaceId: string,
  folderId: string,
): Promise<boolean> {
  const rows = await database
    .update(folders)
    .set({ deletedAt: sql`now()` })
    .where(and(isThere(workspaceId), eq(folders.id, folderId)))
    .returning({ id: folders.id });
  return rows.length === 1;
}

/** Folders in Postgres. Every statement is scoped by workspace. A deleted folder keeps its row, without a workspace. */
import { folders } from "@hopline/db/schema";
import { and, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import { isFolderWithin, isWithinBounds } from "../http/bounds/within-bounds.ts";
import type { Database, RowOf } from "../database.ts";
import { isOneOf } from "../to-sql.ts";
import { parsePublicId, toPublicId } from "../http/entity-id.ts";
import { isExpected, nextVersion, type Rows, type RowTarget } from "../http/list-rows.ts";
import { epochMs } from "../instant.ts";
import { type LinkDefaults, readDefaults } from "../link-defaults-shape.ts";

/** So that a list of folders costs the same for a hundred thousand links. */
export const MAX_COUNTED = 1_000;

const columns = () => ({
  id: folders.id,
  name: folders.name,
  defaults: folders.defaults,
  version: folders.version,
  createdAtMs: epochMs(folders.createdAt),
  // With the table's name, which drizzle leaves out in a statement without joins.
  links: sql<number>`(SELECT count(*)::int FROM (
    SELECT FROM links WHERE ${and(sql`links.folder_id = folders.id AND links.state <> 'deleted'`, isWithinBounds())} LIMIT ${MAX_COUNTED}
  ) AS counted)`,
});
export type StoredFolder = RowOf<ReturnType<typeof columns>>;

function isThere(workspaceId: string): SQL | undefined {
  return and(eq(folders.workspaceId, workspaceId), isNull(folders.deletedAt), isFolderWithin());
}

function isTarget({ workspaceId, id, ifMatch }: RowTarget): SQL | undefined {
  return and(isThere(workspaceId), eq(folders.id, id), isExpected(folders.version, ifMatch));
}

/** Also when an earlier attempt of the same request has created it. Rejects when the name is taken (`folders_by_name`). */
export async function insertFolder(
  database: Database,
  folder: {
    readonly id: string;
    readonly workspaceId: string;
    readonly name: string;
    readonly defaults?: unknown;
  },
): Promise<StoredFolder | null> {
  const rows = await database
    .insert(folders)
    .values(folder)
    .onConflictDoUpdate({ target: folders.id, set: { name: folder.name } })
    .returning(columns());
  return rows[0] ?? null;
}

export function foldersOf(database: Database, workspaceId: string): Rows<StoredFolder> {
  return {
    where: isThere(workspaceId),
    id: folders.id,
    name: folders.name,
    nameOf: ({ name }) => name,
    searched: [folders.name],
    select: (where) => database.select(columns()).from(folders).where(where),
  };
}

export type FoundFolder = {
  readonly id: string;
  readonly name: string;
  readonly defaults: LinkDefaults | null;
};

/** Those folders that the workspace has, by what names them: a folder's id (`fld_…`) or its name. */
export async function findFolders(
  database: Database,
  workspaceId: string,
  named: readonly (string | null | undefined)[],
): Promise<ReadonlyMap<string, FoundFolder>> {
  const names = [...new Set(named)].filter((name) => typeof name === "string");
  if (names.length === 0) {
    return new Map();
  }
  const ids = names.flatMap((name) => parsePublicId("fld", name) ?? []);
  const rows = await database
    .select({ id: folders.id, name: folders.name, defaults: folders.defaults })
    .from(folders)
    .where(and(isThere(workspaceId), or(isOneOf(folders.id, ids), isOneOf(folders.name, names))));
  const found = rows.map((row): FoundFolder => ({ ...row, defaults: readDefaults(row.defaults) }));
  const byName = found.map((folder) => [folder.name, folder] as const);
  return new Map([...byName, ...found.map((folder) => [toPublicId("fld", folder.id), folder] as const)]);
}

/** Rejects when the name is taken (`folders_by_name`). */
export async function updateFolder(
  database: Database,
  target: RowTarget,
  change: { readonly name?: string | undefined; readonly defaults?: unknown },
): Promise<StoredFolder | null> {
  const rows = await database
    .update(folders)
    .set({ ...change, version: nextVersion(folders.version) })
    .where(isTarget(target))
    .returning(columns());
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

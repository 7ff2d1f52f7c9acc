/** What bounds let through at the moment of a request. */
import type { Bound, Bounds, StoredBound } from "@hopline/db/links/bounds";
import { apiKeys, folders, tags } from "@hopline/db/schema";
import { eq, sql } from "drizzle-orm";
import { NIL } from "uuid";
import type { Database } from "../../database.ts";
import { isOneOf } from "../../to-sql.ts";

/** Whose bounds they are: of a key and of its maker, or of a person who is signed in. */
export type Bounded = {
  readonly workspaceId: string;
  readonly personId: string | null;
  readonly stored: readonly StoredBound[];
};

/** One statement, for bounded callers alone. A folder or a tag that is gone lets nothing through. */
export async function resolveBounds(
  database: Database,
  { workspaceId, personId, stored }: Bounded,
): Promise<Bounds> {
  const idsOf = (part: "folders" | "tags") => stored.flatMap((bound) => bound[part] ?? []);
  const { rows } = await database.execute(sql`
    SELECT 'folder' AS kind, id, NULL AS name FROM folders
    WHERE workspace_id = ${workspaceId}::uuid AND deleted_at IS NULL AND ${isOneOf(folders.id, idsOf("folders"))}
    UNION ALL SELECT 'tag', id, name FROM tags
    WHERE workspace_id = ${workspaceId}::uuid AND ${isOneOf(tags.id, idsOf("tags"))}
    UNION ALL SELECT 'key', id, NULL FROM api_keys
    WHERE workspace_id = ${workspaceId}::uuid AND ${eq(apiKeys.makerId, personId ?? NIL)}`);
  const found = rows.map((row) => ({ kind: row["kind"], id: String(row["id"]), name: String(row["name"]) }));
  const own = found.filter(({ kind }) => kind === "key").map(({ id }) => id);
  const present = (kind: string, ids: readonly string[]) =>
    found.filter((row) => row.kind === kind && ids.includes(row.id));
  return stored.map((bound): Bound => ({
    ...(bound.domains === undefined ? {} : { domainIds: bound.domains }),
    ...(bound.folders === undefined
      ? {}
      : { folderIds: present("folder", bound.folders).map(({ id }) => id) }),
    ...(bound.tags === undefined ? {} : { tags: present("tag", bound.tags).map(({ name }) => name) }),
    ...(bound.own === undefined
      ? {}
      : { makerIds: bound.own === true ? [personId ?? NIL, ...own] : bound.own }),
    ...(bound.createOnly === undefined ? {} : { createOnly: bound.createOnly }),
  }));
}

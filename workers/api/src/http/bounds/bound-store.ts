/** Bounds in Postgres: from the names of a request to ids, and back. What they let through: resolve-bounds.ts. */
import type { CreateOnly, StoredBound } from "@hopline/db/links/bounds";
import { domains, folders, tags } from "@hopline/db/schema";
import { and, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Database } from "../../database.ts";
import { isOneOf } from "../../to-sql.ts";
import { parsePublicId } from "../entity-id.ts";
import { type FieldError, ProblemError } from "../problem.ts";

/** As a request says it, and as it is shown. */
export type NamedBound = {
  readonly domains?: readonly string[] | undefined;
  readonly folders?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly ownLinks?: true | undefined;
  readonly createOnly?: CreateOnly | undefined;
};

/**
 * The ids of what a request names, each by its name or its id. Throws `ProblemError` invalid for what the workspace does not have.
 *
 * @param own whose links `ownLinks` means.
 */
export async function requireBound(
  database: Database,
  workspaceId: string,
  { named, own }: { readonly named: NamedBound; readonly own: readonly string[] | true },
): Promise<StoredBound> {
  const idsIn = (kind: "dom" | "fld" | "tag", names: readonly string[]) =>
    names.flatMap((name) => parsePublicId(kind, name) ?? []);
  const { domains: hosts = [], folders: folderNames = [], tags: tagNames = [] } = named;
  const [ofDomains, ofFolders, ofTags] = await database.batch([
    database
      .select({ id: domains.id, name: domains.host })
      .from(domains)
      .where(
        and(
          eq(domains.workspaceId, workspaceId),
          isNull(domains.deletedAt),
          or(isOneOf(domains.host, hosts), isOneOf(domains.id, idsIn("dom", hosts))),
        ),
      ),
    database
      .select({ id: folders.id, name: folders.name })
      .from(folders)
      .where(
        and(
          eq(folders.workspaceId, workspaceId),
          isNull(folders.deletedAt),
          or(isOneOf(folders.name, folderNames), isOneOf(folders.id, idsIn("fld", folderNames))),
        ),
      ),
    database
      .select({ id: tags.id, name: tags.name })
      .from(tags)
      .where(
        and(
          eq(tags.workspaceId, workspaceId),
          or(isOneOf(tags.name, tagNames), isOneOf(tags.id, idsIn("tag", tagNames))),
        ),
      ),
  ]);
  const found = { domains: ofDomains, folders: ofFolders, tags: ofTags };
  const kinds = { domains: "dom", folders: "fld", tags: "tag" } as const;
  const errors: FieldError[] = [];
  const bound: { -readonly [Part in keyof StoredBound]: StoredBound[Part] } = {
    ...(named.ownLinks === true ? { own } : {}),
    ...(named.createOnly === undefined ? {} : { createOnly: named.createOnly }),
  };
  for (const part of ["domains", "folders", "tags"] as const) {
    const names = named[part];
    if (names !== undefined) {
      const ids = names.map((name) => {
        const id = parsePublicId(kinds[part], name);
        return found[part].find((one) => one.name === name || one.id === id)?.id;
      });
      ids.forEach((id, index) => {
        if (id === undefined) {
          errors.push({ path: `bounds.${part}[${index}]`, message: MISSING[part] });
        }
      });
      bound[part] = [...new Set(ids.flatMap((id) => id ?? []))];
    }
  }
  if (errors.length > 0) {
    throw new ProblemError("invalid", errors);
  }
  return bound;
}

const MISSING = {
  domains: "is no domain of this workspace: add it first, or correct its host",
  folders: "is no folder of this workspace: create it first, or correct its name",
  tags: "is no tag of this workspace: create it first, or correct its name",
};

/**
 * A column for lists: the bound with names in place of ids, `null` for none. What is gone is left out.
 *
 * @param bounds the column, with its table's name.
 */
export function namesOfBound(bounds: SQL): SQL<NamedBound | null> {
  const names = (part: SQL, rows: SQL) =>
    sql`CASE WHEN ${bounds} ? ${part} THEN (
      SELECT coalesce(jsonb_agg(name ORDER BY name), '[]') FROM ${rows} AS named (id, name)
      WHERE ${bounds} -> ${part} ? id::text) END`;
  return sql<NamedBound | null>`CASE WHEN ${bounds} IS NOT NULL THEN jsonb_strip_nulls(jsonb_build_object(
    'domains', ${names(sql`'domains'`, sql`(SELECT id, host FROM domains WHERE deleted_at IS NULL)`)},
    'folders', ${names(sql`'folders'`, sql`(SELECT id, name FROM folders WHERE deleted_at IS NULL)`)},
    'tags', ${names(sql`'tags'`, sql`(SELECT id, name FROM tags)`)},
    'ownLinks', CASE WHEN ${bounds} ? 'own' THEN true END,
    'createOnly', ${bounds} -> 'createOnly')) END`;
}

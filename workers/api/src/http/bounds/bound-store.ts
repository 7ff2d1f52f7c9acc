/** Bounds in Postgres: from the names of a request to ids, and back. What they let through: resolve-bounds.ts. */
import type { CreateOnly, StoredBound } from "@hopline/db/links/bounds";
import { domains, folders, tags } from "@hopline/db/schema";
import { type Column, or, type SQL, sql } from "drizzle-orm";
import type { Database } from "../../database.ts";
import { isOneOf } from "../../to-sql.ts";
import { parsePublicId } from "../entity-id.ts";
import { type FieldError, invalidField, ProblemError } from "../problem.ts";

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
  const isNamed = (part: Part, id: Column, name: Column) => {
    const names = named[part] ?? [];
    const ids = names.flatMap((one) => parsePublicId(PARTS[part].kind, one) ?? []);
    return or(isOneOf(name, names), isOneOf(id, ids));
  };
  const { rows: found } = await database.execute(sql`
    SELECT 'domains' AS part, id, host AS name FROM domains
    WHERE workspace_id = ${workspaceId}::uuid AND deleted_at IS NULL AND ${isNamed("domains", domains.id, domains.host)}
    UNION ALL SELECT 'folders', id, name FROM folders
    WHERE workspace_id = ${workspaceId}::uuid AND deleted_at IS NULL AND ${isNamed("folders", folders.id, folders.name)}
    UNION ALL SELECT 'tags', id, name FROM tags
    WHERE workspace_id = ${workspaceId}::uuid AND ${isNamed("tags", tags.id, tags.name)}`);
  const errors: FieldError[] = [];
  const bound: { -readonly [Key in keyof StoredBound]: StoredBound[Key] } = {
    ...(named.ownLinks === true ? { own } : {}),
    ...(named.createOnly === undefined ? {} : { createOnly: named.createOnly }),
  };
  for (const part of ["domains", "folders", "tags"] as const) {
    const { kind, missing } = PARTS[part];
    const ids = named[part]?.flatMap((name, index) => {
      const id = parsePublicId(kind, name);
      const row = found.find((one) => one["part"] === part && (one["name"] === name || one["id"] === id));
      if (row === undefined) {
        errors.push({ path: `bounds.${part}[${index}]`, message: missing });
      }
      return row === undefined ? [] : String(row["id"]);
    });
    if (ids !== undefined) {
      bound[part] = [...new Set(ids)];
    }
  }
  if (errors.length > 0) {
    throw new ProblemError("invalid", errors);
  }
  return bound;
}

/** The same of a member, and of one who is invited. */
export async function requireMemberBound(
  database: Database,
  workspaceId: string,
  named: NamedBound,
): Promise<StoredBound> {
  if (named.createOnly !== undefined) {
    throw invalidField("bounds.createOnly", "is for keys: leave it out");
  }
  return requireBound(database, workspaceId, { named, own: true });
}

type Part = "domains" | "folders" | "tags";

const PARTS = {
  domains: {
    kind: "dom",
    missing: "is no domain of this workspace: add it first, or correct its host",
  },
  folders: {
    kind: "fld",
    missing: "is no folder of this workspace: create it first, or correct its name",
  },
  tags: {
    kind: "tag",
    missing: "is no tag of this workspace: create it first, or correct its name",
  },
} as const;

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

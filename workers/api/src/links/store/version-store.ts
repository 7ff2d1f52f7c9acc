/** What a link was in each of its versions. Triggers write it; here it is read. */
import { links, linkVersions } from "@hopline/db/schema";
import { and, eq, ne, type SQL, sql } from "drizzle-orm";
import { actorNameOf } from "../../audit/actor.ts";
import type { Fields } from "../../audit/public-fields.ts";
import { isWithinBounds } from "../../http/bounds/within-bounds.ts";
import type { Database } from "../../database.ts";

/** By column, without secrets. */
export type StoredVersion = {
  readonly version: number;
  readonly atMs: number;
  /** `null`: from before authors were kept. */
  readonly actor: string | null;
  readonly actorName: unknown;
  readonly fields: Fields;
  /** What changed since the version before; empty where nothing did. */
  readonly before: Fields;
  readonly after: Fields;
};

type VersionPage = { readonly beforeVersion: number | null; readonly limit: number };

/** Newest first. The link is the caller's. */
export async function listVersions(
  database: Database,
  linkId: string,
  { beforeVersion, limit }: VersionPage,
): Promise<readonly StoredVersion[]> {
  const { rows } = await database.execute(sql`
    SELECT version, extract(epoch FROM created_at) * 1000 AS at_ms, actor, ${actorNameOf(sql`actor`)} AS actor_name,
      fields || CASE WHEN fields ? 'password' THEN '{"password":"(secret)"}' ELSE '{}' END::jsonb AS fields,
      coalesce(change.before, '{}') AS before, coalesce(change.after, '{}') AS after
    FROM (
      SELECT link_id, version, created_at, actor, ${FIELDS} AS fields FROM link_versions
      WHERE link_id = ${linkId}::uuid AND (${beforeVersion}::bigint IS NULL OR version < ${beforeVersion}::bigint)
      ORDER BY version DESC LIMIT ${limit}
    ) AS kept
    LEFT JOIN LATERAL (
      SELECT ${FIELDS} AS former_fields FROM link_versions AS former
      WHERE former.link_id = kept.link_id AND former.version < kept.version ORDER BY former.version DESC LIMIT 1
    ) AS former ON true,
    audit_changes(coalesce(former_fields, '{}'), fields, '{password}') AS change
    ORDER BY version DESC`);
  return rows.map((row) => ({
    version: Number(row["version"]),
    atMs: Math.round(Number(row["at_ms"])),
    actor: typeof row["actor"] === "string" ? row["actor"] : null,
    actorName: row["actor_name"],
    fields: row["fields"] as Fields,
    before: row["before"] as Fields,
    after: row["after"] as Fields,
  }));
}

const FIELDS: SQL = sql`audit_fields(state) || jsonb_build_object('url', destination)`;

/** As the database keeps it, with the hash of its password; `null` if the workspace has no such version. */
export async function findVersion(
  database: Database,
  workspaceId: string,
  { linkId, version }: { readonly linkId: string; readonly version: number },
): Promise<{ readonly destination: string; readonly state: unknown } | null> {
  const rows = await database
    .select({ destination: linkVersions.destination, state: linkVersions.state })
    .from(linkVersions)
    .innerJoin(links, eq(links.id, linkVersions.linkId))
    .where(
      and(
        eq(linkVersions.linkId, linkId),
        eq(linkVersions.version, version),
        eq(links.workspaceId, workspaceId),
        ne(links.state, "deleted"),
        isWithinBounds(),
        // Of a link that came back from the trash.
        sql`${linkVersions.state} ->> 'state' <> 'deleted'`,
      ),
    );
  return rows[0] ?? null;
}

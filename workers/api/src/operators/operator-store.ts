/** All workspaces of the deployment, for who runs it. */
import { foldSlug } from "@hopline/core/link/link-address";
import { domains, links, workspaceLimits, workspaces } from "@hopline/db/schema";
import { and, eq, isNull, ne, sql } from "drizzle-orm";
import type { Database, RowOf } from "../database.ts";
import type { StoredSuspension } from "../domains/suspension.ts";
import type { Rows } from "../http/list-rows.ts";
import { epochMs, epochMsOrNull } from "../instant.ts";
import {
  type EnqueuedChange,
  enqueueWritten,
  enqueueWrittenDomains,
  type Lease,
  toEnqueued,
} from "../publishing/outbox.ts";

const OWNERS = sql<readonly string[]>`ARRAY(
  SELECT people.email FROM members JOIN people ON people.id = members.person_id
  WHERE members.workspace_id = workspaces.id AND members.role = 'owner' ORDER BY 1)`;

const columns = {
  id: workspaces.id,
  name: workspaces.name,
  /** Addresses. */
  owners: OWNERS,
  members: sql<number>`(SELECT count(*)::int FROM members WHERE members.workspace_id = workspaces.id)`,
  suspendedAtMs: epochMsOrNull(workspaces.suspendedAt),
  suspendedFor: workspaces.suspendedFor,
  createdAtMs: epochMs(workspaces.createdAt),
};
export type AnyWorkspace = RowOf<typeof columns>;

export function allWorkspaces(database: Database): Rows<AnyWorkspace> {
  return {
    where: isNull(workspaces.deletedAt),
    id: workspaces.id,
    name: workspaces.name,
    nameOf: ({ name }) => name,
    searched: [sql`${workspaces.name}`, sql`array_to_string(${OWNERS}, ' ')`],
    select: (where) => database.select(columns).from(workspaces).where(where),
  };
}

/** `null`: as many as one likes. */
export type Limits = {
  readonly links: number | null;
  readonly clicks: number | null;
  readonly requests: number | null;
};

/** False where there is no such workspace. */
export async function setLimits(database: Database, workspaceId: string, limits: Limits): Promise<boolean> {
  const { links: mostLinks, clicks, requests } = limits;
  const [, , written] = await database.batch([
    // Of the same limits set twice at once, the second sees the first.
    database.execute(sql`SELECT FROM workspaces WHERE id = ${workspaceId}::uuid FOR NO KEY UPDATE`),
    database.execute(sql`
      WITH told AS (
        SELECT audit_event(id, 'workspace.limits_set', id, name)
        FROM workspaces LEFT JOIN workspace_limits AS kept ON kept.workspace_id = id
        WHERE id = ${workspaceId}::uuid AND (kept.links, kept.clicks, kept.requests)
          IS DISTINCT FROM (${mostLinks}::bigint, ${clicks}::bigint, ${requests}::bigint)
      )
      SELECT * FROM told`),
    database
      .insert(workspaceLimits)
      .select(
        database
          .select({
            workspaceId: workspaces.id,
            links: sql`${mostLinks}::bigint`.as("links"),
            clicks: sql`${clicks}::bigint`.as("clicks"),
            requests: sql`${requests}::bigint`.as("requests"),
          })
          .from(workspaces)
          .where(and(eq(workspaces.id, workspaceId), isNull(workspaces.deletedAt))),
      )
      .onConflictDoUpdate({ target: workspaceLimits.workspaceId, set: limits })
      .returning({ id: workspaceLimits.workspaceId }),
  ]);
  return written.length === 1;
}

export type Suspending = {
  readonly kind: "workspace" | "domain";
  readonly id: string;
  /** `null`: not suspended any more. */
  readonly reason: string | null;
};

/** What is published of it. `null` where there is no such workspace, or no such domain that is proved. */
export async function suspend(
  database: Database,
  { kind, id, reason }: Suspending,
  lease: Lease,
): Promise<readonly EnqueuedChange[] | null> {
  const table = kind === "workspace" ? workspaces : domains;
  // One that is deleted keeps its host from everyone until it is resumed.
  const isThere = reason === null ? undefined : isNull(table.deletedAt);
  const isLeading = kind === "workspace" ? undefined : ne(domains.proof, "pending");
  const [written, enqueued] = await database.batch([
    database
      .update(table)
      .set(suspensionOf(kind, reason))
      .where(and(eq(table.id, id), isThere, isLeading))
      .returning({ id: table.id }),
    kind === "workspace" ? enqueueWrittenDomains(database, id, lease) : enqueueWritten(database, [id], lease),
  ]);
  return written.length === 1 ? toEnqueued(enqueued) : null;
}

function suspensionOf(kind: Suspending["kind"], reason: string | null) {
  // Of a domain, what it has from its workspace would end with that.
  const isOwn =
    kind === "workspace"
      ? sql`true`
      : sql`suspended_at IS DISTINCT FROM (SELECT suspended_at FROM workspaces WHERE id = domains.workspace_id)`;
  // Asked for again, it changes nothing.
  const isSame = sql`suspended_for IS NOT DISTINCT FROM ${reason}::text AND ${isOwn}`;
  const at = reason === null ? sql`NULL` : sql`now()`;
  return { suspendedAt: sql`CASE WHEN ${isSame} THEN suspended_at ELSE ${at} END`, suspendedFor: reason };
}

export type LookedUp = StoredSuspension & {
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly domainId: string;
  readonly host: string;
  readonly link: { readonly id: string; readonly url: string; readonly createdAtMs: number } | null;
};

/**
 * The domain at an address, whoever's it is, also one that is deleted and suspended; the link there, if there is one; and an entry
 * in its workspace's log. `null`: nothing is there.
 */
export async function lookUpLink(
  database: Database,
  {
    host,
    slugs,
    reason,
  }: { readonly host: string; readonly slugs: readonly string[]; readonly reason: string },
): Promise<LookedUp | null> {
  const isDomain = sql`domains.id = (
    SELECT one.id FROM domains AS one
    WHERE one.host = ${host} AND one.proof <> 'pending' AND (one.deleted_at IS NULL OR one.suspended_at IS NOT NULL)
    ORDER BY one.deleted_at DESC NULLS FIRST LIMIT 1)`;
  const isLink = sql`links.id = (
    SELECT addresses.link_id FROM addresses,
      LATERAL (SELECT CASE WHEN (settings ->> 'ignoresCase')::boolean THEN ${sql.param(slugs.map(foldSlug))}::text[]
        ELSE ${sql.param([...slugs])}::text[] END AS slugs) AS asked
    WHERE addresses.host = domains.host AND leads_visitors(domains) AND addresses.slug = ANY(slugs) AND ended_at IS NULL
    ORDER BY array_position(slugs, addresses.slug) LIMIT 1)`;
  const address = [host, ...slugs.slice(0, 1)].join("/");
  const [[found]] = await database.batch([
    database
      .select({
        workspaceId: workspaces.id,
        workspaceName: workspaces.name,
        domainId: domains.id,
        host: domains.host,
        suspendedAtMs: epochMsOrNull(domains.suspendedAt),
        suspendedFor: domains.suspendedFor,
        linkId: links.id,
        url: links.url,
        createdAtMs: epochMs(links.createdAt),
      })
      .from(domains)
      .innerJoin(workspaces, eq(workspaces.id, domains.workspaceId))
      .leftJoin(links, isLink)
      .where(isDomain),
    database.execute(sql`
      WITH told AS (
        SELECT audit_event(domains.workspace_id, CASE WHEN links.id IS NULL THEN 'domain.looked_up' ELSE 'link.looked_up' END,
          coalesce(links.id, domains.id), ${`${address}: ${reason}`})
        FROM domains LEFT JOIN links ON ${isLink} WHERE ${isDomain}
      )
      SELECT * FROM told`),
  ]);
  if (found === undefined) {
    return null;
  }
  const { linkId: id, url, createdAtMs, ...rest } = found;
  return { ...rest, link: id === null || url === null ? null : { id, url, createdAtMs } };
}

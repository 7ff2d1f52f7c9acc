/** The audit log in Postgres. Triggers write it; here it is read. */
import { auditLog } from "@hopline/db/schema";
import { and, desc, eq, gte, lt, or, type SQL, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { isOneOf } from "../to-sql.ts";
import type { Position } from "../http/page.ts";
import { actorNameOf } from "./actor.ts";
import type { Fields } from "./public-fields.ts";

/** Whose log: a workspace's, or that of a person's account. */
export type LogOwner = { readonly workspaceId: string } | { readonly personId: string };

export type LogFilter = {
  /** As they are stored, or the part before the colon. Of these and the next two: any; all for none. */
  readonly actors?: readonly string[];
  readonly actions?: readonly string[];
  /** UUIDs. */
  readonly resourceIds?: readonly string[];
  /** RFC 3339, inclusive and exclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
};

export type StoredEntry = {
  readonly id: string;
  /** Microseconds, as text: the cursor. */
  readonly atUs: string;
  readonly actor: string;
  readonly actorName: unknown;
  readonly requestId: string | null;
  readonly action: string;
  readonly resourceId: string | null;
  readonly label: string | null;
  readonly before: Fields | null;
  readonly after: Fields | null;
};

export type LogPage = { readonly after: Position | null; readonly limit: number };

/** Newest first. */
export async function listEntries(
  database: Database,
  { owner, filter }: { readonly owner: LogOwner; readonly filter: LogFilter },
  { after, limit }: LogPage,
): Promise<readonly StoredEntry[]> {
  return database
    .select({
      id: auditLog.id,
      atUs: sql<string>`(extract(epoch FROM ${auditLog.at}) * 1000000)::bigint::text`,
      actor: auditLog.actor,
      actorName: actorNameOf(sql`${auditLog.actor}`),
      requestId: auditLog.requestId,
      action: auditLog.action,
      resourceId: auditLog.resourceId,
      label: auditLog.label,
      before: auditLog.before,
      after: auditLog.after,
    })
    .from(auditLog)
    .where(and(isOf(owner), ...conditionsOf(filter), isAfter(after)))
    .orderBy(desc(auditLog.at), desc(auditLog.id))
    .limit(limit);
}

function isOf(owner: LogOwner): SQL {
  return "workspaceId" in owner
    ? eq(auditLog.workspaceId, owner.workspaceId)
    : eq(auditLog.personId, owner.personId);
}

function conditionsOf({
  actors = [],
  actions = [],
  resourceIds = [],
  from,
  to,
}: LogFilter): readonly (SQL | undefined)[] {
  return [
    actors.length === 0 ? undefined : or(...actors.map(isBy)),
    actions.length === 0 ? undefined : or(...actions.map((action) => eq(auditLog.action, action))),
    resourceIds.length === 0 ? undefined : isOneOf(auditLog.resourceId, resourceIds),
    from === undefined ? undefined : gte(auditLog.at, from),
    to === undefined ? undefined : lt(auditLog.at, to),
  ];
}

/** `job:` and all that begins with it lie before `job;` in the index: a type of actor is a range of it. */
function isBy(actor: string): SQL | undefined {
  const stored = sql`${auditLog.actor} COLLATE "C"`;
  return actor.includes(":")
    ? sql`${stored} = ${actor}`
    : sql`(${stored} = ${actor} OR ${stored} BETWEEN ${`${actor}:`} AND ${`${actor};`})`;
}

function isAfter(after: Position | null): SQL | undefined {
  return after === null
    ? undefined
    : sql`(${auditLog.at}, ${auditLog.id}) <
        ('epoch'::timestamptz + ${after.value}::bigint * interval '1 microsecond', ${after.id}::uuid)`;
}

/** Removes entries that are too old, oldest first, one slice; returns how many. */
export async function removeOldEntries(
  database: Database,
  { days, limit }: { readonly days: number; readonly limit: number },
): Promise<number> {
  const { rows } = await database.execute(sql`
    DELETE FROM audit_log WHERE ctid IN (
      SELECT ctid FROM audit_log WHERE at < now() - ${days} * interval '1 day' LIMIT ${limit}
    ) RETURNING id`);
  return rows.length;
}

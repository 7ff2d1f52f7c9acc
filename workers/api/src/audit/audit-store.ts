/** The audit log in Postgres. Triggers write it; here it is read. */
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import type { Position } from "../http/page.ts";
import { actorNameOf } from "./actor.ts";
import type { Fields } from "./public-fields.ts";

/** Whose log: a workspace's, or that of a person's account. */
export type LogOwner = { readonly workspaceId: string } | { readonly personId: string };

export type LogFilter = {
  /** As it is stored, or the part before the colon. */
  readonly actor?: string | undefined;
  /** Any of these. */
  readonly actions?: readonly string[] | undefined;
  readonly resourceId?: string | undefined;
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
  const { rows } = await database.execute(sql`
    SELECT id, (extract(epoch FROM at) * 1000000)::bigint::text AS at_us, actor, ${actorNameOf(sql`actor`)} AS actor_name,
      request_id, action, resource_id, label, before, after
    FROM audit_log WHERE ${sql.join([isOf(owner), ...conditionsOf(filter), ...isAfter(after)], sql` AND `)}
    ORDER BY at DESC, id DESC LIMIT ${limit}`);
  return rows.map((row) => ({
    id: String(row["id"]),
    atUs: String(row["at_us"]),
    actor: String(row["actor"]),
    actorName: row["actor_name"],
    requestId: toTextOrNull(row["request_id"]),
    action: String(row["action"]),
    resourceId: toTextOrNull(row["resource_id"]),
    label: toTextOrNull(row["label"]),
    before: toFieldsOrNull(row["before"]),
    after: toFieldsOrNull(row["after"]),
  }));
}

function isOf(owner: LogOwner): SQL {
  return "workspaceId" in owner
    ? sql`workspace_id = ${owner.workspaceId}::uuid`
    : sql`person_id = ${owner.personId}::uuid`;
}

function conditionsOf({ actor, actions = [], resourceId, from, to }: LogFilter): readonly SQL[] {
  return [
    ...(actor === undefined ? [] : [sql`(actor = ${actor} OR split_part(actor, ':', 1) = ${actor})`]),
    ...(actions.length === 0 ? [] : [sql`action = ANY(${sql.param([...actions])}::text[])`]),
    ...(resourceId === undefined ? [] : [sql`resource_id = ${resourceId}::uuid`]),
    ...(from === undefined ? [] : [sql`at >= ${from}::timestamptz`]),
    ...(to === undefined ? [] : [sql`at < ${to}::timestamptz`]),
  ];
}

function isAfter(after: Position | null): readonly SQL[] {
  return after === null
    ? []
    : [
        sql`(at, id) < ('epoch'::timestamptz + ${after.value}::bigint * interval '1 microsecond', ${after.id}::uuid)`,
      ];
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

function toTextOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function toFieldsOrNull(value: unknown): Fields | null {
  return typeof value === "object" && value !== null ? (value as Fields) : null;
}

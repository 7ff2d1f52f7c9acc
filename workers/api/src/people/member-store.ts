/**
 * Who is in a workspace. A workspace that has an owner keeps one: changes that could take the last one take turns on the
 * workspace's row, and look only then.
 */
import { sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { newEntityId } from "../http/entity-id.ts";
import { ProblemError } from "../http/problem.ts";
import type { IdPage } from "../http/page.ts";
import { parseRole, type Role } from "./roles.ts";

export type StoredMember = {
  readonly id: string;
  readonly personId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAtMs: number;
};

const COLUMNS = sql`members.id, members.person_id, email, name, role,
  extract(epoch FROM members.created_at) * 1000 AS created_at_ms`;

export async function listMembers(
  database: Database,
  workspaceId: string,
  { afterId, limit }: IdPage,
): Promise<readonly StoredMember[]> {
  const { rows } = await database.execute(sql`
    SELECT ${COLUMNS} FROM members JOIN people ON people.id = person_id
    WHERE workspace_id = ${workspaceId}::uuid AND (${afterId}::uuid IS NULL OR members.id < ${afterId}::uuid)
    ORDER BY members.id DESC LIMIT ${limit}`);
  return rows.map(toMember);
}

export async function findMember(
  database: Database,
  workspaceId: string,
  memberId: string,
): Promise<StoredMember | null> {
  const { rows } = await database.execute(sql`
    SELECT ${COLUMNS} FROM members JOIN people ON people.id = person_id
    WHERE workspace_id = ${workspaceId}::uuid AND members.id = ${memberId}::uuid`);
  return rows[0] === undefined ? null : toMember(rows[0]);
}

/** Who changes the member `memberId`, in which role. */
export type MemberChange = {
  readonly workspaceId: string;
  readonly memberId: string;
  readonly actorRole: Role;
};

/** Throws `ProblemError` not_found, scope_missing (owners are changed by owners) or last_owner. */
export async function changeRole(
  database: Database,
  role: Role,
  change: MemberChange,
): Promise<StoredMember> {
  const [, changed] = await database.batch([
    lockWorkspace(database, change.workspaceId),
    database.execute(sql`
      UPDATE members SET role = ${role}
      WHERE ${isChangeable(change)} AND (${change.actorRole} = 'owner' OR ${role} <> 'owner')
        AND (${role} = 'owner' OR ${keepsAnOwner(change.workspaceId)})
      RETURNING id`),
  ]);
  const member = await findMember(database, change.workspaceId, change.memberId);
  if (changed.rows.length === 0 || member === null) {
    throw refusalOf(member, change.actorRole === "owner" || role !== "owner", change.actorRole);
  }
  return member;
}

/** Throws as `changeRole` does. */
export async function removeMember(database: Database, change: MemberChange): Promise<void> {
  const [, removed] = await database.batch([
    lockWorkspace(database, change.workspaceId),
    database.execute(sql`
      DELETE FROM members WHERE ${isChangeable(change)} AND ${keepsAnOwner(change.workspaceId)} RETURNING id`),
  ]);
  if (removed.rows.length === 0) {
    const member = await findMember(database, change.workspaceId, change.memberId);
    throw refusalOf(member, true, change.actorRole);
  }
}

/** Throws `ProblemError` last_owner. */
export async function leaveWorkspace(
  database: Database,
  workspaceId: string,
  personId: string,
): Promise<void> {
  const [, removed] = await database.batch([
    lockWorkspace(database, workspaceId),
    database.execute(sql`
      DELETE FROM members WHERE workspace_id = ${workspaceId}::uuid AND person_id = ${personId}::uuid
        AND ${keepsAnOwner(workspaceId)} RETURNING id`),
  ]);
  if (removed.rows.length === 0) {
    throw new ProblemError("last_owner");
  }
}

function lockWorkspace(database: Database, workspaceId: string) {
  return database.execute(sql`SELECT FROM workspaces WHERE id = ${workspaceId}::uuid FOR NO KEY UPDATE`);
}

function isChangeable({ workspaceId, memberId, actorRole }: MemberChange) {
  return sql`members.workspace_id = ${workspaceId}::uuid AND members.id = ${memberId}::uuid
    AND (${actorRole} = 'owner' OR members.role <> 'owner')`;
}

/** Of the row that changes: it is no owner, or another one is. */
function keepsAnOwner(workspaceId: string) {
  return sql`(members.role <> 'owner' OR EXISTS (
    SELECT FROM members AS other
    WHERE other.workspace_id = ${workspaceId}::uuid AND other.role = 'owner' AND other.id <> members.id))`;
}

function refusalOf(member: StoredMember | null, mayGive: boolean, actorRole: Role): ProblemError {
  if (member === null) {
    return new ProblemError("not_found");
  }
  const mayChange = mayGive && (actorRole === "owner" || member.role !== "owner");
  return new ProblemError(mayChange ? "last_owner" : "scope_missing");
}

function toMember(row: { readonly [name: string]: unknown }): StoredMember {
  const role = parseRole(row["role"]);
  if (role === null) {
    throw new Error("invariant: the table knows no other roles");
  }
  return {
    id: String(row["id"]),
    personId: String(row["person_id"]),
    email: String(row["email"]),
    name: String(row["name"]),
    role,
    createdAtMs: Math.floor(Number(row["created_at_ms"])),
  };
}

export type NewWorkspace = { readonly name: string; readonly personId: string; readonly sessionId: string };

/** With its owner, who switches to it; returns its id. */
export async function insertWorkspace(
  database: Database,
  { name, personId, sessionId }: NewWorkspace,
): Promise<string> {
  const id = newEntityId();
  await database.execute(sql`
    WITH made AS (INSERT INTO workspaces (id, name) VALUES (${id}::uuid, ${name}) RETURNING id),
    switched AS (UPDATE sessions SET active_workspace_id = ${id}::uuid WHERE id = ${sessionId}::uuid)
    INSERT INTO members (id, workspace_id, person_id, role)
    SELECT ${newEntityId()}::uuid, id, ${personId}::uuid, 'owner' FROM made`);
  return id;
}

export async function switchWorkspace(
  database: Database,
  workspaceId: string,
  sessionId: string,
): Promise<void> {
  await database.execute(sql`
    UPDATE sessions SET active_workspace_id = ${workspaceId}::uuid, updated_at = now() WHERE id = ${sessionId}::uuid`);
}

export type MemberWorkspace = {
  readonly id: string;
  readonly name: string;
  readonly createdAtMs: number;
  readonly role: Role;
};

/** Those that a person is in, oldest membership first. */
export async function listWorkspacesOf(
  database: Database,
  personId: string,
): Promise<readonly MemberWorkspace[]> {
  const { rows } = await database.execute(sql`
    SELECT workspaces.id, name, role, extract(epoch FROM workspaces.created_at) * 1000 AS created_at_ms
    FROM members JOIN workspaces ON workspaces.id = workspace_id AND deleted_at IS NULL
    WHERE person_id = ${personId}::uuid ORDER BY members.created_at, workspaces.id`);
  return rows.map((row) => ({
    id: String(row["id"]),
    name: String(row["name"]),
    createdAtMs: Math.floor(Number(row["created_at_ms"])),
    role: parseRole(row["role"]) ?? "viewer",
  }));
}

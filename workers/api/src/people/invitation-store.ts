/** Invitations to workspaces, and what becomes of them. Each change is one statement. */
import { ON_NEWER_WORK } from "@hopline/db/work/enqueue-work";
import { sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { newEntityId } from "../http/entity-id.ts";
import type { IdPage } from "../http/page.ts";
import { INVITATION_DAYS } from "./invitation-token.ts";
import { parseRole, type Role } from "./roles.ts";

export type StoredInvitation = {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly expiresAtMs: number;
  readonly createdAtMs: number;
};

const COLUMNS = sql`id, email, role, extract(epoch FROM expires_at) * 1000 AS expires_at_ms,
  extract(epoch FROM created_at) * 1000 AS created_at_ms`;

/** Bounds how many emails a workspace may have us send to strangers. */
export const MAX_WAITING = 100;

export type NewInvitation = {
  readonly workspaceId: string;
  readonly email: string;
  readonly role: Role;
  readonly inviterId: string;
};

/**
 * Invites, and enqueues the email. Inviting again changes the role, starts the days over and sends another email. `null` if
 * the person is in the workspace already, `full` if too many invitations wait.
 */
export async function insertInvitation(
  database: Database,
  { workspaceId, email, role, inviterId }: NewInvitation,
): Promise<StoredInvitation | "full" | null> {
  const ofWorkspace = sql`workspace_id = ${workspaceId}::uuid`;
  const { rows } = await database.execute(sql`
    WITH wanted AS (
      SELECT
        (SELECT count(*) FROM invitations WHERE ${ofWorkspace} AND status = 'pending' AND email <> ${email})
          >= ${MAX_WAITING} AS is_full,
        EXISTS (SELECT FROM members JOIN people ON people.id = person_id WHERE ${ofWorkspace} AND email = ${email}) AS is_in
    ),
    invited AS (
      INSERT INTO invitations AS kept (id, workspace_id, email, role, inviter_id, expires_at)
      SELECT ${newEntityId()}::uuid, ${workspaceId}::uuid, ${email}, ${role}, ${inviterId}::uuid,
        now() + ${INVITATION_DAYS} * interval '1 day'
      FROM wanted WHERE NOT is_full AND NOT is_in
      ON CONFLICT (workspace_id, email) WHERE status = 'pending' DO UPDATE SET
        role = excluded.role, inviter_id = excluded.inviter_id, expires_at = excluded.expires_at
      RETURNING *
    ),
    queued AS (
      INSERT INTO work AS kept (kind, key) SELECT 'invitation-email', id::text FROM invited ${sql.raw(ON_NEWER_WORK)}
    )
    SELECT ${COLUMNS}, is_full FROM wanted LEFT JOIN invited ON true`);
  const row = rows[0];
  if (row === undefined || row["id"] === null) {
    return row?.["is_full"] === true ? "full" : null;
  }
  return toInvitation(row);
}

/** Those that wait, newest first, those that are too old included, and those whose inviter may invite nobody any more. */
export async function listInvitations(
  database: Database,
  workspaceId: string,
  { afterId, limit }: IdPage,
): Promise<readonly StoredInvitation[]> {
  const { rows } = await database.execute(sql`
    SELECT ${COLUMNS} FROM invitations
    WHERE workspace_id = ${workspaceId}::uuid AND status = 'pending'
      AND (${afterId}::uuid IS NULL OR id < ${afterId}::uuid)
    ORDER BY id DESC LIMIT ${limit}`);
  return rows.map(toInvitation);
}

/** False if no such invitation waits. */
export async function cancelInvitation(
  database: Database,
  workspaceId: string,
  invitationId: string,
): Promise<boolean> {
  const { rows } = await database.execute(sql`
    UPDATE invitations SET status = 'canceled'
    WHERE workspace_id = ${workspaceId}::uuid AND id = ${invitationId}::uuid AND status = 'pending' RETURNING id`);
  return rows.length > 0;
}

export type OpenInvitation = {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly workspaceName: string;
  readonly inviterName: string | null;
  /** The account that the invited address has, if it has one. */
  readonly personId: string | null;
};

/** One that can be accepted now. */
export async function findInvitation(database: Database, id: string): Promise<OpenInvitation | null> {
  const { rows } = await database.execute(sql`
    SELECT invitations.id, invitations.email, role, workspaces.name AS workspace_name, inviter.name AS inviter_name,
      person.id AS person_id
    FROM invitations JOIN workspaces ON workspaces.id = workspace_id
    LEFT JOIN people AS inviter ON inviter.id = inviter_id
    LEFT JOIN people AS person ON person.email = invitations.email
    WHERE invitations.id = ${id}::uuid AND ${IS_OPEN}`);
  const row = rows[0];
  return row === undefined
    ? null
    : {
        id: String(row["id"]),
        email: String(row["email"]),
        role: toRole(row["role"]),
        workspaceName: String(row["workspace_name"]),
        inviterName: toTextOrNull(row["inviter_name"]),
        personId: toTextOrNull(row["person_id"]),
      };
}

/** Whoever invited may still do so: somebody who was removed comes back through nobody that they have invited before. */
const IS_VOUCHED = sql`EXISTS (
  SELECT FROM members AS inviter WHERE inviter.workspace_id = invitations.workspace_id AND inviter.person_id = inviter_id
    AND (inviter.role = 'owner' OR (inviter.role = 'admin' AND invitations.role <> 'owner')))`;

const IS_OPEN = sql`invitations.status = 'pending' AND invitations.expires_at > now() AND workspaces.deleted_at IS NULL
  AND ${IS_VOUCHED}`;

/** For the account of the invited address. False if it can't be accepted any more. */
export async function acceptAsPerson(
  database: Database,
  { invitationId, personId }: { readonly invitationId: string; readonly personId: string },
): Promise<boolean> {
  const { rows } = await database.execute(sql`
    WITH accepted AS (
      UPDATE invitations SET status = 'accepted' FROM workspaces, people
      WHERE workspaces.id = workspace_id AND invitations.id = ${invitationId}::uuid AND ${IS_OPEN}
        AND people.id = ${personId}::uuid AND people.email = invitations.email
      RETURNING workspace_id, role
    ),
    member AS (
      INSERT INTO members (id, workspace_id, person_id, role)
      SELECT ${newEntityId()}::uuid, workspace_id, ${personId}::uuid, role FROM accepted
      ON CONFLICT (workspace_id, person_id) DO NOTHING
    )
    SELECT FROM accepted`);
  return rows.length > 0;
}

export type NewAccount = {
  readonly personId: string;
  readonly name: string;
  /** `null`: the person signs in by email. */
  readonly passwordHash: string | null;
};

/** Makes the account and the membership. False if it can't be accepted any more, or the address has an account meanwhile. */
export async function acceptAsNewPerson(
  database: Database,
  invitationId: string,
  { personId, name, passwordHash }: NewAccount,
): Promise<boolean> {
  const { rows } = await database.execute(sql`
    WITH accepted AS (
      UPDATE invitations SET status = 'accepted' FROM workspaces
      WHERE workspaces.id = workspace_id AND invitations.id = ${invitationId}::uuid AND ${IS_OPEN}
        AND NOT EXISTS (SELECT FROM people WHERE people.email = invitations.email)
      RETURNING invitations.email, workspace_id, role
    ),
    person AS (
      INSERT INTO people (id, name, email, email_verified)
      SELECT ${personId}::uuid, ${name}, email, true FROM accepted RETURNING id
    ),
    account AS (
      INSERT INTO accounts (id, person_id, provider_id, account_id, password)
      SELECT ${newEntityId()}::uuid, id, 'credential', id::text, ${passwordHash} FROM person
      WHERE ${passwordHash}::text IS NOT NULL
    )
    INSERT INTO members (id, workspace_id, person_id, role)
    SELECT ${newEntityId()}::uuid, workspace_id, person.id, role FROM accepted, person RETURNING id`);
  return rows.length > 0;
}

function toInvitation(row: { readonly [name: string]: unknown }): StoredInvitation {
  return {
    id: String(row["id"]),
    email: String(row["email"]),
    role: toRole(row["role"]),
    expiresAtMs: Math.floor(Number(row["expires_at_ms"])),
    createdAtMs: Math.floor(Number(row["created_at_ms"])),
  };
}

function toRole(value: unknown): Role {
  const role = parseRole(value);
  if (role === null) {
    throw new Error("invariant: the table knows no other roles");
  }
  return role;
}

function toTextOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

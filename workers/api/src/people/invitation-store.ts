/** Invitations to workspaces, and what becomes of them. Each change is one statement. */
import type { StoredBound } from "@hopline/db/links/bounds";
import { UNIQUE_VIOLATION } from "@hopline/db/database-failure";
import { ON_NEWER_WORK } from "@hopline/db/work/enqueue-work";
import { invitations, members, people, workspaces } from "@hopline/db/schema";
import { and, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { type Database, failureOf, type RowOf } from "../database.ts";
import { toSql } from "../to-sql.ts";
import { type NamedBound, namesOfBound } from "../http/bounds/bound-store.ts";
import { newEntityId } from "../http/entity-id.ts";
import { isExpected, nextVersion, type Rows, type RowTarget } from "../http/list-rows.ts";
import { ProblemError } from "../http/problem.ts";
import { epochMs } from "../instant.ts";
import { INVITATION_DAYS } from "./invitation-token.ts";
import type { Role } from "../http/roles.ts";

const columns = {
  id: invitations.id,
  email: invitations.email,
  role: invitations.role,
  bounds: namesOfBound(sql`invitations.bounds`),
  expiresAtMs: epochMs(invitations.expiresAt),
  version: invitations.version,
  createdAtMs: epochMs(invitations.createdAt),
};
export type StoredInvitation = RowOf<typeof columns>;

function isWaiting(workspaceId: string): SQL | undefined {
  return and(eq(invitations.workspaceId, workspaceId), eq(invitations.status, "pending"));
}

/** Bounds how many emails a workspace may have us send to strangers. */
export const MAX_WAITING = 100;

export type NewInvitation = {
  /** Of the request, and of the invitation if the address has none that waits. */
  readonly id: string;
  readonly workspaceId: string;
  readonly email: string;
  readonly role: Role;
  /** Of the member. `null`: all of the workspace. */
  readonly bounds: StoredBound | null;
  readonly inviterId: string;
};

/**
 * Invites, and enqueues the email. Inviting again changes role and bounds, starts the days over and sends another email; another attempt
 * of the same request does not. `null` if the person is in the workspace already, `full` if too many invitations wait.
 */
export async function insertInvitation(
  database: Database,
  { id: requestId, workspaceId, email, role, bounds, inviterId }: NewInvitation,
): Promise<StoredInvitation | "full" | null> {
  // Those that are asked for at once take turns, or each of them would find room.
  const turn = database
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(eq(workspaces.id, workspaceId))
    .for("no key update");
  const inviting = database.execute(sql`
    WITH wanted AS (
      SELECT
        (SELECT count(*) FROM ${invitations} WHERE ${isWaiting(workspaceId)} AND email <> ${email})
          >= ${MAX_WAITING} AS is_full,
        EXISTS (
          SELECT FROM members JOIN people ON people.id = person_id
          WHERE workspace_id = ${workspaceId}::uuid AND email = ${email}
        ) AS is_in
    ),
    invited AS (
      INSERT INTO invitations AS kept (id, request_id, workspace_id, email, role, bounds, inviter_id, expires_at)
      SELECT ${requestId}::uuid, ${requestId}::uuid, ${workspaceId}::uuid, ${email}, ${role},
        ${bounds && JSON.stringify(bounds)}::jsonb, ${inviterId}::uuid,
        now() + ${INVITATION_DAYS} * interval '1 day'
      FROM wanted WHERE NOT is_full AND NOT is_in
        AND NOT EXISTS (SELECT FROM invitations WHERE id = ${requestId}::uuid AND status <> 'pending')
      ON CONFLICT (workspace_id, email) WHERE status = 'pending' DO UPDATE SET
        version = CASE WHEN kept.request_id = excluded.request_id THEN kept.version ELSE kept.version + 1 END, role = excluded.role, bounds = excluded.bounds, inviter_id = excluded.inviter_id, request_id = excluded.request_id,
        expires_at = CASE WHEN kept.request_id = excluded.request_id THEN kept.expires_at ELSE excluded.expires_at END
      RETURNING id
    ),
    queued AS (
      INSERT INTO work AS kept (kind, key) SELECT 'invitation-email', id::text FROM invited
      WHERE NOT EXISTS (SELECT FROM invitations AS earlier WHERE earlier.id = invited.id AND earlier.request_id = ${requestId}::uuid)
      ${toSql(ON_NEWER_WORK)}
    )
    SELECT is_full, id FROM wanted LEFT JOIN invited ON true`);
  const kept = database
    .select(columns)
    .from(invitations)
    .where(and(isWaiting(workspaceId), eq(invitations.email, email)));
  const [, { rows }, [stored]] = await database.batch([turn, inviting, kept]);
  const { is_full: isFull, id } = rows[0] ?? {};
  return id === null || stored === undefined ? (isFull === true ? "full" : null) : stored;
}

/** Those that wait, those that are too old included, and those whose inviter may not invite any more. */
export function invitationsOf(database: Database, workspaceId: string): Rows<StoredInvitation> {
  return {
    where: isWaiting(workspaceId),
    id: invitations.id,
    name: invitations.email,
    nameOf: ({ email }) => email,
    searched: [invitations.email],
    select: (where) => database.select(columns).from(invitations).where(where),
  };
}

/** False if no such invitation waits. */
export async function deleteInvitation(
  database: Database,
  { workspaceId, id, ifMatch }: RowTarget,
): Promise<boolean> {
  const rows = await database
    .update(invitations)
    .set({ status: "canceled", version: nextVersion(invitations.version) })
    .where(and(isWaiting(workspaceId), eq(invitations.id, id), isExpected(invitations.version, ifMatch)))
    .returning({ id: invitations.id });
  return rows.length > 0;
}

export type OpenInvitation = {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly bounds: NamedBound | null;
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly inviterName: string;
  /** The account that the invited address has, if it has one. */
  readonly personId: string | null;
};

/** One that can be accepted now. */
export async function findInvitation(database: Database, id: string): Promise<OpenInvitation | null> {
  const [inviter, person] = [alias(people, "inviter"), alias(people, "person")];
  const rows = await database
    .select({
      id: invitations.id,
      email: invitations.email,
      role: invitations.role,
      bounds: columns.bounds,
      workspaceId: workspaces.id,
      workspaceName: workspaces.name,
      inviterName: inviter.name,
      personId: person.id,
    })
    .from(invitations)
    .innerJoin(workspaces, eq(workspaces.id, invitations.workspaceId))
    .innerJoin(inviter, eq(inviter.id, invitations.inviterId))
    .leftJoin(person, eq(person.email, invitations.email))
    .where(and(eq(invitations.id, id), IS_OPEN));
  return rows[0] ?? null;
}

/** The inviter may still invite: a member who was removed does not come back by an account that they have invited before. */
const IS_VOUCHED = sql`EXISTS (
  SELECT FROM ${members} AS inviter
  WHERE inviter.workspace_id = ${invitations.workspaceId} AND inviter.person_id = ${invitations.inviterId}
    AND (inviter.role = 'owner' OR (inviter.role = 'admin' AND ${invitations.role} <> 'owner')))`;

const IS_OPEN = and(
  eq(invitations.status, "pending"),
  gt(invitations.expiresAt, sql`now()`),
  isNull(workspaces.deletedAt),
  IS_VOUCHED,
);

/** Whether an invitation to any workspace waits for this address, and can be accepted. */
export async function isInvited(database: Database, email: string): Promise<boolean> {
  const rows = await database
    .select({ id: invitations.id })
    .from(invitations)
    .innerJoin(workspaces, eq(workspaces.id, invitations.workspaceId))
    .where(and(eq(invitations.email, email), IS_OPEN))
    .limit(1);
  return rows.length > 0;
}

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
      RETURNING workspace_id, role, bounds
    ),
    member AS (
      INSERT INTO members (id, workspace_id, person_id, role, bounds)
      SELECT ${newEntityId()}::uuid, workspace_id, ${personId}::uuid, role, bounds FROM accepted
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

/**
 * Makes the account and the membership. False if it can't be accepted any more. Throws `ProblemError` sign_in_first if the address
 * gets an account at this moment.
 */
export async function acceptAsNewPerson(
  database: Database,
  invitationId: string,
  { personId, name, passwordHash }: NewAccount,
): Promise<boolean> {
  const accepting = database.execute(sql`
    WITH accepted AS (
      UPDATE invitations SET status = 'accepted' FROM workspaces
      WHERE workspaces.id = workspace_id AND invitations.id = ${invitationId}::uuid AND ${IS_OPEN}
        AND NOT EXISTS (SELECT FROM people WHERE people.email = invitations.email)
      RETURNING invitations.email, workspace_id, role, bounds
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
    INSERT INTO members (id, workspace_id, person_id, role, bounds)
    SELECT ${newEntityId()}::uuid, workspace_id, person.id, role, bounds FROM accepted, person RETURNING id`);
  const { rows } = await accepting.catch((error: unknown) => {
    throw failureOf(error).sqlState === UNIQUE_VIOLATION ? new ProblemError("sign_in_first") : error;
  });
  return rows.length > 0;
}

/**
 * Who is in a workspace. A workspace that has an owner keeps one: changes that could take the last one take turns on the
 * workspace's row, and look only then.
 */
import { members, people, workspaces } from "@hopline/db/schema";
import { and, asc, eq, exists, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { StoredBound } from "@hopline/db/links/bounds";
import { type NamedBound, namesOfBound } from "../http/bounds/bound-store.ts";
import { type Database, failureOf, type RowOf } from "../database.ts";
import { findRow, isExpected, nextVersion, type Rows, type RowTarget } from "../http/list-rows.ts";
import type { NewIds } from "../http/new-ids.ts";
import { invalidField, ProblemError } from "../http/problem.ts";
import { epochMs } from "../instant.ts";
import type { Role } from "../http/roles.ts";

const columns = {
  id: members.id,
  personId: members.personId,
  email: people.email,
  name: people.name,
  role: members.role,
  bounds: namesOfBound(sql`members.bounds`),
  version: members.version,
  createdAtMs: epochMs(members.createdAt),
};
export type StoredMember = RowOf<typeof columns>;

export function membersOf(database: Database, workspaceId: string): Rows<StoredMember> {
  return {
    where: eq(members.workspaceId, workspaceId),
    id: members.id,
    name: people.name,
    nameOf: ({ name }) => name,
    searched: [people.name, people.email],
    select: (where) =>
      database.select(columns).from(members).innerJoin(people, eq(people.id, members.personId)).where(where),
  };
}

export function findMember(
  database: Database,
  workspaceId: string,
  id: string,
): Promise<StoredMember | null> {
  return findRow(membersOf(database, workspaceId), id);
}

/** And who changes it, in the role that they had when they asked. */
export type MemberChange = RowTarget & { readonly personId: string; readonly actorRole: Role };

/**
 * Throws `ProblemError` not_found, version_mismatch, scope_missing (owners are changed by owners; and by no person whose own role
 * another request has just changed), last_owner, or invalid for bounds of an admin or an owner.
 */
export async function changeMember(
  database: Database,
  { role, bounds }: NewRights,
  change: MemberChange,
): Promise<StoredMember> {
  const mayGive = change.actorRole === "owner" || role !== "owner";
  const keeps =
    role === "owner" || role === undefined ? undefined : keepsAnOwner(database, change.workspaceId);
  const [, changed] = await database
    .batch([
      lockWorkspace(database, change.workspaceId),
      database
        .update(members)
        .set({ role, bounds, version: nextVersion(members.version) })
        .where(and(isChangeable(database, change), sql`${mayGive}`, keeps))
        .returning({ id: members.id }),
    ])
    .catch(explainBounded);
  const member = await findMember(database, change.workspaceId, change.id);
  if (changed.length === 0 || member === null) {
    throw await refusalOf(database, { member, mayGive, change });
  }
  return member;
}

/** What is absent stays. */
export type NewRights = {
  readonly role?: Role | undefined;
  readonly bounds?: StoredBound | null | undefined;
};

export const BOUNDED_ROLES = "are for viewers and editors: give another role, or null for no bounds";

function explainBounded(error: unknown): never {
  throw failureOf(error).constraint === "members_bounded_role"
    ? invalidField("bounds", BOUNDED_ROLES)
    : error;
}

/** Throws as `changeMember` does. */
export async function deleteMember(database: Database, change: MemberChange): Promise<void> {
  const [, removed] = await database.batch([
    lockWorkspace(database, change.workspaceId),
    database
      .delete(members)
      .where(and(isChangeable(database, change), keepsAnOwner(database, change.workspaceId)))
      .returning({ id: members.id }),
  ]);
  if (removed.length === 0) {
    const member = await findMember(database, change.workspaceId, change.id);
    throw await refusalOf(database, { member, mayGive: true, change });
  }
}

/** Throws `ProblemError` last_owner, or workspace_not_found where another request was first. */
export async function leaveWorkspace(
  database: Database,
  workspaceId: string,
  personId: string,
): Promise<void> {
  const isTheirs = and(eq(members.workspaceId, workspaceId), eq(members.personId, personId));
  const [, removed, left] = await database.batch([
    lockWorkspace(database, workspaceId),
    database
      .delete(members)
      .where(and(isTheirs, keepsAnOwner(database, workspaceId)))
      .returning({ id: members.id }),
    database.select({ id: members.id }).from(members).where(isTheirs),
  ]);
  if (removed.length === 0) {
    throw new ProblemError(left.length === 0 ? "workspace_not_found" : "last_owner");
  }
}

function lockWorkspace(database: Database, workspaceId: string) {
  return database
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(eq(workspaces.id, workspaceId))
    .for("no key update");
}

function isChangeable(database: Database, change: MemberChange): SQL | undefined {
  return and(
    eq(members.workspaceId, change.workspaceId),
    eq(members.id, change.id),
    isExpected(members.version, change.ifMatch),
    change.actorRole === "owner" ? undefined : ne(members.role, "owner"),
    exists(findActor(database, change)),
  );
}

/** Who asks, if they still have the role. Of a member who lost it meanwhile, a request that was on its way must not give it back. */
function findActor(database: Database, { workspaceId, personId, actorRole }: MemberChange) {
  const actor = alias(members, "actor");
  return database
    .select({ id: actor.id })
    .from(actor)
    .where(and(eq(actor.workspaceId, workspaceId), eq(actor.personId, personId), eq(actor.role, actorRole)));
}

/** Of the row that changes: it is no owner, or another one is. */
function keepsAnOwner(database: Database, workspaceId: string): SQL | undefined {
  const other = alias(members, "other");
  const otherOwner = database
    .select({ id: other.id })
    .from(other)
    .where(and(eq(other.workspaceId, workspaceId), eq(other.role, "owner"), ne(other.id, members.id)));
  return or(ne(members.role, "owner"), exists(otherOwner));
}

type Refused = {
  readonly member: StoredMember | null;
  readonly mayGive: boolean;
  readonly change: MemberChange;
};

async function refusalOf(database: Database, { member, mayGive, change }: Refused): Promise<ProblemError> {
  if (member === null) {
    return new ProblemError("not_found");
  }
  if (change.ifMatch?.includes(member.version) === false) {
    return new ProblemError("version_mismatch");
  }
  const isOwner = change.actorRole === "owner";
  const [actor] = await findActor(database, change);
  const mayChange = actor !== undefined && mayGive && (isOwner || member.role !== "owner");
  return new ProblemError(mayChange ? "last_owner" : "scope_missing");
}

export type NewWorkspace = {
  readonly ids: NewIds;
  readonly name: string;
  readonly personId: string;
};

/** With its owner; returns its id. */
export async function insertWorkspace(
  database: Database,
  { ids, name, personId }: NewWorkspace,
): Promise<string> {
  const id = ids.idAt(0);
  const owner = { id: ids.idAt(1), workspaceId: id, personId, role: "owner" as const };
  // An earlier attempt of the same request may have made them.
  await database.batch([
    database.insert(workspaces).values({ id, name }).onConflictDoNothing({ target: workspaces.id }),
    database.insert(members).values(owner).onConflictDoNothing({ target: members.id }),
  ]);
  return id;
}

export type MemberWorkspace = {
  readonly id: string;
  readonly name: string;
  readonly qrPresets: unknown;
  readonly defaults: unknown;
  readonly version: number;
  readonly createdAtMs: number;
  readonly role: Role;
  readonly bounds: NamedBound | null;
};

/** Those that a person is in, oldest membership first. */
export async function listWorkspacesOf(
  database: Database,
  personId: string,
): Promise<readonly MemberWorkspace[]> {
  return database
    .select({
      id: workspaces.id,
      name: workspaces.name,
      qrPresets: workspaces.qrPresets,
      defaults: workspaces.defaults,
      role: members.role,
      bounds: namesOfBound(sql`members.bounds`),
      version: workspaces.version,
      createdAtMs: epochMs(workspaces.createdAt),
    })
    .from(members)
    .innerJoin(workspaces, and(eq(workspaces.id, members.workspaceId), isNull(workspaces.deletedAt)))
    .where(eq(members.personId, personId))
    .orderBy(asc(members.createdAt), asc(workspaces.id));
}

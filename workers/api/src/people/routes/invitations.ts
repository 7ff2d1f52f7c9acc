/** Invitations to a workspace: made and withdrawn by its admins, accepted by the person who has the email. */
import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { ApiDeps } from "../../api-deps.ts";
import { actMoreExactly } from "../../acting.ts";
import { requireFresh } from "../../http/authenticate.ts";
import { BoundShape, toBound } from "../../http/bounds/bound-shape.ts";
import { requireMemberBound } from "../../http/bounds/bound-store.ts";
import { orNull } from "../../http/or-null.ts";
import { BOUNDED_ROLES } from "../member-store.ts";
import { newEntityId, toPublicId } from "../../http/entity-id.ts";
import { endpoint } from "../../http/endpoint.ts";
import { jsonAnswer, jsonBody, needsPerson } from "../../http/operation.ts";
import { invalidField, ProblemError } from "../../http/problem.ts";
import { requireActing } from "../../http/require-person.ts";
import { resource } from "../../http/resource.ts";
import { toInstant } from "../../instant.ts";
import {
  acceptAsNewPerson,
  acceptAsPerson,
  deleteInvitation,
  findInvitation,
  insertInvitation,
  invitationsOf,
  MAX_WAITING,
  type OpenInvitation,
  type StoredInvitation,
} from "../invitation-store.ts";
import { INVITATION_DAYS, readInvitationToken } from "../invitation-token.ts";
import { findPasswordFault } from "../../passwords/find-password-fault.ts";
import { type PeopleDeps, requirePeople } from "../people-deps.ts";
import {
  Email,
  NewPassword,
  PersonName,
  RoleShape,
  SignedInBody,
  TokenShape,
  toSignedIn,
} from "../person-shape.ts";
import { maySignUp } from "../people-settings.ts";
import { readSessionToken } from "../session-cookie.ts";
import { findPersonOfToken } from "../person-store.ts";
import { countAttempt, credentialProblems, signIn } from "./credentials.ts";
import type { Database } from "../../database.ts";

const InvitationBody = z
  .object({
    id: z.string().openapi({ example: "inv_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    email: z.string(),
    role: RoleShape,
    bounds: orNull(BoundShape).openapi({ description: "Of the member that it makes." }),
    expiresAt: z.iso.datetime(),
    createdAt: z.iso.datetime(),
  })
  .openapi("Invitation");

function toInvitation({ id, email, role, bounds, expiresAtMs, createdAtMs }: StoredInvitation) {
  return {
    id: toPublicId("inv", id),
    email,
    role,
    bounds: toBound(bounds),
    expiresAt: toInstant(expiresAtMs),
    createdAt: toInstant(createdAtMs),
  };
}

const invitations = resource<ApiDeps>()({
  path: "/api/v1/workspaces/{workspaceId}/invitations",
  id: ["invitationId", "inv"],
  name: "Invitation",
  one: "an invitation",
  many: "invitations that wait",
  tag: "People",
  body: InvitationBody,
  show: toInvitation,
  reads: needsPerson("admin"),
  writes: needsPerson("admin", { isRepeatable: true }),
  rows: invitationsOf,
});

export const createInvitationOperation = invitations.create({
  "x-destructive": true,
  summary: "Invite a person by email",
  description: `The email's link works once, for ${INVITATION_DAYS} days. Inviting an address again changes role and bounds, and sends another email. Only owners invite owners, and a fresh sign-in is needed to invite an owner or an admin. Who has no account makes one by accepting, unless SIGN_UP is \`closed\`.`,
  body: [
    z
      .strictObject({
        email: Email,
        role: RoleShape,
        bounds: orNull(BoundShape).default(null).openapi({
          description: "Of a viewer or an editor. `null`: all of the workspace.",
        }),
      })
      .openapi("CreateInvitation"),
    { email: "grace@example.com", role: "editor" },
  ],
  answer: ["The invitation."],
  problems: ["sign_in_again", "already_member", "email_unavailable"],
  create: async ({ database, people: deps }, { workspaceId, newId: id, context }, invited) => {
    const people = requirePeople(deps);
    const { email, role, bounds: named } = invited;
    const { personId, actorRole } = requireActing(context);
    if (people.sendEmail === null) {
      throw new ProblemError("email_unavailable");
    }
    if (role === "owner" && actorRole !== "owner") {
      throw new ProblemError("scope_missing");
    }
    if (role === "admin" || role === "owner") {
      requireFresh(context.get("person"));
    }
    if (named !== null && (role === "admin" || role === "owner")) {
      throw invalidField("bounds", BOUNDED_ROLES);
    }
    const bounds = named && (await requireMemberBound(database, workspaceId, named));
    await countAttempt({ kind: "email", account: email }, { database, people, context });
    const invitation = { id, workspaceId, email, role, bounds, inviterId: personId };
    const stored = await insertInvitation(database, invitation);
    if (stored === "full") {
      throw invalidField("email", `${MAX_WAITING} invitations wait already: withdraw one first`);
    }
    if (stored === null) {
      throw new ProblemError("already_member");
    }
    return toInvitation(stored);
  },
});

export const listInvitationsOperation = invitations.list({
  searched: "its email",
});

export const readInvitationOperation = invitations.read();

export const deleteInvitationOperation = invitations.delete({
  summary: "Withdraw an invitation",
  remove: ({ database }, target) => deleteInvitation(database, target),
});

const AcceptBody = z
  .strictObject({
    token: TokenShape,
    name: PersonName.optional().openapi({ description: "Of a new account." }),
    password: NewPassword.optional().openapi({
      description: "Of a new account. Without one, its owner signs in by links.",
    }),
  })
  .openapi("AcceptInvitation");

export const acceptInvitationOperation = endpoint({
  method: "post",
  path: "/api/auth/invitation",
  operationId: "acceptInvitation",
  summary: "Accept an invitation, and sign in",
  description:
    "The email proves the address, so a new account needs no other proof. A person who has an account already has to be signed in to it.",
  tags: ["Sign-in"],
  security: [],
  request: { body: jsonBody(AcceptBody, { token: "inv_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f.c2lnbmF0dXJl" }) },
  responses: {
    200: jsonAnswer("Signed in.", SignedInBody),
    ...credentialProblems("token_invalid", "sign_in_first", "sign_up_closed"),
  },
}).handle(async (context, { database, people: deps }: ApiDeps) => {
  const people = requirePeople(deps);
  const { token, ...account } = context.req.valid("json");
  const counted = await countAttempt({ kind: "proof", account: null }, { database, people, context });
  const invitation = await requireInvitation(token, { database, people });
  if (invitation.personId === null) {
    const personId = await makeAccount(invitation, account, { database, people });
    await signIn({ personId, counted }, { database, people, context });
    return context.json(toSignedIn(personId, invitation.workspaceId), 200);
  }
  const { personId } = invitation;
  if ((await findSignedIn(context, { database, people })) !== personId) {
    throw new ProblemError("sign_in_first");
  }
  const accepting = { invitationId: invitation.id, personId };
  if (!(await actMoreExactly({ actor: `person:${personId}` }, () => acceptAsPerson(database, accepting)))) {
    throw new ProblemError("token_invalid");
  }
  return context.json(toSignedIn(personId, invitation.workspaceId), 200);
});

const DetailsBody = z
  .object({
    workspaceName: z.string().openapi({ example: "Bakery" }),
    inviterName: z.string().openapi({ example: "Ada Lovelace" }),
    role: RoleShape,
    bounds: orNull(BoundShape).openapi({ description: "Of the member that it makes." }),
    account: z.enum(["none", "signed-out", "signed-in"]).openapi({
      description: "Whether the invited address has one, and whether this is its session.",
    }),
  })
  .openapi("InvitationDetails");

export const readInvitationDetailsOperation = endpoint({
  method: "post",
  path: "/api/auth/invitation/details",
  operationId: "readInvitationDetails",
  summary: "See who invites you, and into which workspace",
  description: "With the token of the email, which this does not use up.",
  tags: ["Sign-in"],
  security: [],
  request: {
    body: jsonBody(z.strictObject({ token: TokenShape }).openapi("ReadInvitationDetails"), {
      token: "inv_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f.c2lnbmF0dXJl",
    }),
  },
  responses: { 200: jsonAnswer("The invitation.", DetailsBody), ...credentialProblems("token_invalid") },
}).handle(async (context, { database, people: deps }: ApiDeps) => {
  const people = requirePeople(deps);
  const { token } = context.req.valid("json");
  const { personId, bounds, ...invitation } = await requireInvitation(token, { database, people });
  const isTheirs = personId !== null && (await findSignedIn(context, { database, people })) === personId;
  const account = personId === null ? "none" : isTheirs ? "signed-in" : "signed-out";
  const { workspaceName, inviterName, role } = invitation;
  return context.json({ workspaceName, inviterName, role, bounds: toBound(bounds), account } as const, 200);
});

type Accepting = { readonly database: Database; readonly people: PeopleDeps };

/** The one that the token opens; throws `ProblemError` token_invalid. */
async function requireInvitation(
  token: string,
  { database, people: { settings } }: Accepting,
): Promise<OpenInvitation> {
  const id = await readInvitationToken(token, settings.secrets);
  const invitation = id === null ? null : await findInvitation(database, id);
  if (invitation === null) {
    throw new ProblemError("token_invalid");
  }
  return invitation;
}

/** The person whose session the request brings. */
async function findSignedIn(
  { req }: Context,
  { database, people: { settings } }: Accepting,
): Promise<string | null> {
  const token = await readSessionToken(req.header("cookie") ?? null, settings);
  return token === null ? null : findPersonOfToken(database, token);
}

type Account = { readonly name?: string | undefined; readonly password?: string | undefined };

async function makeAccount(
  { id, email, workspaceName }: OpenInvitation,
  { name, password }: Account,
  { database, people: { settings, passwords } }: Accepting,
): Promise<string> {
  if (!maySignUp(settings.signUp, { email, isInvited: true })) {
    throw new ProblemError("sign_up_closed");
  }
  const ownWords = [email, name ?? "", workspaceName];
  const fault = password === undefined ? null : await findPasswordFault(password, ownWords);
  if (fault !== null) {
    throw invalidField("password", fault);
  }
  const personId = newEntityId();
  const passwordHash = password === undefined ? null : await passwords.hash(password);
  const account = { personId, name: name ?? email.slice(0, email.lastIndexOf("@")), passwordHash };
  const acting = { actor: `person:${personId}` };
  if (!(await actMoreExactly(acting, () => acceptAsNewPerson(database, id, account)))) {
    // Another invitation to the address may have been accepted at this moment.
    const open = await findInvitation(database, id);
    throw new ProblemError(open === null ? "token_invalid" : "sign_in_first");
  }
  return personId;
}

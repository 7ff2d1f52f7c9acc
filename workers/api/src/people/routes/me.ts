/** /api/v1/me: the person who is signed in, and their password. */
import { createRoute, z } from "@hono/zod-openapi";
import type { ApiDeps } from "../../api-deps.ts";
import { requireFresh } from "../../http/authenticate.ts";
import { requireFound, toPublicId } from "../../http/entity-id.ts";
import { endpoint } from "../../http/endpoint.ts";
import {
  freshly,
  jsonAnswer,
  jsonBody,
  needsCaller,
  needsPerson,
  NO_CONTENT,
  NOT_MODIFIED,
  operation,
  problemsOnly,
  TO_CALLERS,
} from "../../http/operation.ts";
import { invalidField, ProblemError } from "../../http/problem.ts";
import { requireSignedIn } from "../../http/require-person.ts";
import { readOnlyOf, requireUnchanged, takesBack } from "../../http/read-only.ts";
import { toInstant } from "../../instant.ts";
import { OwnKeyBody, readOwnKey } from "../../keys/own-key.ts";
import { findPasswordFault } from "../../passwords/find-password-fault.ts";
import { listWorkspacesOf } from "../member-store.ts";
import { requirePeople } from "../people-deps.ts";
import { GivenPassword, NewPassword, PersonName } from "../person-shape.ts";
import {
  deleteOtherSessions,
  findProfile,
  type Profile,
  removePerson,
  renamePerson,
  replacePassword,
} from "../person-store.ts";
import { endedCookieOf } from "../session-cookie.ts";
import { countAttempt, giveCookies } from "./credentials.ts";

const MeBody = z
  .object({
    id: z.string().openapi({ example: "per_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    email: z.string(),
    name: z.string(),
    hasPassword: z.boolean(),
    isOperator: z.boolean().openapi({
      description: "Whether they may see what is of the whole deployment: its integrity.",
    }),
    createdAt: z.iso.datetime(),
  })
  .openapi("Me");

const changeable = z.object({ name: PersonName });
const UpdateMeBody = takesBack(changeable, MeBody).openapi("UpdateMe");

function toMe({ id, email, name, password, isOperator, createdAtMs }: Profile) {
  return {
    id: toPublicId("per", id),
    email,
    name,
    hasPassword: password !== null,
    isOperator,
    createdAt: toInstant(createdAtMs),
  };
}

const readMeRoute = createRoute({
  method: "get",
  path: "/api/v1/me",
  operationId: "readMe",
  summary: "Read who is signed in, or what a key may do",
  tags: ["People"],
  ...needsCaller(),
  responses: {
    200: jsonAnswer("The person, or the key.", z.union([MeBody, OwnKeyBody])),
    ...NOT_MODIFIED,
    ...problemsOnly(...TO_CALLERS, "not_found"),
  },
});

export function readMeOperation(deps: ApiDeps) {
  const { database } = deps;
  return operation(readMeRoute, async (context) => {
    if (context.get("person") === null) {
      return context.json(await readOwnKey(context.get("principal"), deps), 200);
    }
    const { personId } = requireSignedIn(context);
    return context.json(toMe(requireFound(await findProfile(database, personId))), 200);
  });
}

export const updateMeOperation = endpoint({
  method: "patch",
  path: "/api/v1/me",
  operationId: "updateMe",
  summary: "Change one's own name",
  tags: ["People"],
  ...needsPerson(null),
  request: {
    body: jsonBody(UpdateMeBody, { name: "Ada Lovelace" }),
  },
  responses: { 200: jsonAnswer("The person.", MeBody) },
  problems: ["not_found"],
}).handle(async (context, { database }: ApiDeps) => {
  const { personId } = requireSignedIn(context);
  const body = context.req.valid("json");
  const profile = requireFound(await findProfile(database, personId));
  requireUnchanged(readOnlyOf(body, changeable) ?? {}, toMe(profile));
  await renamePerson(database, personId, body.name);
  return context.json(toMe({ ...profile, name: body.name }), 200);
});

const SetPasswordBody = z
  .strictObject({ newPassword: NewPassword, currentPassword: GivenPassword.optional() })
  .openapi("SetPassword");

export const setPasswordOperation = endpoint({
  method: "put",
  path: "/api/v1/me/password",
  operationId: "setPassword",
  summary: "Set one's own password, and end all other sessions",
  description:
    "The current one is needed, unless the session began within the last fifteen minutes: a person who has lost it, or has none, signs in by a link first.",
  tags: ["People"],
  ...needsPerson(null),
  request: {
    body: jsonBody(SetPasswordBody, {
      newPassword: "correct horse battery",
      currentPassword: "correct horse battery",
    }),
  },
  responses: NO_CONTENT,
  problems: ["not_found", "sign_in_again"],
}).handle(async (context, { database, people: deps }: ApiDeps) => {
  const people = requirePeople(deps);
  const person = requireSignedIn(context);
  const { personId, sessionId } = person;
  const { newPassword, currentPassword } = context.req.valid("json");
  const { email, name, password } = requireFound(await findProfile(database, personId));
  const workspaces = await listWorkspacesOf(database, personId);
  const ownWords = [email, name, ...workspaces.map((workspace) => workspace.name)];
  const fault = await findPasswordFault(newPassword, ownWords);
  if (fault !== null) {
    throw invalidField("newPassword", fault);
  }
  const isSet = async (given: string) =>
    password !== null && (await people.passwords.verify(given, password));
  // By session, so that tries from outside are not in the way of the person who is signed in.
  const attempt = { kind: "password", account: `session ${sessionId}` } as const;
  const isGuessed = async (given: string) => {
    await countAttempt(attempt, { database, people, context });
    return isSet(given);
  };
  if (password === null) {
    requireFresh(person);
  } else if (!person.isFresh) {
    const isRight = currentPassword !== undefined && (await isGuessed(currentPassword));
    // A caller who repeats a request whose answer was lost says the one before it.
    if (!isRight && !(await isGuessed(newPassword))) {
      throw invalidField("currentPassword", "is not your password: correct it, or sign in by a link");
    }
  }
  if (await isSet(newPassword)) {
    await deleteOtherSessions(database, person);
    return context.body(null, 204);
  }
  const hash = await people.passwords.hash(newPassword);
  if (!(await replacePassword(database, { personId, sessionId, hash }))) {
    throw new ProblemError("key_invalid");
  }
  return context.body(null, 204);
});

export const deleteMeOperation = endpoint({
  method: "delete",
  path: "/api/v1/me",
  operationId: "deleteMe",
  summary: "Delete one's own account",
  description:
    "With its sessions, passkeys and memberships. What the person has made belongs to its workspace, and stays. Refused to the only owner of a workspace.",
  tags: ["People"],
  ...freshly(needsPerson(null)),
  responses: NO_CONTENT,
  problems: ["not_found", "sign_in_again", "sole_owner"],
}).handle(async (context, { database, people: deps }: ApiDeps) => {
  const { settings } = requirePeople(deps);
  const { personId } = requireSignedIn(context);
  const owned = await removePerson(database, personId);
  if (owned.length > 0) {
    const errors = owned.map((name) => ({
      path: "",
      message: `${JSON.stringify(name)} has no other owner`,
    }));
    throw new ProblemError("sole_owner", errors);
  }
  giveCookies(context, [endedCookieOf(settings.appOrigin)]);
  return context.body(null, 204);
});

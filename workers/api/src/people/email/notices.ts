/**
 * Emails that say what happened to an account, or who may do more in a workspace, so that an owner who did not do it learns of it. The
 * database's triggers enqueue them (migrations/0004), so that no path leaves one out; they are written when they are sent.
 */
import { apiKeys, members, people, workspaces } from "@hopline/db/schema";
import { and, asc, eq, isNotNull, isNull } from "drizzle-orm";
import type { Database } from "../../database.ts";
import { type EmailMessage, toShown } from "./email-message.ts";

export const NOTICE_EMAIL = "notice-email";

/** What a new way into an account is called. */
const CHANGES = {
  password: "A password was set for your Hopline account",
  passkey: "A passkey was added to your Hopline account",
  provider: "An identity provider was connected to your Hopline account",
  address: "This is the email address of your Hopline account now",
} as const;

const IS_UUID = /^[0-9a-f-]{36}$/;

/** `null` if there is no recipient any more, or nothing to tell. */
export async function writeNotice(database: Database, key: string): Promise<EmailMessage | null> {
  const [kind = "", ...ids] = key.split(":");
  const to = ids.every((id) => IS_UUID.test(id)) ? await findAddress(database, ids.at(-1) ?? "") : null;
  if (to === null) {
    return null;
  }
  switch (kind) {
    case "password":
    case "passkey":
    case "provider":
    case "address":
      return toAccountNotice(to, CHANGES[kind]);
    case "member":
      return writeMemberNotice(database, to, ids[0] ?? "");
    case "keys":
    case "capped":
      return writeKeysNotice(database, to, { kind, workspaceId: ids[0] ?? "", makerId: ids[1] ?? "" });
    default:
      return null;
  }
}

async function findAddress(database: Database, personId: string): Promise<string | null> {
  const [person] = await database.select({ email: people.email }).from(people).where(eq(people.id, personId));
  return person?.email ?? null;
}

function toAccountNotice(to: string, subject: string): EmailMessage {
  return {
    to,
    subject,
    text: `${subject}.

If that was not you, another person can use your account: sign in, remove what you don't know on the account page, set a new password, which ends all other sessions, and tell the operator of this Hopline.
`,
  };
}

async function writeMemberNotice(
  database: Database,
  to: string,
  memberId: string,
): Promise<EmailMessage | null> {
  const [member] = await database
    .select({ email: people.email, role: members.role, workspace: workspaces.name })
    .from(members)
    .innerJoin(people, eq(people.id, members.personId))
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .where(eq(members.id, memberId));
  if (member === undefined) {
    return null;
  }
  const place = toPlace(member.workspace);
  const role = member.role === "admin" ? "an admin" : "an owner";
  return {
    to,
    subject: `There is ${role === "an admin" ? "a new admin" : "a new owner"} of ${place} on Hopline`,
    text: `${member.email} is ${role} of ${place} now.

If that should not be, change their role or remove them on the workspace's page. You get this because you are an owner.
`,
  };
}

const MAX_NAMED_KEYS = 20;

/** Of keys whose maker has left, and of those whose maker has a lower role now. */
const ENDINGS = {
  keys: {
    isMeant: isNotNull(apiKeys.revokedAt),
    have: "have ended",
    why: "has left, and the API keys that they made have ended with that",
    what: "Programs that use one of them",
  },
  capped: {
    isMeant: isNull(apiKeys.revokedAt),
    have: "may do less now",
    why: "has a lower role now, and the API keys that they made may do no more than they may",
    what: "Programs that do more with one of them",
  },
} as const;

async function writeKeysNotice(
  database: Database,
  to: string,
  {
    kind,
    workspaceId,
    makerId,
  }: { readonly kind: keyof typeof ENDINGS; readonly workspaceId: string; readonly makerId: string },
): Promise<EmailMessage | null> {
  const { isMeant, have, why, what } = ENDINGS[kind];
  const keys = await database
    .select({ prefix: apiKeys.prefix, workspace: workspaces.name })
    .from(apiKeys)
    .innerJoin(workspaces, eq(workspaces.id, apiKeys.workspaceId))
    .where(and(eq(apiKeys.workspaceId, workspaceId), eq(apiKeys.makerId, makerId), isMeant))
    .orderBy(asc(apiKeys.createdAt))
    .limit(MAX_NAMED_KEYS);
  const [first] = keys;
  return first === undefined
    ? null
    : {
        to,
        subject: `API keys of ${toPlace(first.workspace)} on Hopline ${have}`,
        text: `A member of ${toPlace(first.workspace)} ${why}:

${keys.map(({ prefix }) => `${prefix}…`).join("\n")}

${what} are refused now: create a new key for each. You get this because you are an owner.
`,
      };
}

function toPlace(workspace: string): string {
  const name = toShown(workspace);
  return name === null ? "a workspace" : `the workspace ${name}`;
}

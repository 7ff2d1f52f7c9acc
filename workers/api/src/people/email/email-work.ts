/**
 * Emails as leased work: written when they are sent, so that neither a token nor a text waits in the database, and sent again
 * until they are accepted. One waits for each address and for each invitation.
 */
import { enqueueWork } from "@hopline/db/work/enqueue-work";
import type { WorkHandler } from "@hopline/db/work/run-work";
import type { Database } from "../../database.ts";
import { toSql } from "../../to-sql.ts";
import { findInvitation, isInvited } from "../invitation-store.ts";
import { INVITATION_DAYS, toInvitationToken } from "../invitation-token.ts";
import { maySignUp } from "../people-settings.ts";
import type { PeopleDeps } from "../people-deps.ts";
import { findPersonByEmail } from "../person-store.ts";
import { EMAIL_CHANGE_MINUTES, findEmailChange } from "../email-change-store.ts";
import { signId } from "../signed-id.ts";
import {
  type EmailMessage,
  toEmailChangedEmail,
  toEmailChangeEmail,
  toInvitationEmail,
  toSignInEmail,
} from "./email-message.ts";
import { NOTICE_EMAIL, writeNotice } from "./notices.ts";

const SIGN_IN_EMAIL = "sign-in-email";

/** Pages of the dashboard (workers/dashboard/app/router.tsx). */
const PAGES = { signIn: "/sign-in/link", invitation: "/invitation", emailChange: "/account/email" } as const;

/** The tenth is made after a quarter of an hour. By then no person waits for a link, and some addresses can't be sent to. */
const MAX_ATTEMPTS = 10;

export type EmailDeps = { readonly database: Database; readonly people: PeopleDeps | null };

/** Whether there is such an account is found out later, so that asking takes as long for every address. */
export async function enqueueSignInEmail(database: Database, email: string): Promise<void> {
  await database.execute(toSql(enqueueWork([{ kind: SIGN_IN_EMAIL, key: email }])));
}

/** Where emails can't be sent, they wait; a notice is old news by then, and is dropped. */
export function emailHandlers({ database, people }: EmailDeps): { readonly [kind: string]: WorkHandler } {
  if (people === null || people.sendEmail === null) {
    return { [NOTICE_EMAIL]: { run: async () => {}, timeLimitMs: 15_000, atOnce: 4, maxDelaySeconds: 600 } };
  }
  const { sendEmail } = people;
  const toHandler = (
    write: (key: string) => Promise<EmailMessage | null>,
    maxAttempts = Number.POSITIVE_INFINITY,
  ): WorkHandler => ({
    async run({ key, attempts }, signal) {
      const email = attempts > maxAttempts ? null : await write(key);
      if (email !== null) {
        await sendEmail(email, signal);
      }
    },
    timeLimitMs: 15_000,
    atOnce: 4,
    maxDelaySeconds: 600,
  });
  return {
    [SIGN_IN_EMAIL]: toHandler((email) => writeSignInEmail(email, { database, people }), MAX_ATTEMPTS),
    "invitation-email": toHandler((id) => writeInvitationEmail(id, { database, people })),
    "email-change-email": toHandler((id) => writeChangeEmail(id, { database, people })),
    "email-changed-email": toHandler(async (email) => toEmailChangedEmail(email), MAX_ATTEMPTS),
    [NOTICE_EMAIL]: toHandler((key) => writeNotice(database, key), MAX_ATTEMPTS),
  };
}

type WritingDeps = { readonly database: Database; readonly people: PeopleDeps };

/** `null` for an address that has no account and may not make one. */
async function writeSignInEmail(to: string, { database, people }: WritingDeps): Promise<EmailMessage | null> {
  const { settings, loadAuth } = people;
  const hasAccount = (await findPersonByEmail(database, to)) !== null;
  const isAllowed =
    hasAccount || maySignUp(settings.signUp, { email: to, isInvited: await isInvited(database, to) });
  if (!isAllowed) {
    return null;
  }
  const auth = await loadAuth();
  const token = await auth.createLinkToken(to);
  return toSignInEmail({ to, link: `${settings.appOrigin}${PAGES.signIn}?token=${token}` });
}

/** `null` for an invitation that was accepted or withdrawn meanwhile, or is too old. */
async function writeInvitationEmail(
  id: string,
  { database, people: { settings } }: WritingDeps,
): Promise<EmailMessage | null> {
  const found = await findInvitation(database, id);
  if (found === null) {
    return null;
  }
  const token = await toInvitationToken(id, settings.secrets[0]);
  return toInvitationEmail({
    to: found.email,
    link: `${settings.appOrigin}${PAGES.invitation}?token=${token}`,
    workspace: found.workspaceName,
    role: found.role,
    inviter: found.inviterName,
    days: INVITATION_DAYS,
  });
}

/** `null` for a change that was made or replaced meanwhile, is too old, or to an address that has an account. */
async function writeChangeEmail(
  id: string,
  { database, people: { settings } }: WritingDeps,
): Promise<EmailMessage | null> {
  const to = await findEmailChange(database, id);
  if (to === null) {
    return null;
  }
  const token = await signId("email change", id, settings.secrets[0]);
  const link = `${settings.appOrigin}${PAGES.emailChange}?token=${token}`;
  return toEmailChangeEmail({ to, link, minutes: EMAIL_CHANGE_MINUTES });
}

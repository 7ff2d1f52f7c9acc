/**
 * Emails as leased work: written when they are sent, so that neither a token nor a text waits in the database, and sent again
 * until they are accepted. One waits for each address and for each invitation.
 */
import { enqueueWork } from "@hopline/db/work/enqueue-work";
import type { WorkHandler } from "@hopline/db/work/run-work";
import type { Database } from "../../database.ts";
import { toSql } from "../../database.ts";
import { findInvitation } from "../invitation-store.ts";
import { INVITATION_DAYS, toInvitationToken } from "../invitation-token.ts";
import { maySignUp } from "../people-settings.ts";
import type { PeopleDeps } from "../people-deps.ts";
import { findPersonByEmail, isInvited } from "../person-store.ts";
import { FORM_PATHS } from "../form-paths.ts";
import { type EmailMessage, toInvitationEmail, toSignInEmail } from "./email-message.ts";

export const SIGN_IN_EMAIL = "sign-in-email";
export const INVITATION_EMAIL = "invitation-email";

/** The tenth is made after a quarter of an hour. By then nobody waits for the link, and some addresses can't be sent to. */
const MAX_SIGN_IN_ATTEMPTS = 10;

export type EmailDeps = { readonly database: Database; readonly people: PeopleDeps | null };

/** Whether there is such an account is found out later, so that asking takes as long for every address. */
export async function enqueueSignInEmail(database: Database, email: string): Promise<void> {
  await database.execute(toSql(enqueueWork([{ kind: SIGN_IN_EMAIL, key: email }])));
}

/** None where emails can't be sent: they wait. */
export function emailHandlers({ database, people }: EmailDeps): { readonly [kind: string]: WorkHandler } {
  if (people === null || people.sendEmail === null) {
    return {};
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
    [SIGN_IN_EMAIL]: toHandler(
      (email) => writeSignInEmail(email, { database, people }),
      MAX_SIGN_IN_ATTEMPTS,
    ),
    [INVITATION_EMAIL]: toHandler((id) => writeInvitationEmail(id, { database, people })),
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
  return toSignInEmail({ to, link: `${settings.appOrigin}${FORM_PATHS.link}?token=${token}` });
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
    link: `${settings.appOrigin}${FORM_PATHS.invitation}?token=${token}`,
    workspace: found.workspaceName,
    role: found.role,
    inviter: found.inviterName,
    days: INVITATION_DAYS,
  });
}

/** Email as the rest sees it: a port, and the texts of the emails to people. */

export type EmailMessage = { readonly to: string; readonly subject: string; readonly text: string };

/** Resolves when the email was accepted for delivery. Rejects when it was not: it is sent again later. */
export type SendEmail = (email: EmailMessage, signal: AbortSignal) => Promise<void>;

export function toSignInEmail({ to, link }: { readonly to: string; readonly link: string }): EmailMessage {
  return {
    to,
    subject: "Your link to sign in to Hopline",
    text: `Open this link to sign in to Hopline, or to set a new password. It works once, for 15 minutes:

${link}

If you did not ask for it, do nothing: without the link no one gets in.
`,
  };
}

type ChangeText = { readonly to: string; readonly link: string; readonly minutes: number };

export function toEmailChangeEmail({ to, link, minutes }: ChangeText): EmailMessage {
  return {
    to,
    subject: "Your new email address for Hopline",
    text: `Open this link, in the browser in which you are signed in to Hopline, to use this address for your account. It works once, for ${minutes} minutes:

${link}

If you did not ask for it, do nothing: without you nothing changes.
`,
  };
}

export function toEmailChangedEmail(to: string): EmailMessage {
  return {
    to,
    subject: "The email address of your Hopline account has changed",
    text: `Your Hopline account has another email address now. Links to sign in do not come to this one any more.

If that was not you, another person can use your account: tell the operator of this Hopline at once.
`,
  };
}

export type InvitationText = {
  readonly to: string;
  readonly link: string;
  readonly workspace: string;
  readonly role: string;
  /** `null` if that person has left meanwhile. */
  readonly inviter: string | null;
  readonly days: number;
};

export function toInvitationEmail({
  to,
  link,
  workspace,
  role,
  inviter,
  days,
}: InvitationText): EmailMessage {
  const name = toShown(workspace);
  const place = name === null ? "a workspace" : `the workspace ${name}`;
  return {
    to,
    subject: `You are invited to ${place} on Hopline`,
    text: `${toShown(inviter) ?? "A member"} invites you to ${place}, as ${role}. Open this link to accept. It works once, for ${days} days:

${link}

If you do not know them, do nothing.
`,
  };
}

/**
 * Names are chosen by people, and an invitation goes to a stranger: a name must not add lines, least of all header fields, and
 * one that mail programs would make a link of, or that is long enough for a message, is not shown.
 */
export function toShown(name: string | null): string | null {
  const line = (name ?? "").replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim();
  const isHarmless =
    line !== "" && line.length <= MAX_SHOWN_LENGTH && !/[@/]|[\p{L}\p{N}]\.[\p{L}\p{N}]/u.test(line);
  return isHarmless ? line : null;
}

const MAX_SHOWN_LENGTH = 60;

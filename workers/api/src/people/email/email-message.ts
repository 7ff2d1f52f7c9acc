/** Email as the rest sees it: a port, and the texts of the two emails there are. */

export type EmailMessage = { readonly to: string; readonly subject: string; readonly text: string };

/** Resolves when the email was accepted for delivery. Rejects when it was not: it is sent again later. */
export type SendEmail = (email: EmailMessage, signal: AbortSignal) => Promise<void>;

export function toSignInEmail({ to, link }: { readonly to: string; readonly link: string }): EmailMessage {
  return {
    to,
    subject: "Your link to sign in to Hopline",
    text: `Open this link to sign in to Hopline. It works once, for 15 minutes:

${link}

If you did not ask for it, do nothing: without the link nobody gets in.
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
  return {
    to,
    subject: `You are invited to ${oneLine(workspace)} on Hopline`,
    text: `${oneLine(inviter ?? "Somebody")} invites you to the workspace ${oneLine(workspace)}, as ${role}. Open this link to accept. It works once, for ${days} days:

${link}

If you do not know them, do nothing.
`,
  };
}

/** Names are chosen by people: they must not add lines, least of all header fields. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim();
}

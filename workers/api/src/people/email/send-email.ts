/** How emails leave: by Cloudflare's email binding, or by a webhook of the operator's. `pnpm dev` is such a webhook. */
import type { SendEmail } from "./email-message.ts";

/** Cloudflare's `send_email` binding (https://developers.cloudflare.com/email-service/). */
export type EmailBinding = {
  readonly send: (message: {
    readonly from: string;
    readonly to: string;
    readonly subject: string;
    readonly text: string;
  }) => Promise<unknown>;
};

export type EmailVariables = {
  /** The sender: `hopline@example.com`. */
  readonly EMAIL_FROM: string;
  readonly EMAIL?: EmailBinding;
  /** Takes a POST with `{from, to, subject, text}` for each email, and answers 2xx when it has it. */
  readonly EMAIL_WEBHOOK_URL?: string;
  /** Sent to it as a bearer token. */
  readonly EMAIL_WEBHOOK_TOKEN?: string;
};

/** `null` where neither is configured. Throws for variables that make no sense. */
export function createSendEmail(variables: EmailVariables, fetch: Fetch): SendEmail | null {
  const { EMAIL_FROM: from, EMAIL: binding, EMAIL_WEBHOOK_URL: url = "" } = variables;
  if (binding === undefined && url === "") {
    return null;
  }
  if (!/^[^\s@<>]+@[^\s@<>]+$/.test(from)) {
    throw new Error("EMAIL_FROM is not an email address: set it to the sender of emails.");
  }
  if (binding !== undefined) {
    return async (email) => {
      await binding.send({ from, ...email });
    };
  }
  const token = variables.EMAIL_WEBHOOK_TOKEN ?? "";
  return async (email, signal) => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ from, ...email }),
      signal,
      redirect: "manual",
    });
    await response.body?.cancel();
    if (!response.ok) {
      throw new EmailRefused(response.status);
    }
  };
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

class EmailRefused extends Error {
  constructor(status: number) {
    super(`the webhook answered ${status}`);
    this.name = `EmailRefused${status}`;
  }
}

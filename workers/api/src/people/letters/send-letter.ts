/** How letters leave: by Cloudflare's e-mail binding, or by a webhook of the operator's. `pnpm dev` is such a webhook. */
import type { SendLetter } from "./letter.ts";

/** Cloudflare's `send_email` binding (https://developers.cloudflare.com/email-service/). */
export type EmailBinding = {
  readonly send: (message: {
    readonly from: string;
    readonly to: string;
    readonly subject: string;
    readonly text: string;
  }) => Promise<unknown>;
};

export type LetterVariables = {
  /** The sender: `hopline@example.com`. */
  readonly LETTERS_FROM: string;
  readonly EMAIL?: EmailBinding;
  /** Takes a POST with `{from, to, subject, text}` for each letter, and answers 2xx when it has it. */
  readonly LETTERS_WEBHOOK_URL?: string;
  /** Sent to it as a bearer token. */
  readonly LETTERS_WEBHOOK_TOKEN?: string;
};

/** `null` where neither is configured. Throws for variables that make no sense. */
export function createSendLetter(variables: LetterVariables, fetch: Fetch): SendLetter | null {
  const { LETTERS_FROM: from, EMAIL: binding, LETTERS_WEBHOOK_URL: url = "" } = variables;
  if (binding === undefined && url === "") {
    return null;
  }
  if (!/^[^\s@<>]+@[^\s@<>]+$/.test(from)) {
    throw new Error("LETTERS_FROM is not an e-mail address: set it to the sender of letters.");
  }
  if (binding !== undefined) {
    return async (letter) => {
      await binding.send({ from, ...letter });
    };
  }
  const token = variables.LETTERS_WEBHOOK_TOKEN ?? "";
  return async (letter, signal) => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ from, ...letter }),
      signal,
      redirect: "manual",
    });
    await response.body?.cancel();
    if (!response.ok) {
      throw new LetterRefused(response.status);
    }
  };
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

class LetterRefused extends Error {
  constructor(status: number) {
    super(`the webhook answered ${status}`);
    this.name = `LetterRefused${status}`;
  }
}

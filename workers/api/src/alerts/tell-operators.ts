/** How operators hear of an alert: by email, by a webhook, or by both. Neither needs the database. */
import type { Notice } from "@hopline/core/alerts/judge-alerts";
import type { SendEmail } from "../people/email/email-message.ts";

/** Tells those whom it has not reached before. Never rejects. */
export type TellOperators = (notices: readonly Notice[], reached: readonly string[]) => Promise<Told>;

/** By their place in the variables. `failure`: of one who is still to be told; `null`: all know. */
export type Told = {
  readonly reached: readonly string[];
  readonly failure: { readonly error: unknown } | null;
};

export type AlertVariables = {
  /** Addresses, separated by commas. */
  readonly ALERT_EMAIL: string;
  /** A secret. Takes a POST with `{text, alerts: [{name, state, summary, section, at}]}`, and answers 2xx. */
  readonly ALERT_WEBHOOK_URL?: string;
};

export type TellDeps = {
  /** `null`: emails can't be sent. Throws for variables that make no sense. */
  readonly openEmail: () => SendEmail | null;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Under which operators know this deployment; may be empty. */
  readonly place: string;
};

const TIMEOUT_MS = 15_000;

/** `null`: the operator wants no alerts, so that nothing has to be looked at. */
export function createTellOperators(variables: AlertVariables, deps: TellDeps): TellOperators | null {
  const { ALERT_EMAIL, ALERT_WEBHOOK_URL: url = "" } = variables;
  const addresses = ALERT_EMAIL.split(",").flatMap((text) => (text.trim() === "" ? [] : [text.trim()]));
  if (addresses.length === 0 && url === "") {
    return null;
  }
  return async (notices, reached) => {
    const subject = subjectOf(notices, deps.place);
    const text = textOf(notices);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const call = () => post(url, { text: `${subject}\n\n${text}`, notices }, { signal, ...deps });
    const ways = new Map<string, () => Promise<void>>([
      ...addresses.map(
        (to, place) => [`email ${place}`, () => sendEmail({ to, subject, text }, signal, deps)] as const,
      ),
      ...(url === "" ? [] : [["webhook", call] as const]),
    ]);
    reached.forEach((way) => ways.delete(way));
    const sent = await Promise.allSettled(Array.from(ways.values(), (send) => send()));
    const failed = sent.find(({ status }) => status === "rejected");
    return {
      reached: [...reached, ...[...ways.keys()].filter((_way, index) => sent[index]?.status === "fulfilled")],
      failure: failed?.status === "rejected" ? { error: failed.reason } : null,
    };
  };
}

async function sendEmail(
  email: Parameters<SendEmail>[0],
  signal: AbortSignal,
  deps: TellDeps,
): Promise<void> {
  const send = deps.openEmail();
  if (send === null) {
    throw new TypeError("ALERT_EMAIL is set, and emails can't be sent: see docs/people.md.");
  }
  await send(email, signal);
}

async function post(
  url: string,
  { text, notices }: { readonly text: string; readonly notices: readonly Notice[] },
  { fetch, signal }: Pick<TellDeps, "fetch"> & { readonly signal: AbortSignal },
): Promise<void> {
  const alerts = notices.map(({ rule: { name, summary, section }, isFiring, sinceMs }) => ({
    name,
    state: isFiring ? "firing" : "over",
    summary,
    section,
    at: new Date(sinceMs).toISOString(),
  }));
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text, alerts }),
    signal,
    redirect: "manual",
  });
  await response.body?.cancel();
  if (!response.ok) {
    throw new TypeError(`the webhook answered ${response.status}`);
  }
}

function subjectOf(notices: readonly Notice[], place: string): string {
  const begun = notices.filter(({ isFiring }) => isFiring).map(({ rule }) => rule.name);
  const over = notices.filter(({ isFiring }) => !isFiring).map(({ rule }) => `${rule.name} is over`);
  return `Hopline${place === "" ? "" : ` at ${place}`}: ${[...begun, ...over].join(", ")}`;
}

function textOf(notices: readonly Notice[]): string {
  const lines = notices.map(({ rule: { name, summary, section }, isFiring, sinceMs }) => {
    const at = new Date(sinceMs).toISOString().slice(0, 16).replace("T", " ");
    return isFiring
      ? `${name} since ${at} UTC: ${summary}\nWhat to do: docs/run-book.md, ${section}.\n`
      : `${name} is over (${at} UTC).\n`;
  });
  return lines.join("\n");
}

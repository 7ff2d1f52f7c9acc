/**
 * Statements of the process that their /sql endpoint runs in, without a socket: HTTP with oneself takes a test more CPU than what
 * it asks. While faults are set they take the socket, so that a broken connection is Node's own.
 */
import type { IncomingHttpHeaders } from "node:http";

import { toErrorAnswer } from "./sql-problem.ts";

export type SqlMessage = { readonly headers: IncomingHttpHeaders; readonly body: string };

export type Shortcut = {
  /** Whether it may be taken now. */
  readonly isOpen: () => boolean;
  /** The answer's body. Rejects with what the endpoint would answer as an error. */
  readonly answer: (message: SqlMessage, gone: AbortSignal) => Promise<string | null>;
};

/** By the address of their endpoint, of all that run. */
const shortcuts = new Map<string, Shortcut>();

const overNetwork = globalThis.fetch;

/** For `fetchInProcess` to that address. Returns what closes it. */
export function openShortcut(url: string, shortcut: Shortcut): () => void {
  shortcuts.set(url, shortcut);
  return () => shortcuts.delete(url);
}

/** In place of `fetch`: anything but statements to an endpoint of this process is fetched over the network. */
export const fetchInProcess: typeof fetch = (input, init) => {
  const shortcut = typeof input === "string" ? shortcuts.get(input) : undefined;
  return shortcut?.isOpen() === true && typeof init?.body === "string"
    ? fetchThrough(shortcut, init.body, init)
    : overNetwork(input, init);
};

async function fetchThrough(
  { answer }: Shortcut,
  body: string,
  { headers, signal }: RequestInit,
): Promise<Response> {
  signal?.throwIfAborted();
  const message = { headers: inLowerCase(headers), body };
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    const answering = answer(message, signal ?? new AbortController().signal).then(
      (text) => ({ status: 200, body: text }),
      toErrorAnswer,
    );
    const answered = await Promise.race([answering, aborted]);
    return new Response(answered.body, {
      status: answered.status,
      headers: { "content-type": "application/json" },
    });
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

function inLowerCase(headers: RequestInit["headers"]): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}

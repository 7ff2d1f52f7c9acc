/** Sends one message, and tells what its receiver answered. Never rejects. */
import { type MessageHead, signMessage } from "./signature.ts";

export type Message = MessageHead & { readonly body: string };

export type Receiver = {
  readonly url: string;
  /** The message is signed with each. */
  readonly keys: readonly CryptoKey[];
};

export type Answer = {
  /** A status from 200 to 299. */
  readonly isAccepted: boolean;
  /** `null`: there was no answer. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Why there was none, or why it does not count; `null` for one that was accepted. */
  readonly error: SendError | null;
  /** The beginning of the body, as plain text: who may set a webhook's URL reads no more of what is there. */
  readonly text: string;
};

export type SendError = "timeout" | "unreachable" | "redirect" | "status" | "too-large";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export const ANSWER_TIMEOUT_MS = 10_000;
export const MAX_ANSWER_BYTES = 65_536;
export const KEPT_ANSWER_CHARACTERS = 200;
/** A character has up to four bytes. */
const KEPT_ANSWER_BYTES = 4 * KEPT_ANSWER_CHARACTERS;

export async function sendMessage(
  { body, ...head }: Message,
  { url, keys }: Receiver,
  { fetch, nowMs }: { readonly fetch: Fetch; readonly nowMs: () => number },
): Promise<Answer> {
  const headers = await signMessage(head, body, keys);
  const startedAtMs = nowMs();
  const end = (answer: Omit<Answer, "durationMs">): Answer => ({
    ...answer,
    durationMs: Math.max(0, Math.round(nowMs() - startedAtMs)),
  });
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  let status: number | null = null;
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", "user-agent": "Hopline-Webhooks/1" },
      body,
      redirect: "manual",
      signal,
    });
    ({ status } = response);
    const { text, isWhole } = await readStart(response);
    const error = faultOf(status, isWhole);
    return end({ isAccepted: error === null, status, error, text });
  } catch (error) {
    const isLate = signal.aborted || (error instanceof Error && error.name === "TimeoutError");
    return end({ isAccepted: false, status, error: isLate ? "timeout" : "unreachable", text: "" });
  }
}

/** An endless answer is cut off, and is no answer. */
function faultOf(status: number, isWhole: boolean): SendError | null {
  if (status >= 300 && status < 400) {
    return "redirect";
  }
  if (status < 200 || status >= 400) {
    return "status";
  }
  return isWhole ? null : "too-large";
}

/** Reads to the end, or to the limit: a receiver may not be made to wait for who reads nothing. */
async function readStart(response: Response): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const reader = response.body?.getReader();
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const chunk = await reader?.read();
    if (chunk === undefined || chunk.done) {
      return { text: toText(kept), isWhole: true };
    }
    if (bytes < KEPT_ANSWER_BYTES) {
      kept.push(chunk.value.subarray(0, KEPT_ANSWER_BYTES - bytes));
    }
    bytes += chunk.value.byteLength;
    if (bytes > MAX_ANSWER_BYTES) {
      await reader?.cancel();
      return { text: toText(kept), isWhole: false };
    }
  }
}

function toText(chunks: readonly Uint8Array[]): string {
  // Most answers are empty, and a decoder for each costs as much as a signature.
  if (chunks.length === 0) {
    return "";
  }
  const decoder = new TextDecoder();
  const text = chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("");
  const start = text
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, KEPT_ANSWER_CHARACTERS);
  return start.toWellFormed();
}

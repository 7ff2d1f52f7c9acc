/** What the API says went wrong, in words for people. */
import { HoplineError } from "@hopline/client/hopline-error";
import { FOR_PEOPLE, shared } from "./words.ts";

/** What to say, and what can be quoted. */
export type Explained = { readonly text: string; readonly requestId: string | null };
const UNKNOWN = shared.serverGaveAnswer;

const UNREACHABLE = shared.serverCantBeReachedCheck;
const BROKEN = shared.somethingWentWrong;
export const OFFLINE = shared.youAreOfflineWhatYouSeeMay;

/** In people's words: the API's own sentence, or what a browser knows when there was no answer. */
export function explain(error: unknown): Explained {
  if (error instanceof HoplineError) {
    return { text: FOR_PEOPLE[error.code] ?? error.problem?.detail ?? UNKNOWN, requestId: error.requestId };
  }
  if (!navigator.onLine) {
    return { text: OFFLINE, requestId: null };
  }
  // What fetch rejects with when no answer comes.
  return { text: error instanceof TypeError ? UNREACHABLE : BROKEN, requestId: null };
}

export function hasCode(error: unknown, ...codes: readonly HoplineError["code"][]): error is HoplineError {
  return error instanceof HoplineError && codes.includes(error.code);
}

/** There is no session, or it has ended. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof HoplineError && error.status === 401;
}

/** What the API says went wrong, in words for people. */
import { HoplineError } from "@hopline/client/hopline-error";
import { FOR_PEOPLE, shared } from "./words.ts";

/** What to say, and what can be quoted. */
export type Explained = { readonly text: string; readonly requestId: string | null };

/** In people's words: the API's own sentence, or what a browser knows when there was no answer. */
export function explain(error: unknown): Explained {
  if (error instanceof HoplineError) {
    const text = FOR_PEOPLE[error.code] ?? error.problem?.detail ?? shared.serverGaveAnswer;
    return { text, requestId: error.requestId };
  }
  if (!navigator.onLine) {
    return { text: shared.youAreOfflineWhatYouSeeMay, requestId: null };
  }
  // What fetch rejects with when no answer comes.
  const isUnreachable = error instanceof TypeError;
  const text = isUnreachable ? shared.serverCantBeReachedCheck : shared.somethingWentWrong;
  return { text, requestId: null };
}

export function hasCode(error: unknown, ...codes: readonly HoplineError["code"][]): error is HoplineError {
  return error instanceof HoplineError && codes.includes(error.code);
}

/** There is no session, or it has ended. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof HoplineError && error.status === 401;
}

/**
 * Repeats a request that takes a fresh sign-in once the person has signed in again: the API says so, the dialog asks
 * (confirm-sign-in.tsx), and the code that sent the request knows nothing of it.
 */
import { createAtom } from "@tanstack/react-store";

type Asked = {
  readonly answer: (hasSignedIn: boolean) => void;
  readonly answered: Promise<boolean>;
};

/** What the dialog answers; `null`: nothing is asked. One dialog, however many requests wait for it. */
export const askedToSignIn = createAtom<Asked | null>(null);

async function askToSignIn(): Promise<boolean> {
  const open = askedToSignIn.get();
  if (open !== null) {
    return open.answered;
  }
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const answer = (hasSignedIn: boolean) => {
    askedToSignIn.set(null);
    resolve(hasSignedIn);
  };
  askedToSignIn.set({ answer, answered: promise });
  return promise;
}

/** As `fetch`. What the person does not confirm stays refused. */
export async function sendFreshly(request: Request, init: RequestInit): Promise<Response> {
  const again = request.clone();
  const response = await fetch(request, init);
  return (await wantsFreshSignIn(response)) && (await askToSignIn()) ? sendFreshly(again, init) : response;
}

async function wantsFreshSignIn(response: Response): Promise<boolean> {
  if (response.status !== 403) {
    return false;
  }
  const problem: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return (problem as { readonly code?: unknown } | null)?.code === "sign_in_again";
}

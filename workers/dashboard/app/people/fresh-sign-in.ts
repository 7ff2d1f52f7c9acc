/**
 * Repeats a request that takes a fresh sign-in once the person has signed in again: the API says so, the dialog asks
 * (confirm-sign-in.tsx), and the code that sent the request knows nothing of it.
 */
import { useSyncExternalStore } from "react";

type Asked = { readonly answer: (hasSignedIn: boolean) => void };

let asked: (Asked & { readonly answered: Promise<boolean> }) | null = null;
const listeners = new Set<() => void>();

function setAsked(next: typeof asked): void {
  asked = next;
  listeners.forEach((listener) => listener());
}

/** One dialog, however many requests wait for it. */
async function askToSignIn(): Promise<boolean> {
  if (asked === null) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const answer = (hasSignedIn: boolean) => {
      setAsked(null);
      resolve(hasSignedIn);
    };
    setAsked({ answer, answered: promise });
  }
  return asked?.answered ?? false;
}

/** What the dialog answers; `null`: nothing is asked. */
export function readAsked(): Asked | null {
  return asked;
}

export function useAskedToSignIn(): Asked | null {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, readAsked);
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
  return (
    typeof problem === "object" && problem !== null && "code" in problem && problem.code === "sign_in_again"
  );
}

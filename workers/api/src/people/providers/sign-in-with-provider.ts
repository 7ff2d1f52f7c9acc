/** The second half of signing in with an identity provider: from the callback's address to a session. */
import type { Database } from "../../database.ts";
import { ProblemError } from "../../http/problem.ts";
import type { Log } from "../../log.ts";
import type { StartedSession } from "../auth.ts";
import { countRequest, recordSignIn } from "../credential-limits.ts";
import type { PeopleDeps } from "../people-deps.ts";
import { maySignUp } from "../people-settings.ts";
import { isInvited } from "../invitation-store.ts";
import { readAttemptCookie } from "./attempt-cookie.ts";
import { takeAttempt } from "./attempt-store.ts";
import { findOrMakePerson } from "./identity-store.ts";
import type { Identity, ProviderFailure } from "./provider-client.ts";
import type { ProviderSettings } from "./provider-settings.ts";

export const CALLBACK_PATH = "/api/auth/provider/:provider/callback";

/** Registered with the provider, which sends the browser nowhere else. */
export function redirectUriOf(appOrigin: string, { id }: ProviderSettings): string {
  return appOrigin + CALLBACK_PATH.replace(":provider", id);
}

export function findProvider(providers: readonly ProviderSettings[], id: string): ProviderSettings | null {
  return providers.find((provider) => provider.id === id) ?? null;
}

type Deps = { readonly database: Database; readonly people: PeopleDeps; readonly log: Log };

export type Callback = {
  readonly provider: ProviderSettings;
  readonly parameters: URLSearchParams;
  /** Of the browser's request. */
  readonly headers: Headers;
};

/**
 * The session, and the address to go on to. Throws `ProblemError`: sign_in_interrupted, provider_refused,
 * provider_unavailable, email_unverified, sign_up_closed, rate_limited.
 */
export async function signInWithProvider(
  { provider, parameters, headers }: Callback,
  { database, people, log }: Deps,
): Promise<StartedSession & { readonly returnTo: string }> {
  const { settings } = people;
  await countRequest(database, headers, settings.secrets[0]);
  const state = readAttemptCookie(headers.get("cookie"), settings.appOrigin);
  // Used up before anything else, so that no address works twice.
  const isOurs = state !== "" && parameters.get("state") === state;
  const attempt = isOurs ? await takeAttempt(database, state) : null;
  if (attempt === null || attempt.providerId !== provider.id) {
    throw new ProblemError("sign_in_interrupted");
  }
  const { nonce, codeVerifier, returnTo } = attempt;
  const client = await people.loadProviders();
  const redirectUri = redirectUriOf(settings.appOrigin, provider);
  const identity = await askProvider(provider, log, () =>
    client.finish(provider, { state, nonce, codeVerifier, redirectUri }, parameters),
  );
  const personId = await findPerson(identity, { database, people });
  const auth = await people.loadAuth();
  await recordSignIn(database, { personId, headers, counted: [] }, settings.secrets[0]);
  return { ...(await auth.startSession(personId)), returnTo };
}

async function findPerson(identity: Identity, { database, people }: Omit<Deps, "log">): Promise<string> {
  const { email } = identity;
  const isAllowed =
    email !== null &&
    maySignUp(people.settings.signUp, { email, isInvited: await isInvited(database, email) });
  const find = () => findOrMakePerson(database, identity, isAllowed);
  // Of two requests at once the other one makes the person, which this statement could not see yet.
  const personId = (await find()) ?? (isAllowed ? await find() : null);
  if (personId === null) {
    throw new ProblemError(email === null ? "email_unverified" : "sign_up_closed");
  }
  return personId;
}

/** Turns a failure of the provider's into a problem. What a person there has decided is no fault. */
export async function askProvider<Value>(
  { id }: ProviderSettings,
  log: Log,
  ask: () => Promise<Value>,
): Promise<Value> {
  try {
    return await ask();
  } catch (error) {
    if (!isProviderFailure(error)) {
      throw error;
    }
    if (error.reason !== "access_denied") {
      log({ event: "provider.failed", provider: id, reason: error.reason });
    }
    throw new ProblemError(error.kind === "unavailable" ? "provider_unavailable" : "provider_refused");
  }
}

/** By name: the class is loaded on demand. */
function isProviderFailure(error: unknown): error is ProviderFailure {
  return error instanceof Error && error.name === "ProviderFailure";
}

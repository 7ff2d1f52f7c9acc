/** What the operations under /api/auth have in common: they need no key and no session, and their answers are kept nowhere. */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { ApiDeps } from "../../api-deps.ts";
import type { Database } from "../../database.ts";
import { BODY_PROBLEMS, problemsOnly } from "../../http/operation.ts";
import type { ProblemCode } from "../../http/problem.ts";
import {
  type Attempt,
  countAttempt as countCredentialAttempt,
  type Counted,
  countRequest,
  recordSignIn,
} from "../credential-limits.ts";
import type { PeopleDeps } from "../people-deps.ts";

const ALWAYS = [
  "invalid",
  "not_found",
  "origin_refused",
  "rate_limited",
  "internal_error",
  "database_unavailable",
] as const satisfies readonly ProblemCode[];

export function credentialProblems<Code extends ProblemCode>(...codes: readonly Code[]) {
  return problemsOnly<Code | (typeof ALWAYS)[number] | (typeof BODY_PROBLEMS)[number]>(
    ...BODY_PROBLEMS,
    ...ALWAYS,
    ...codes,
  );
}

/** Of an operation without a body. */
export function bareCredentialProblems() {
  return problemsOnly(...ALWAYS);
}

type Limiting = {
  readonly database: Database;
  readonly people: PeopleDeps;
  readonly context: Context;
};

/** Counts the attempt; throws `ProblemError` rate_limited if there were too many. */
export async function countAttempt(
  attempt: Omit<Attempt, "headers">,
  { database, people, context }: Limiting,
): Promise<Counted> {
  const { headers } = context.req.raw;
  return countCredentialAttempt(database, { ...attempt, headers }, people.settings.secrets[0]);
}

/** Requests by which a person signs in, or asks to. */
const SENDS =
  /^\/api\/auth\/(?:sign-in|link|link\/open|passkey|passkey\/options|set-up|invitation|invitation\/details|provider)$/;

/** Counts what comes without a key, before its body is judged. */
export function countSignInRequests({ database, people }: Pick<ApiDeps, "database" | "people">) {
  return createMiddleware(async ({ req }, next) => {
    if (people !== null && req.method === "POST" && SENDS.test(req.path)) {
      await countRequest(database, req.raw.headers, people.settings.secrets[0]);
    }
    await next();
  });
}

/** Starts the session, and puts its cookie into the answer. The account knows this network from now on. */
export async function signIn(
  person: { readonly personId: string; readonly setCookie?: readonly string[]; readonly counted?: Counted },
  { database, people, context }: Limiting,
): Promise<void> {
  const { personId, counted = [] } = person;
  const auth = await people.loadAuth();
  giveCookies(context, person.setCookie ?? (await auth.startSession(personId)).setCookie);
  await recordSignIn(
    database,
    { personId, counted, headers: context.req.raw.headers },
    people.settings.secrets[0],
  );
}

/** Puts the session's cookie into the answer. */
export function giveCookies(context: Context, setCookie: readonly string[]): void {
  context.header("cache-control", "no-store");
  for (const cookie of setCookie) {
    context.header("set-cookie", cookie, { append: true });
  }
}

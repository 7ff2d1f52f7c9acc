/**
 * /api/auth: sign in with a password or by a link in an email, and sign out. No answer tells whether an account exists. Opening
 * the link is a POST: programs that look at what is in a mailbox must not use it up.
 */
import { z } from "@hono/zod-openapi";
import type { ApiDeps } from "../../api-deps.ts";
import { endpoint } from "../../http/endpoint.ts";
import { jsonAnswer, jsonBody, NO_CONTENT } from "../../http/operation.ts";
import { ProblemError } from "../../http/problem.ts";
import { enqueueSignInEmail } from "../email/email-work.ts";
import { requirePeople } from "../people-deps.ts";
import { Email, GivenPassword, SignedInBody, TokenShape, toSignedIn } from "../person-shape.ts";
import { endSessionOfToken, recordRefusal } from "../person-store.ts";
import { endedCookieOf, readSessionToken } from "../session-cookie.ts";
import {
  bareCredentialProblems,
  countAttempt,
  credentialProblems,
  giveCookies,
  signIn,
} from "./credentials.ts";

const SignInBody = z.strictObject({ email: Email, password: GivenPassword }).openapi("SignIn");

export const signInOperation = endpoint({
  method: "post",
  path: "/api/auth/sign-in",
  operationId: "signIn",
  summary: "Sign in with a password",
  description:
    "Only at the deployment's APP_ORIGIN, and with its Origin. The session is a cookie, and ends after 30 days.",
  tags: ["Sign-in"],
  security: [],
  request: { body: jsonBody(SignInBody, { email: "ada@example.com", password: "correct horse battery" }) },
  responses: {
    200: jsonAnswer("Signed in.", SignedInBody),
    ...credentialProblems("sign_in_failed"),
  },
}).handle(async (context, { database, people: deps }: ApiDeps) => {
  const people = requirePeople(deps);
  const { email, password } = context.req.valid("json");
  const counted = await countAttempt({ kind: "password", account: email }, { database, people, context });
  const auth = await people.loadAuth();
  const started = await auth.signIn(email, password);
  if (started === null) {
    await recordRefusal(database, email);
    throw new ProblemError("sign_in_failed");
  }
  await signIn({ ...started, counted }, { database, people, context });
  return context.json(toSignedIn(started.personId), 200);
});

export const requestLinkOperation = endpoint({
  method: "post",
  path: "/api/auth/link",
  operationId: "requestSignInLink",
  summary: "Ask for an email with a link to sign in",
  description:
    "The answer is the same for every address. A person who may make an account (SIGN_UP) makes it by opening the link.",
  tags: ["Sign-in"],
  security: [],
  request: {
    body: jsonBody(z.strictObject({ email: Email }).openapi("RequestLink"), { email: "ada@example.com" }),
  },
  responses: {
    202: { description: "If there is such an account, or there may be, an email is on its way." },
    ...credentialProblems("email_unavailable"),
  },
}).handle(async (context, { database, people: deps }: ApiDeps) => {
  const people = requirePeople(deps);
  if (people.sendEmail === null) {
    throw new ProblemError("email_unavailable");
  }
  const { email } = context.req.valid("json");
  await countAttempt({ kind: "email", account: email }, { database, people, context });
  await enqueueSignInEmail(database, email);
  return context.body(null, 202);
});

export const openLinkOperation = endpoint({
  method: "post",
  path: "/api/auth/link/open",
  operationId: "openSignInLink",
  summary: "Sign in with the token of such a link, once",
  tags: ["Sign-in"],
  security: [],
  request: {
    body: jsonBody(z.strictObject({ token: TokenShape }).openapi("OpenLink"), {
      token: "vYkQzBtTnLwXcGdHsRmJpFqZ",
    }),
  },
  responses: { 200: jsonAnswer("Signed in.", SignedInBody), ...credentialProblems("token_invalid") },
}).handle(async (context, { database, people: deps }: ApiDeps) => {
  const people = requirePeople(deps);
  const { token } = context.req.valid("json");
  const counted = await countAttempt({ kind: "proof", account: null }, { database, people, context });
  const auth = await people.loadAuth();
  const started = await auth.openLink(token);
  if (started === null) {
    throw new ProblemError("token_invalid");
  }
  await signIn({ ...started, counted }, { database, people, context });
  return context.json(toSignedIn(started.personId), 200);
});

export const signOutOperation = endpoint({
  method: "post",
  path: "/api/auth/sign-out",
  operationId: "signOut",
  summary: "End this session",
  tags: ["Sign-in"],
  security: [],
  responses: {
    ...NO_CONTENT,
    ...bareCredentialProblems(),
  },
}).handle(async (context, { database, people: deps }: ApiDeps) => {
  const { settings } = requirePeople(deps);
  const token = await readSessionToken(context.req.header("cookie") ?? null, settings);
  if (token !== null) {
    await endSessionOfToken(database, token);
  }
  giveCookies(context, [endedCookieOf(settings.appOrigin)]);
  return context.body(null, 204);
});

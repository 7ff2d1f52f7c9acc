/** /api/v1/me/email: another address for one's own account, once its mailbox has been opened. */
import { z } from "@hono/zod-openapi";
import type { ApiDeps } from "../../api-deps.ts";
import { endpoint } from "../../http/endpoint.ts";
import { freshly, IdempotencyHeader, jsonBody, needsPerson, NO_CONTENT } from "../../http/operation.ts";
import { ProblemError } from "../../http/problem.ts";
import { requireSignedIn } from "../../http/require-person.ts";
import { EMAIL_CHANGE_MINUTES, insertEmailChange, makeEmailChange } from "../email-change-store.ts";
import { requirePeople } from "../people-deps.ts";
import { Email, TokenShape } from "../person-shape.ts";
import { readSignedId } from "../signed-id.ts";
import { countAttempt } from "./credentials.ts";

export const changeEmailOperation = endpoint({
  method: "post",
  path: "/api/v1/me/email",
  operationId: "changeEmail",
  summary: "Ask for another email address of one's own account",
  description: `A link goes to the new address, which works once, for ${EMAIL_CHANGE_MINUTES} minutes; until it is opened nothing changes. The answer is the same for every address; one that has an account gets no email.`,
  tags: ["People"],
  ...freshly(needsPerson(null, { isRepeatable: true })),
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(z.strictObject({ email: Email }).openapi("ChangeEmail"), { email: "ada@example.org" }),
  },
  responses: { 202: { description: "If no account has the address, an email is on its way to it." } },
  problems: ["not_found", "sign_in_again", "email_unavailable"],
}).handle(async (context, { database, people: deps }: ApiDeps) => {
  const people = requirePeople(deps);
  if (people.sendEmail === null) {
    throw new ProblemError("email_unavailable");
  }
  const { personId } = requireSignedIn(context);
  const { email } = context.req.valid("json");
  await countAttempt({ kind: "email", account: email }, { database, people, context });
  await insertEmailChange(database, { id: context.get("newIds").idAt(0), personId, email });
  return context.body(null, 202);
});

export const confirmEmailOperation = endpoint({
  method: "post",
  path: "/api/v1/me/email/confirm",
  operationId: "confirmEmail",
  summary: "Take the new address, with the token of that link",
  description:
    "By the person who asked for it: opened by another, the link changes nothing. An email to the former address says that it was changed.",
  tags: ["People"],
  ...needsPerson(null),
  request: {
    body: jsonBody(z.strictObject({ token: TokenShape }).openapi("ConfirmEmail"), {
      token: "vYkQzBtTnLwXcGdHsRmJpFqZ",
    }),
  },
  responses: NO_CONTENT,
  problems: ["not_found", "token_invalid"],
}).handle(async (context, { database, people: deps }: ApiDeps) => {
  const people = requirePeople(deps);
  const { personId } = requireSignedIn(context);
  const id = await readSignedId("email change", context.req.valid("json").token, people.settings.secrets);
  if (id === null || !(await makeEmailChange(database, personId, id))) {
    throw new ProblemError("token_invalid");
  }
  return context.body(null, 204);
});

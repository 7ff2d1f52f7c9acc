/** POST /api/auth/set-up: the first person of a deployment. */
import { z } from "@hono/zod-openapi";
import type { ApiDeps } from "../../api-deps.ts";
import { actMoreExactly } from "../../acting.ts";
import type { Database } from "../../database.ts";
import { newEntityId } from "../../http/entity-id.ts";
import { endpoint } from "../../http/endpoint.ts";
import { jsonAnswer, jsonBody } from "../../http/operation.ts";
import { invalidField, ProblemError } from "../../http/problem.ts";
import { plainText } from "../../http/text-shape.ts";
import { findPasswordFault } from "../../passwords/find-password-fault.ts";
import { requirePeople } from "../people-deps.ts";
import { Email, NewPassword, PersonName, SignedInBody, TokenShape, toSignedIn } from "../person-shape.ts";
import { isSetUp, isSetUpToken, setUp } from "../set-up-store.ts";
import { countAttempt, credentialProblems, signIn } from "./credentials.ts";

const SetUpBody = z
  .strictObject({
    token: TokenShape,
    email: Email,
    name: PersonName,
    password: NewPassword,
    workspaceName: plainText(200).min(1).default("My workspace").openapi({
      description:
        "Of the first workspace, unless there are some without people already: then those are yours.",
    }),
  })
  .openapi("SetUp");

export const setUpOperation = endpoint({
  method: "post",
  path: "/api/auth/set-up",
  operationId: "setUp",
  summary: "Become the owner of a new deployment",
  description:
    "With the token of the set-up link that `pnpm run deploy` and `pnpm dev` print while there is no account.",
  tags: ["Sign-in"],
  security: [],
  request: {
    body: jsonBody(SetUpBody, {
      token: "vYkQzBtTnLwXcGdHsRmJpFqZ",
      email: "ada@example.com",
      name: "Ada Lovelace",
      password: "correct horse battery",
    }),
  },
  responses: {
    200: jsonAnswer("Signed in.", SignedInBody),
    ...credentialProblems("token_invalid", "already_set_up"),
  },
}).handle(async (context, { database, people: deps }: ApiDeps) => {
  const people = requirePeople(deps);
  const { token, password, ...person } = context.req.valid("json");
  const fault = await findPasswordFault(password, [person.email, person.name, person.workspaceName]);
  if (fault !== null) {
    throw invalidField("password", fault);
  }
  const counted = await countAttempt({ kind: "proof", account: null }, { database, people, context });
  // Before the password is hashed, which is what costs.
  if (!(await isSetUpToken(database, token))) {
    throw await refusalOf(database);
  }
  const personId = newEntityId();
  const passwordHash = await people.passwords.hash(password);
  const owner = { ...person, personId, passwordHash };
  if (!(await actMoreExactly({ actor: `person:${personId}` }, () => setUp(database, token, owner)))) {
    throw await refusalOf(database);
  }
  await signIn({ personId, counted }, { database, people, context });
  return context.json(toSignedIn(personId), 200);
});

async function refusalOf(database: Database): Promise<ProblemError> {
  return new ProblemError((await isSetUp(database)) ? "already_set_up" : "token_invalid");
}

/** /api/v1/me/sign-in-methods: how a person can sign in, and giving one of the ways up. */
import { z } from "@hono/zod-openapi";
import { accounts } from "@hopline/db/schema";
import type { ApiDeps } from "../../api-deps.ts";
import { entityIdParam, readEntityId, toPublicId } from "../../http/entity-id.ts";
import { endpoint } from "../../http/endpoint.ts";
import { freshly, jsonAnswer, needsPerson, NO_CONTENT } from "../../http/operation.ts";
import { requireSignedIn } from "../../http/require-person.ts";
import { toInstant } from "../../instant.ts";
import { type PeopleDeps, requirePeople } from "../people-deps.ts";
import { listStoredMethods, deleteMethod, type StoredMethod } from "../sign-in-methods.ts";

const SignInMethodBody = z
  .object({
    id: z.string().nullable().openapi({
      description: "`acc_…`, or `psk_…` for a passkey; `null` for the link by email, which can't be removed.",
      example: "acc_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f",
    }),
    kind: z.enum(["email", "password", "provider", "passkey"]),
    name: z.string().openapi({
      description: "For people: the address that gets links, the provider's name, the passkey's.",
      example: "Google",
    }),
    provider: z.string().nullable().openapi({
      description:
        "The provider's id in `GET /api/auth/options`; `null` for other kinds, and for a provider that is not offered any more.",
      example: "google",
    }),
    createdAt: z.iso.datetime().nullable().openapi({ description: "`null` for the link by email." }),
  })
  .openapi("SignInMethod");

type SignInMethod = z.infer<typeof SignInMethodBody>;

export const listSignInMethodsOperation = endpoint({
  method: "get",
  path: "/api/v1/me/sign-in-methods",
  operationId: "listSignInMethods",
  summary: "List the ways in which one can sign in, oldest first",
  tags: ["People"],
  ...needsPerson(null),
  responses: {
    200: jsonAnswer("The ways.", z.object({ data: z.array(SignInMethodBody), nextCursor: z.null() })),
  },
  problems: ["not_found"],
}).handle(async (context, { database, people: deps }: ApiDeps) => {
  const people = requirePeople(deps);
  const { email, methods } = await listStoredMethods(database, requireSignedIn(context).personId);
  const byEmail = { id: null, kind: "email", name: email, provider: null, createdAt: null } as const;
  const data: readonly SignInMethod[] = [
    ...(people.sendEmail === null ? [] : [byEmail]),
    ...methods.map((method) => toMethod(method, people)),
  ];
  return context.json({ data: [...data], nextCursor: null }, 200);
});

function toMethod({ id, kind, label, createdAtMs }: StoredMethod, { settings }: PeopleDeps): SignInMethod {
  const provider =
    kind === "provider" ? settings.providers.find(({ issuer }) => issuer === label) : undefined;
  return {
    id: toPublicId(kind === "passkey" ? "psk" : "acc", id),
    kind,
    name: kind === "password" ? "Password" : (provider?.name ?? label),
    provider: provider?.id ?? null,
    createdAt: toInstant(createdAtMs),
  };
}

export const deleteSignInMethodOperation = endpoint({
  method: "delete",
  path: "/api/v1/me/sign-in-methods/{accountId}",
  operationId: "deleteSignInMethod",
  summary: "Remove one's password, or unlink an identity provider",
  description:
    "Never the last way to sign in; a link by email counts as one where this deployment sends emails. Signing in with the provider again links it again, if it has the account's address. Passkeys are removed at `/api/v1/me/passkeys/{passkeyId}`.",
  tags: ["People"],
  ...freshly(needsPerson(null)),
  request: { params: z.object({ accountId: entityIdParam("acc") }) },
  responses: NO_CONTENT,
  problems: ["not_found", "sign_in_again", "last_sign_in_method"],
}).handle(async (context, { database, people: deps }: ApiDeps) => {
  const offered = requirePeople(deps);
  const { personId } = requireSignedIn(context);
  const id = readEntityId("acc", context.req.valid("param").accountId);
  await deleteMethod(database, { table: accounts, personId, id, offered });
  return context.body(null, 204);
});

/** /api/auth/provider: signing in with an identity provider. The browser comes back to people/providers/provider-callback.ts. */
import { z } from "@hono/zod-openapi";
import { toBase64Url } from "@hopline/sealing/base64";
import type { ApiDeps } from "../../api-deps.ts";
import { endpoint } from "../../http/endpoint.ts";
import { jsonAnswer, jsonBody, problemsOnly } from "../../http/operation.ts";
import { invalidField } from "../../http/problem.ts";
import { plainText } from "../../http/text-shape.ts";
import { requirePeople } from "../people-deps.ts";
import { attemptCookieOf } from "../providers/attempt-cookie.ts";
import { insertAttempt } from "../providers/attempt-store.ts";
import { askProvider, findProvider, redirectUriOf } from "../providers/sign-in-with-provider.ts";
import { toReturnAddress } from "../providers/return-path.ts";
import { credentialProblems, giveCookies } from "./credentials.ts";

export const readSignInOptionsOperation = endpoint({
  method: "get",
  path: "/api/auth/options",
  operationId: "readSignInOptions",
  summary: "Read how people can sign in here, besides with a password or a passkey",
  tags: ["Sign-in"],
  security: [],
  responses: {
    200: jsonAnswer(
      "The ways.",
      z
        .object({
          email: z.boolean().openapi({ description: "By a link in an email." }),
          providers: z.array(
            z.object({
              id: z.string().openapi({ example: "google" }),
              name: z.string().openapi({ example: "Google" }),
            }),
          ),
        })
        .openapi("SignInOptions"),
    ),
    304: { description: "The client's copy is current." },
    ...problemsOnly("not_found", "invalid", "rate_limited"),
  },
}).handle(async (context, { people: deps }: ApiDeps) => {
  const { sendEmail, settings } = requirePeople(deps);
  const providers = settings.providers.map(({ id, name }) => ({ id, name }));
  return context.json({ email: sendEmail !== null, providers }, 200);
});

const StartBody = z
  .strictObject({
    provider: plainText(32).openapi({ description: "One of those in `GET /api/auth/options`." }),
    returnTo: plainText(2_000).default("/").openapi({
      description: "The path of the application's page that the browser comes back to, once it is signed in.",
    }),
  })
  .openapi("StartSignIn");

export const startSignInOperation = endpoint({
  method: "post",
  path: "/api/auth/provider",
  operationId: "startSignIn",
  summary: "Begin to sign in with an identity provider",
  description:
    "Send the browser to `location`; it comes back within ten minutes, signed in. A provider's account belongs to the person with its verified email address, and to a new one if SIGN_UP allows that.",
  tags: ["Sign-in"],
  security: [],
  request: { body: jsonBody(StartBody, { provider: "google", returnTo: "/links" }) },
  responses: {
    200: jsonAnswer("Where the browser goes.", z.object({ location: z.url() }).openapi("StartedSignIn")),
    ...credentialProblems("provider_unavailable", "provider_refused"),
  },
}).handle(async (context, { database, people: deps, log }: ApiDeps) => {
  const people = requirePeople(deps);
  const { appOrigin, providers } = people.settings;
  const body = context.req.valid("json");
  const provider = findProvider(providers, body.provider);
  if (provider === null) {
    throw invalidField("provider", "is none of this deployment's: choose one of GET /api/auth/options");
  }
  const returnTo = toReturnAddress(body.returnTo, appOrigin);
  if (returnTo === null) {
    throw invalidField("returnTo", "is not a page of the application: send its path, which begins with /");
  }
  const attempt = {
    state: randomText(),
    nonce: randomText(),
    codeVerifier: randomText(),
    redirectUri: redirectUriOf(appOrigin, provider),
  };
  const client = await people.loadProviders();
  const location = await askProvider(provider, log, () => client.begin(provider, attempt));
  const { state, nonce, codeVerifier } = attempt;
  await insertAttempt(database, state, { providerId: provider.id, nonce, codeVerifier, returnTo });
  giveCookies(context, [attemptCookieOf(appOrigin, state)]);
  return context.json({ location }, 200);
});

/** 256 bits; 43 characters, the least that PKCE allows. */
function randomText(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/** Passkeys: signing in with one (/api/auth/passkey), and a person's own (/api/v1/me/passkeys). */
import { z } from "@hono/zod-openapi";
import { passkeys } from "@hopline/db/schema";
import type { ApiDeps } from "../../api-deps.ts";
import { entityIdParam, readEntityId, requireFound } from "../../http/entity-id.ts";
import { endpoint } from "../../http/endpoint.ts";
import { freshly, jsonAnswer, jsonBody, needsPerson, NO_CONTENT } from "../../http/operation.ts";
import { invalidField, ProblemError } from "../../http/problem.ts";
import { requireSignedIn } from "../../http/require-person.ts";
import { readOnlyOf, requireUnchanged, takesBack } from "../../http/read-only.ts";
import { insertOneTime, takeOneTime } from "../one-time-store.ts";
import {
  NewCredential,
  OptionsBody,
  PasskeyBody,
  PasskeyName,
  toPasskeyBody,
  UsedCredential,
} from "../passkeys/passkey-shape.ts";
import {
  findOwnPasskey,
  findPasskey,
  insertPasskey,
  listCredentials,
  listPasskeys,
  markUsed,
  MAX_PASSKEYS,
  renamePasskey,
} from "../passkeys/passkey-store.ts";
import { requirePeople } from "../people-deps.ts";
import { SignedInBody, toSignedIn } from "../person-shape.ts";
import { findProfile, recordRefusal } from "../person-store.ts";
import { deleteMethod } from "../sign-in-methods.ts";
import { bareCredentialProblems, countAttempt, credentialProblems, signIn } from "./credentials.ts";

/** Certificates and CBOR: only for those who use a passkey. */
const loadCeremonies = () => import("../passkeys/passkey-ceremonies.ts");

const SIGN_IN = "passkey-sign-in";
/** For the person who asked, or a person would register a passkey for another. */
const registrationOf = (personId: string) => `passkey-registration-${personId}`;

export const requestPasskeyOperation = endpoint({
  method: "post",
  path: "/api/auth/passkey/options",
  operationId: "requestPasskey",
  summary: "Ask for what a browser needs to sign in with a passkey",
  description:
    "For `PublicKeyCredential.parseRequestOptionsFromJSON()` and `navigator.credentials.get()`. It works once, for five minutes.",
  tags: ["Sign-in"],
  security: [],
  responses: {
    200: jsonAnswer("WebAuthn's PublicKeyCredentialRequestOptionsJSON.", OptionsBody),
    ...bareCredentialProblems(),
  },
}).handle(async (context, { database, people: deps }: ApiDeps) => {
  const people = requirePeople(deps);
  const { createRequest, CHALLENGE_SECONDS: seconds } = await loadCeremonies();
  const options = await createRequest(people.settings);
  await insertOneTime(database, { purpose: SIGN_IN, secret: options.challenge, value: "", seconds });
  return context.json(options, 200);
});

export const signInWithPasskeyOperation = endpoint({
  method: "post",
  path: "/api/auth/passkey",
  operationId: "signInWithPasskey",
  summary: "Sign in with a passkey",
  tags: ["Sign-in"],
  security: [],
  request: {
    body: jsonBody(z.strictObject({ credential: UsedCredential }).openapi("SignInWithPasskey"), {
      credential: {
        id: "cGFzc2tleQ",
        rawId: "cGFzc2tleQ",
        type: "public-key",
        clientExtensionResults: {},
        response: { clientDataJSON: "e30", authenticatorData: "AAAA", signature: "AAAA" },
      },
    }),
  },
  responses: { 200: jsonAnswer("Signed in.", SignedInBody), ...credentialProblems("passkey_refused") },
}).handle(async (context, { database, people: deps }: ApiDeps) => {
  const people = requirePeople(deps);
  const { credential } = context.req.valid("json");
  const { checkUsedPasskey, readChallenge } = await loadCeremonies();
  const passkey = await findPasskey(database, credential.id);
  const account = passkey?.email ?? null;
  const counted = await countAttempt({ kind: "proof", account }, { database, people, context });
  const challenge = readChallenge(credential);
  const isOurs = challenge !== null && (await takeOneTime(database, SIGN_IN, challenge)) !== null;
  const used =
    passkey === null || !isOurs
      ? null
      : await checkUsedPasskey(people.settings, credential, { challenge, passkey });
  if (passkey === null || used === null) {
    await recordRefusal(database, account ?? "");
    throw new ProblemError("passkey_refused");
  }
  await markUsed(database, { id: passkey.id, ...used });
  await signIn({ personId: passkey.personId, counted }, { database, people, context });
  return context.json(toSignedIn(passkey.personId), 200);
});

export const createPasskeyOptionsOperation = endpoint({
  method: "post",
  path: "/api/v1/me/passkeys/options",
  operationId: "createPasskeyOptions",
  summary: "Ask for what a browser needs to make a passkey",
  description:
    "For `PublicKeyCredential.parseCreationOptionsFromJSON()` and `navigator.credentials.create()`. It works once, for five minutes.",
  tags: ["People"],
  ...freshly(needsPerson(null)),
  responses: { 200: jsonAnswer("WebAuthn's PublicKeyCredentialCreationOptionsJSON.", OptionsBody) },
  problems: ["not_found", "sign_in_again"],
}).handle(async (context, { database, people: deps }: ApiDeps) => {
  const { settings } = requirePeople(deps);
  const { personId } = requireSignedIn(context);
  const profile = requireFound(await findProfile(database, personId));
  const known = await listCredentials(database, personId);
  const { createOptions, CHALLENGE_SECONDS: seconds } = await loadCeremonies();
  const options = await createOptions(settings, profile, known);
  const purpose = registrationOf(personId);
  await insertOneTime(database, { purpose, secret: options.challenge, value: "", seconds });
  return context.json(options, 200);
});

export const createPasskeyOperation = endpoint({
  method: "post",
  path: "/api/v1/me/passkeys",
  operationId: "createPasskey",
  summary: "Add a passkey to one's own account",
  description: `A person has ${MAX_PASSKEYS} at most.`,
  tags: ["People"],
  ...freshly(needsPerson(null)),
  request: {
    body: jsonBody(
      z.strictObject({ name: PasskeyName, credential: NewCredential }).openapi("CreatePasskey"),
      {
        name: "Laptop",
        credential: {
          id: "cGFzc2tleQ",
          rawId: "cGFzc2tleQ",
          type: "public-key",
          clientExtensionResults: {},
          response: { clientDataJSON: "e30", attestationObject: "AAAA" },
        },
      },
    ),
  },
  responses: { 201: jsonAnswer("The passkey.", PasskeyBody) },
  problems: ["not_found", "sign_in_again", "passkey_refused"],
}).handle(async (context, { database, people: deps }: ApiDeps) => {
  const { settings } = requirePeople(deps);
  const { personId } = requireSignedIn(context);
  const { name, credential } = context.req.valid("json");
  const { checkNewPasskey, readChallenge } = await loadCeremonies();
  const challenge = readChallenge(credential);
  const isOurs =
    challenge !== null && (await takeOneTime(database, registrationOf(personId), challenge)) !== null;
  const checked =
    isOurs && challenge !== null ? await checkNewPasskey(settings, credential, challenge) : null;
  if (checked === null) {
    throw new ProblemError("passkey_refused");
  }
  const stored = await insertPasskey(database, { personId, name, ...checked });
  if (stored === null) {
    throw invalidField(
      "credential",
      `is a passkey that exists already, or there are ${MAX_PASSKEYS}: remove one first`,
    );
  }
  return context.json(toPasskeyBody(stored), 201);
});

export const listPasskeysOperation = endpoint({
  method: "get",
  path: "/api/v1/me/passkeys",
  operationId: "listPasskeys",
  summary: "List one's own passkeys, newest first",
  tags: ["People"],
  ...needsPerson(null),
  responses: {
    200: jsonAnswer("The passkeys.", z.object({ data: z.array(PasskeyBody), nextCursor: z.null() })),
  },
  problems: ["not_found"],
}).handle(async (context, { database }: ApiDeps) => {
  const passkeys = await listPasskeys(database, requireSignedIn(context).personId);
  return context.json({ data: passkeys.map(toPasskeyBody), nextCursor: null }, 200);
});

const PasskeyParams = z.object({ passkeyId: entityIdParam("psk") });
const changeable = z.object({ name: PasskeyName.optional() });

export const readPasskeyOperation = endpoint({
  method: "get",
  path: "/api/v1/me/passkeys/{passkeyId}",
  operationId: "readPasskey",
  summary: "Read one of one's own passkeys",
  tags: ["People"],
  ...needsPerson(null),
  request: { params: PasskeyParams },
  responses: { 200: jsonAnswer("The passkey.", PasskeyBody) },
  problems: ["not_found"],
}).handle(async (context, { database }: ApiDeps) => {
  const passkeyId = readEntityId("psk", context.req.valid("param").passkeyId);
  const found = await findOwnPasskey(database, requireSignedIn(context).personId, passkeyId);
  return context.json(toPasskeyBody(requireFound(found)), 200);
});

export const updatePasskeyOperation = endpoint({
  method: "patch",
  path: "/api/v1/me/passkeys/{passkeyId}",
  operationId: "updatePasskey",
  summary: "Rename one of one's own passkeys",
  tags: ["People"],
  ...needsPerson(null),
  request: {
    params: PasskeyParams,
    body: jsonBody(takesBack(changeable, PasskeyBody).openapi("UpdatePasskey"), { name: "Phone" }),
  },
  responses: { 200: jsonAnswer("The passkey.", PasskeyBody) },
  problems: ["not_found"],
}).handle(async (context, { database }: ApiDeps) => {
  const { personId } = requireSignedIn(context);
  const passkeyId = readEntityId("psk", context.req.valid("param").passkeyId);
  const body = context.req.valid("json");
  const found = requireFound(await findOwnPasskey(database, personId, passkeyId));
  requireUnchanged(readOnlyOf(body, changeable) ?? {}, toPasskeyBody(found));
  const stored = await renamePasskey(database, { personId, passkeyId, name: body.name });
  return context.json(toPasskeyBody(requireFound(stored)), 200);
});

export const deletePasskeyOperation = endpoint({
  method: "delete",
  path: "/api/v1/me/passkeys/{passkeyId}",
  operationId: "deletePasskey",
  summary: "Remove one of one's own passkeys",
  description: "Never the last way to sign in.",
  tags: ["People"],
  ...freshly(needsPerson(null)),
  request: { params: PasskeyParams },
  responses: NO_CONTENT,
  problems: ["not_found", "sign_in_again", "last_sign_in_method"],
}).handle(async (context, { database, people: deps }: ApiDeps) => {
  const offered = requirePeople(deps);
  const { personId } = requireSignedIn(context);
  const id = readEntityId("psk", context.req.valid("param").passkeyId);
  await deleteMethod(database, { table: passkeys, personId, id, offered });
  return context.body(null, 204);
});

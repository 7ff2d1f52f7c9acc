/** Passkeys in requests and answers. What browsers and authenticators say is WebAuthn's JSON (https://www.w3.org/TR/webauthn-3/). */
import { z } from "@hono/zod-openapi";
import type { JSONValue } from "hono/utils/types";
import { toPublicId } from "../../http/entity-id.ts";
import { plainText } from "../../http/text-shape.ts";
import { toInstant } from "../../instant.ts";
import type { StoredPasskey } from "./passkey-store.ts";

export const PasskeyName = plainText(100).min(1).openapi({ example: "Laptop" });

export const PasskeyBody = z
  .object({
    id: z.string().openapi({ example: "psk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    name: z.string(),
    isSynced: z.boolean().openapi({ description: "Whether it can be on several devices." }),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable(),
  })
  .openapi("Passkey");

export function toPasskeyBody({ id, name, isSynced, createdAtMs, lastUsedAtMs }: StoredPasskey) {
  return {
    id: toPublicId("psk", id),
    name,
    isSynced,
    createdAt: toInstant(createdAtMs),
    lastUsedAt: lastUsedAtMs === null ? null : toInstant(lastUsedAtMs),
  };
}

const Base64Url = z
  .string()
  .max(20_000)
  .regex(/^[A-Za-z0-9_-]*$/, "is not base64url");

/** Browsers add more than is needed here. */
const Credential = z.looseObject({
  id: Base64Url.min(1).max(1_400),
  rawId: Base64Url.max(1_400),
  type: z.literal("public-key"),
  clientExtensionResults: z.looseObject({}),
});

/** `PublicKeyCredential.toJSON()` after `navigator.credentials.create()`. */
export const NewCredential = Credential.extend({
  response: z.looseObject({
    clientDataJSON: Base64Url,
    attestationObject: Base64Url,
    transports: z.array(plainText(32)).max(10).default([]),
  }),
}).openapi("NewCredential");

/** `PublicKeyCredential.toJSON()` after `navigator.credentials.get()`. */
export const UsedCredential = Credential.extend({
  response: z.looseObject({
    clientDataJSON: Base64Url,
    authenticatorData: Base64Url,
    signature: Base64Url,
    userHandle: Base64Url.max(100).nullish(),
  }),
}).openapi("UsedCredential");

export type NewCredential = z.output<typeof NewCredential>;
export type UsedCredential = z.output<typeof UsedCredential>;

/** For `PublicKeyCredential.parseCreationOptionsFromJSON()` or `parseRequestOptionsFromJSON()`. */
export const OptionsBody = z
  .looseObject({ challenge: z.string(), timeout: z.number().int() })
  .openapi("PasskeyOptions");

export type PasskeyOptions = {
  readonly challenge: string;
  readonly timeout: number;
  readonly [name: string]: JSONValue;
};

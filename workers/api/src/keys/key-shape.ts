/** The shapes of API keys in requests and answers. */
import { z } from "@hono/zod-openapi";
import { BoundShape, toBound } from "../http/bounds/bound-shape.ts";
import { type Scope, SCOPES } from "../http/api-key.ts";
import { entityIdParam, toPublicId } from "../http/entity-id.ts";
import { orNull } from "../http/or-null.ts";
import { plainText } from "../http/text-shape.ts";
import { Instant, toInstant, toInstantOrNull } from "../instant.ts";
import type { StoredKey } from "./key-store.ts";

export const KeyParams = z.object({ keyId: entityIdParam("key") });

const keyName = plainText(200).min(1).openapi({ example: "Newsletter" });

const keyScopes = z.array(z.enum(SCOPES)).min(1).max(SCOPES.length);

export const CreateKeyBody = z
  .strictObject({
    name: keyName,
    scopes: keyScopes,
    expiresAt: Instant.nullable().default(null).openapi({
      description: "When the key stops working; `null` for never.",
      example: "2027-01-01T00:00:00Z",
    }),
    bounds: orNull(BoundShape).default(null).openapi({
      description: "`null`: it may do what its scopes say with all of the workspace. Not with `admin`.",
    }),
  })
  .openapi("CreateKey");

const fields = {
  id: z.string().openapi({ example: "key_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
  name: z.string(),
  prefix: z.string().openapi({ description: "The key's first characters.", example: "hop_kJ3mPq7x" }),
  scopes: z.array(z.enum(SCOPES)),
  expiresAt: z.iso.datetime().nullable(),
  revokedAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable().openapi({
    description: "To the hour: a use is written down if the one before was an hour ago. `null`: never.",
  }),
  makerId: z.string().nullable().openapi({
    description:
      "The person who made it. It never may more than they may now, and ends when they leave. `null`: no member of the workspace.",
    example: "per_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f",
  }),
  bounds: orNull(BoundShape).openapi({ description: "`null`: all of the workspace. Can't be changed." }),
  createdAt: z.iso.datetime(),
};

export const KeyBody = z.object(fields).openapi("Key");
export const NewKeyBody = z
  .object({ ...fields, key: z.string().openapi({ description: "The whole key. Shown only once." }) })
  .openapi("NewKey");

export const changeableKey = z.object({
  name: keyName.optional(),
  scopes: keyScopes.optional().openapi({ description: "Only fewer: `admin` includes all others." }),
  expiresAt: Instant.nullable().optional().openapi({ description: "Only earlier." }),
});

const MAX_GRACE_SECONDS = 30 * 86_400;

export const RotateKeyBody = z
  .strictObject({
    graceSeconds: z.number().int().min(0).max(MAX_GRACE_SECONDS).default(86_400).openapi({
      description: "How long the old key goes on working, in seconds; a day if left out.",
    }),
  })
  .openapi("RotateKey");

export function toKey(stored: StoredKey) {
  return {
    id: toPublicId("key", stored.id),
    name: stored.name,
    prefix: stored.prefix,
    scopes: SCOPES.filter((scope: Scope) => stored.scopes.includes(scope)),
    expiresAt: toInstantOrNull(stored.expiresAtMs),
    revokedAt: toInstantOrNull(stored.revokedAtMs),
    lastUsedAt: toInstantOrNull(stored.lastUsedAtMs),
    makerId: stored.makerId === null ? null : toPublicId("per", stored.makerId),
    bounds: toBound(stored.bounds),
    createdAt: toInstant(stored.createdAtMs),
  };
}

/** API keys as the API shows and takes them. */
import { z } from "@hono/zod-openapi";
import { type Scope, SCOPES } from "../http/api-key.ts";
import { entityIdParam, toPublicId } from "../http/entity-id.ts";
import { toInstant } from "../http/instant.ts";
import type { StoredKey } from "./key-store.ts";
import { plainText } from "../http/text-shape.ts";

export const KeyParams = z.object({ keyId: entityIdParam("key") });

export const CreateKeyBody = z
  .strictObject({
    name: plainText(200).min(1).openapi({ example: "Newsletter" }),
    scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length),
    expiresAt: z.iso.datetime({ offset: true }).nullable().default(null).openapi({
      description: "From then on the key opens nothing; null: never.",
      example: "2027-01-01T00:00:00Z",
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
  createdAt: z.iso.datetime(),
};

export const KeyBody = z.object(fields).openapi("Key");
export const NewKeyBody = z
  .object({ ...fields, key: z.string().openapi({ description: "The whole key. Shown this once." }) })
  .openapi("NewKey");

export function toKey(stored: StoredKey) {
  const { expiresAtMs, revokedAtMs } = stored;
  return {
    id: toPublicId("key", stored.id),
    name: stored.name,
    prefix: stored.prefix,
    scopes: SCOPES.filter((scope: Scope) => stored.scopes.includes(scope)),
    expiresAt: expiresAtMs === null ? null : toInstant(expiresAtMs),
    revokedAt: revokedAtMs === null ? null : toInstant(revokedAtMs),
    createdAt: toInstant(stored.createdAtMs),
  };
}

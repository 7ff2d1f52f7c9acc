/** What GET /api/v1/me answers to a caller that is no person: what its key may do, where, how often and until when. */
import { z } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import { keyIdOf, type Principal, SCOPES } from "../http/api-key.ts";
import { CALLERS_PER_WORKSPACE } from "../http/authenticate.ts";
import { toPublicId } from "../http/entity-id.ts";
import { BoundShape, toBound } from "../http/bounds/bound-shape.ts";
import { orNull } from "../http/or-null.ts";
import { toInstantOrNull } from "../instant.ts";
import { findKey } from "./key-store.ts";

export const OwnKeyBody = z
  .object({
    key: z
      .object({ id: z.string(), name: z.string(), prefix: z.string().openapi({ example: "hop_Ab3dEf9h" }) })
      .nullable()
      .openapi({ description: "`null` for a session's token of your own identity provider." }),
    workspaceId: z.string().openapi({ example: "ws_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    scopes: z.array(z.enum(SCOPES)),
    expiresAt: z.iso.datetime().nullable(),
    bounds: orNull(BoundShape).openapi({
      description: "Its own; its maker may have others, which hold too.",
    }),
    limits: z
      .object({ requestsPerMinute: z.number().int(), requestsPerMinuteOfWorkspace: z.number().int() })
      .openapi({ description: "Those of the month are in GET /api/v1/usage." }),
  })
  .openapi("OwnKey");

export async function readOwnKey(
  { subject, workspaceId, scopes }: Principal,
  { database, access: { requestsPerMinute } }: Pick<ApiDeps, "database" | "access">,
): Promise<z.infer<typeof OwnKeyBody>> {
  const keyId = keyIdOf(subject);
  const stored = keyId === null ? null : await findKey(database, workspaceId, keyId);
  return {
    key:
      stored === null ? null : { id: toPublicId("key", stored.id), name: stored.name, prefix: stored.prefix },
    workspaceId: toPublicId("ws", workspaceId),
    scopes: [...scopes],
    expiresAt: toInstantOrNull(stored?.expiresAtMs ?? null),
    bounds: toBound(stored?.bounds ?? null),
    limits: {
      requestsPerMinute,
      requestsPerMinuteOfWorkspace: requestsPerMinute * CALLERS_PER_WORKSPACE,
    },
  };
}

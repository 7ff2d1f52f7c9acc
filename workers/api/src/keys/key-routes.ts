/** /api/v1/keys. A new key is shown once. One that is revoked stays in the list. */
import type { ApiDeps } from "../api-deps.ts";
import { requireBound } from "../http/bounds/bound-store.ts";
import { failureOf } from "../database.ts";
import { hashApiKey, KEY_PREFIX_LENGTH, newApiKey } from "../http/api-key.ts";
import { readEntityId, requireFound } from "../http/entity-id.ts";
import { endpoint } from "../http/endpoint.ts";
import { IdempotencyHeader, freshly, jsonAnswer, jsonBody, needs } from "../http/operation.ts";
import { invalidField, ProblemError } from "../http/problem.ts";
import { resource } from "../http/resource.ts";
import { toInstant, toInstantOrNull } from "../instant.ts";
import {
  changeableKey,
  CreateKeyBody,
  KeyBody,
  KeyParams,
  NewKeyBody,
  RotateKeyBody,
  toKey,
} from "./key-shape.ts";
import {
  insertKey,
  type KeyChange,
  keysOf,
  revokeKey,
  rotateKey,
  type StoredKey,
  updateKey,
} from "./key-store.ts";

const keys = resource<ApiDeps>()({
  path: "/api/v1/keys",
  id: ["keyId", "key"],
  name: "Key",
  one: "an API key",
  many: "API keys",
  tag: "Keys",
  body: KeyBody,
  show: toKey,
  reads: needs("admin"),
  writes: needs("admin"),
  rows: keysOf,
});

export const createKeyOperation = keys.create({
  description:
    "A key does not outlive the one that creates it. One that is created with a session lives for 90 days at most. It never may more than its maker may now: with a lower role it is capped at once, and when they leave the workspace it ends. With `bounds` it sees and changes some links only, and nothing that is about the whole workspace.",
  access: freshly(needs("admin")),
  body: [CreateKeyBody, { name: "Newsletter", scopes: ["links:read", "links:write"] }],
  answer: ["The key. Store it now: it is not shown again.", NewKeyBody],
  problems: ["sign_in_again"],
  create: async ({ database, randomBytes }, { workspaceId, newId, context }, body) => {
    const { name, scopes, expiresAt, bounds } = body;
    const { keysUntilMs, makerId } = context.get("principal");
    if (keysUntilMs !== null && (expiresAt === null || Date.parse(expiresAt) > keysUntilMs)) {
      throw invalidField(
        "expiresAt",
        `is too late for a key that you create: choose ${toInstant(keysUntilMs)} or earlier`,
      );
    }
    if (bounds !== null && scopes.includes("admin")) {
      throw invalidField("scopes", "can't have admin together with bounds: leave one of them out");
    }
    if (bounds?.createOnly !== undefined && scopes.join() !== "links:write") {
      throw invalidField("scopes", "of a create-only key is links:write alone: leave the others out");
    }
    const key = newApiKey(randomBytes);
    const stored = await insertKey(database, {
      id: newId,
      workspaceId,
      name,
      prefix: key.slice(0, KEY_PREFIX_LENGTH),
      keyHash: await hashApiKey(key),
      scopes: [...new Set(scopes)],
      expiresAt,
      makerId,
      bounds: bounds && (await requireBound(database, workspaceId, { named: bounds, own: [newId] })),
    });
    if (stored === null) {
      throw new ProblemError("idempotency_secret");
    }
    return { ...toKey(stored), key };
  },
});

export const listKeysOperation = keys.list({
  description: "Revoked ones included: they show who once had access.",
  searched: "its name or prefix",
});

export const readKeyOperation = keys.read({ answer: "The key, without its secret." });

export const updateKeyOperation = keys.update({
  summary: "Rename an API key, or give some of its rights up",
  description:
    "Scopes can only be taken away, and the end can only come sooner: for more rights, create another key.",
  body: [changeableKey, { name: "Newsletter, autumn" }],
  update: async ({ database }, { found, ...target }, body) => {
    const stored = await updateKey(database, target, body);
    const raised = stored === null ? describeRaise(body, await found()) : [];
    if (raised.length > 0) {
      throw new ProblemError("invalid", raised);
    }
    return stored;
  },
});

/** Which of the two would give the key more. */
function describeRaise(
  { scopes = [], expiresAt }: Pick<KeyChange, "scopes" | "expiresAt">,
  found: StoredKey,
) {
  const isMore = scopes.some((scope) => !found.scopes.includes(scope) && !found.scopes.includes("admin"));
  const isLater =
    expiresAt !== undefined &&
    (expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt)) >
      (found.expiresAtMs ?? Number.POSITIVE_INFINITY);
  return [
    ...(isMore ? [{ path: "scopes", message: "can only be reduced: create another key for more" }] : []),
    ...(isLater ? [{ path: "expiresAt", message: "can only be earlier: create another key to go on" }] : []),
  ];
}

export const rotateKeyOperation = endpoint({
  method: "post",
  path: "/api/v1/keys/{keyId}/rotate",
  operationId: "rotateKey",
  summary: "Replace an API key",
  description:
    "Makes another key with the same name, scopes, bounds and end. The old one goes on working for `graceSeconds`, so that it can be replaced where it is used; revokeKey ends it sooner. A key that does not work any more is not found.",
  tags: ["Keys"],
  ...freshly(needs("admin")),
  request: {
    params: KeyParams,
    headers: IdempotencyHeader,
    body: jsonBody(RotateKeyBody, { graceSeconds: 3_600 }),
  },
  responses: { 201: jsonAnswer("The new key. Store it now: it is not shown again.", NewKeyBody) },
  problems: ["sign_in_again", "idempotency_secret", "not_found"],
}).handle(async (context, deps: ApiDeps) => {
  const { workspaceId, keysUntilMs, makerId } = context.get("principal");
  const key = newApiKey(deps.randomBytes);
  const stored = await rotateKey(deps.database, {
    id: context.get("newIds").idAt(0),
    oldId: readEntityId("key", context.req.valid("param").keyId),
    workspaceId,
    prefix: key.slice(0, KEY_PREFIX_LENGTH),
    keyHash: await hashApiKey(key),
    makerId,
    graceSeconds: context.req.valid("json").graceSeconds,
    latestEnd: toInstantOrNull(keysUntilMs),
  }).catch((error: unknown) => {
    throw failureOf(error).constraint === "api_keys_pkey" ? new ProblemError("idempotency_secret") : error;
  });
  context.header("cache-control", "no-store");
  return context.json({ ...toKey(requireFound(stored)), key }, 201);
});

export const revokeKeyOperation = keys.delete({
  operationId: "revokeKey",
  summary: "Revoke an API key",
  description: "The key stops working with the next request, everywhere. It stays in the list.",
  remove: ({ database }, target) => revokeKey(database, target),
});

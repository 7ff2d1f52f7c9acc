/** /api/v1/keys: create (the key is shown this once), list, read, revoke. */
import { createRoute } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import { failureOf } from "../database.ts";
import { hashApiKey, KEY_PREFIX_LENGTH, newApiKey } from "../http/api-key.ts";
import { readEntityId, requireFound } from "../http/entity-id.ts";
import {
  BODY_PROBLEMS,
  IDEMPOTENCY_PROBLEMS,
  IdempotencyHeader,
  freshly,
  jsonAnswer,
  jsonBody,
  needs,
  NO_CONTENT,
  NOT_MODIFIED,
  operation,
  problems,
} from "../http/operation.ts";
import { pageOf, PageQuery, readPageById } from "../http/page.ts";
import { invalidField, ProblemError } from "../http/problem.ts";
import { readOnlyOf, requireUnchanged } from "../http/read-only.ts";
import { toInstant, toInstantOrNull } from "../instant.ts";
import {
  changeableKey,
  CreateKeyBody,
  KeyBody,
  KeyParams,
  NewKeyBody,
  RotateKeyBody,
  toKey,
  UpdateKeyBody,
} from "./key-shape.ts";
import {
  findKey,
  insertKey,
  type KeyChange,
  listKeys,
  revokeKey,
  rotateKey,
  type StoredKey,
  updateKey,
} from "./key-store.ts";

const createKeyRoute = createRoute({
  method: "post",
  path: "/api/v1/keys",
  operationId: "createKey",
  summary: "Create an API key",
  description:
    "A key does not outlive the one that creates it. One that is created with a session lives for 90 days at most. It never may more than its maker may now: with a lower role it is capped at once, and when they leave the workspace it ends.",
  tags: ["Keys"],
  ...freshly(needs("admin")),
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(CreateKeyBody, { name: "Newsletter", scopes: ["links:read", "links:write"] }),
  },
  responses: {
    201: jsonAnswer("The key. Store it now: it is not shown again.", NewKeyBody),
    ...problems("sign_in_again", ...BODY_PROBLEMS, ...IDEMPOTENCY_PROBLEMS, "idempotency_secret"),
  },
});

export function createKeyOperation(deps: ApiDeps) {
  return operation(createKeyRoute, async (context) => {
    const { name, scopes, expiresAt } = context.req.valid("json");
    const { workspaceId, keysUntilMs, makerId } = context.get("principal");
    if (keysUntilMs !== null && (expiresAt === null || Date.parse(expiresAt) > keysUntilMs)) {
      throw invalidField(
        "expiresAt",
        `is too late for a key that you create: choose ${toInstant(keysUntilMs)} or earlier`,
      );
    }
    const key = newApiKey(deps.randomBytes);
    const stored = await insertKey(deps.database, {
      id: context.get("newIds").idAt(0),
      workspaceId,
      name,
      prefix: key.slice(0, KEY_PREFIX_LENGTH),
      keyHash: await hashApiKey(key),
      scopes: [...new Set(scopes)],
      expiresAt,
      makerId,
    });
    if (stored === null) {
      throw new ProblemError("idempotency_secret");
    }
    // Neither a cache nor the store of idempotency keys may keep this answer.
    context.header("cache-control", "no-store");
    return context.json({ ...toKey(stored), key }, 201);
  });
}

const listKeysRoute = createRoute({
  method: "get",
  path: "/api/v1/keys",
  operationId: "listKeys",
  summary: "List API keys, newest first",
  tags: ["Keys"],
  ...needs("admin"),
  request: { query: PageQuery },
  responses: {
    200: jsonAnswer("A page of keys, revoked ones included.", pageOf(KeyBody)),
    ...NOT_MODIFIED,
    ...problems("cursor_invalid"),
  },
});

export function listKeysOperation({ database }: ApiDeps) {
  return operation(listKeysRoute, async (context) => {
    const { workspaceId } = context.get("principal");
    const { rows, nextCursor } = await readPageById("keys", context.req.valid("query"), (page) =>
      listKeys(database, workspaceId, page),
    );
    return context.json({ data: rows.map(toKey), nextCursor }, 200);
  });
}

const readKeyRoute = createRoute({
  method: "get",
  path: "/api/v1/keys/{keyId}",
  operationId: "readKey",
  summary: "Read an API key",
  tags: ["Keys"],
  ...needs("admin"),
  request: { params: KeyParams },
  responses: {
    200: jsonAnswer("The key, without its secret.", KeyBody),
    ...NOT_MODIFIED,
    ...problems("not_found"),
  },
});

export function readKeyOperation({ database }: ApiDeps) {
  return operation(readKeyRoute, async (context) => {
    const keyId = readEntityId("key", context.req.valid("param").keyId);
    const stored = await findKey(database, context.get("principal").workspaceId, keyId);
    return context.json(toKey(requireFound(stored)), 200);
  });
}

const updateKeyRoute = createRoute({
  method: "patch",
  path: "/api/v1/keys/{keyId}",
  operationId: "updateKey",
  summary: "Rename an API key, or give some of its rights up",
  description:
    "Scopes can only be taken away, and the end can only come sooner: for more rights, create another key.",
  tags: ["Keys"],
  ...needs("admin"),
  request: { params: KeyParams, body: jsonBody(UpdateKeyBody, { name: "Newsletter, autumn" }) },
  responses: {
    200: jsonAnswer("The key after the change, without its secret.", KeyBody),
    ...problems(...BODY_PROBLEMS, "not_found"),
  },
});

export function updateKeyOperation({ database }: ApiDeps) {
  return operation(updateKeyRoute, async (context) => {
    const { workspaceId } = context.get("principal");
    const id = readEntityId("key", context.req.valid("param").keyId);
    const body = context.req.valid("json");
    const found = requireFound(await findKey(database, workspaceId, id));
    requireUnchanged(readOnlyOf(body, changeableKey) ?? {}, toKey(found), ["lastUsedAt"]);
    const { name, scopes, expiresAt } = body;
    const stored = await updateKey(database, workspaceId, { id, name, scopes, expiresAt });
    if (stored === null) {
      throw new ProblemError("invalid", describeRaise(body, found));
    }
    return context.json(toKey(stored), 200);
  });
}

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

const rotateKeyRoute = createRoute({
  method: "post",
  path: "/api/v1/keys/{keyId}/rotate",
  operationId: "rotateKey",
  summary: "Replace an API key",
  description:
    "Makes another key with the same name, scopes and end. The old one goes on working for `graceSeconds`, so that it can be replaced where it is used; revokeKey ends it sooner. A key that does not work any more is not found.",
  tags: ["Keys"],
  ...freshly(needs("admin")),
  request: {
    params: KeyParams,
    headers: IdempotencyHeader,
    body: jsonBody(RotateKeyBody, { graceSeconds: 3_600 }),
  },
  responses: {
    201: jsonAnswer("The new key. Store it now: it is not shown again.", NewKeyBody),
    ...problems(
      "sign_in_again",
      ...BODY_PROBLEMS,
      ...IDEMPOTENCY_PROBLEMS,
      "idempotency_secret",
      "not_found",
    ),
  },
});

export function rotateKeyOperation(deps: ApiDeps) {
  return operation(rotateKeyRoute, async (context) => {
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
}

const revokeKeyRoute = createRoute({
  method: "delete",
  path: "/api/v1/keys/{keyId}",
  operationId: "revokeKey",
  summary: "Revoke an API key",
  description: "The key stops working with the next request, everywhere. It stays in the list.",
  tags: ["Keys"],
  ...needs("admin"),
  request: { params: KeyParams },
  responses: { ...NO_CONTENT, ...problems("not_found") },
});

export function revokeKeyOperation({ database }: ApiDeps) {
  return operation(revokeKeyRoute, async (context) => {
    const keyId = readEntityId("key", context.req.valid("param").keyId);
    if (!(await revokeKey(database, context.get("principal").workspaceId, keyId))) {
      throw new ProblemError("not_found");
    }
    return context.body(null, 204);
  });
}

/** /api/v1/keys: create (the key is shown this once), list, read, revoke. */
import { createRoute } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import { hashApiKey, KEY_PREFIX_LENGTH, newApiKey } from "../http/api-key.ts";
import { newEntityId, readEntityId } from "../http/entity-id.ts";
import { CreateKeyBody, KeyBody, KeyParams, NewKeyBody, toKey } from "./key-shape.ts";
import {
  BODY_PROBLEMS,
  IDEMPOTENCY_PROBLEMS,
  IdempotencyHeader,
  jsonAnswer,
  jsonBody,
  needs,
  NO_CONTENT,
  NOT_MODIFIED,
  operation,
  problems,
} from "../http/operation.ts";
import { cutPage, decodeCursor, pageOf, PageQuery } from "../http/page.ts";
import { ProblemError } from "../http/problem.ts";
import { findKey, insertKey, listKeys, revokeKey } from "./key-store.ts";

const ORDER = "keys";

const createKeyRoute = createRoute({
  method: "post",
  path: "/api/v1/keys",
  operationId: "createKey",
  summary: "Create an API key",
  tags: ["Keys"],
  ...needs("admin"),
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(CreateKeyBody, { name: "Newsletter", scopes: ["links:read", "links:write"] }),
  },
  responses: {
    201: jsonAnswer("The key: keep it now, it is not shown again.", NewKeyBody),
    ...problems(...BODY_PROBLEMS, ...IDEMPOTENCY_PROBLEMS, "idempotency_secret"),
  },
});

export function createKeyOperation(deps: ApiDeps) {
  return operation(createKeyRoute, async (context) => {
    const { name, scopes, expiresAt } = context.req.valid("json");
    const key = newApiKey(deps.randomBytes);
    const stored = await insertKey(deps.database, {
      id: newEntityId(),
      workspaceId: context.get("principal").workspaceId,
      name,
      prefix: key.slice(0, KEY_PREFIX_LENGTH),
      keyHash: await hashApiKey(key),
      scopes: [...new Set(scopes)],
      expiresAt,
    });
    // No cache, and no memory of repeated requests, may keep this answer.
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
    ...problems("invalid", "cursor_invalid"),
  },
});

export function listKeysOperation(deps: ApiDeps) {
  return operation(listKeysRoute, async (context) => {
    const { limit, cursor } = context.req.valid("query");
    const afterId = decodeCursor(cursor, ORDER)?.id ?? null;
    const { workspaceId } = context.get("principal");
    const found = await listKeys(deps.database, workspaceId, { afterId, limit: limit + 1 });
    const { rows, nextCursor } = cutPage(found, limit, ({ id }) => ({ order: ORDER, value: "", id }));
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
    200: jsonAnswer("What is known of the key.", KeyBody),
    ...NOT_MODIFIED,
    ...problems("not_found"),
  },
});

export function readKeyOperation(deps: ApiDeps) {
  return operation(readKeyRoute, async (context) => {
    const keyId = readEntityId("key", context.req.valid("param").keyId);
    const stored = await findKey(deps.database, context.get("principal").workspaceId, keyId);
    if (stored === null) {
      throw new ProblemError("not_found");
    }
    return context.json(toKey(stored), 200);
  });
}

const revokeKeyRoute = createRoute({
  method: "delete",
  path: "/api/v1/keys/{keyId}",
  operationId: "revokeKey",
  summary: "Revoke an API key",
  description: "The key opens nothing from the next request on, everywhere. It stays in the list.",
  tags: ["Keys"],
  ...needs("admin"),
  request: { params: KeyParams },
  responses: { ...NO_CONTENT, ...problems("not_found") },
});

export function revokeKeyOperation(deps: ApiDeps) {
  return operation(revokeKeyRoute, async (context) => {
    const keyId = readEntityId("key", context.req.valid("param").keyId);
    if (!(await revokeKey(deps.database, context.get("principal").workspaceId, keyId))) {
      throw new ProblemError("not_found");
    }
    return context.body(null, 204);
  });
}

/** /api/v1/sessions: where a person is signed in. */
import { createRoute, z } from "@hono/zod-openapi";
import type { ApiDeps } from "../../api-deps.ts";
import { entityIdParam, readEntityId, requireFound, toPublicId } from "../../http/entity-id.ts";
import {
  jsonAnswer,
  needsPerson,
  NO_CONTENT,
  NOT_MODIFIED,
  operation,
  problems,
} from "../../http/operation.ts";
import { requireSignedIn } from "../../http/require-person.ts";
import { toInstant } from "../../instant.ts";
import { deleteOtherSessions, deleteSession, listSessions } from "../person-store.ts";

const SessionBody = z
  .object({
    id: z.string().openapi({ example: "ses_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    isCurrent: z.boolean().openapi({ description: "Whether it is the one that asks." }),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
  })
  .openapi("Session");

const listSessionsRoute = createRoute({
  method: "get",
  path: "/api/v1/sessions",
  operationId: "listSessions",
  summary: "List one's own sessions that have not ended, newest first, at most 100",
  tags: ["People"],
  ...needsPerson(null),
  responses: {
    200: jsonAnswer("The sessions.", z.object({ data: z.array(SessionBody), nextCursor: z.null() })),
    ...NOT_MODIFIED,
    ...problems("not_found"),
  },
});

export function listSessionsOperation({ database }: ApiDeps) {
  return operation(listSessionsRoute, async (context) => {
    const { personId, sessionId } = requireSignedIn(context);
    const sessions = await listSessions(database, personId);
    const data = sessions.map(({ id, createdAtMs, expiresAtMs }) => ({
      id: toPublicId("ses", id),
      isCurrent: id === sessionId,
      createdAt: toInstant(createdAtMs),
      expiresAt: toInstant(expiresAtMs),
    }));
    return context.json({ data, nextCursor: null }, 200);
  });
}

const deleteSessionRoute = createRoute({
  method: "delete",
  path: "/api/v1/sessions/{sessionId}",
  operationId: "deleteSession",
  summary: "End one of one's own sessions",
  description: "With the next request it is signed out, everywhere.",
  tags: ["People"],
  ...needsPerson(null),
  request: { params: z.object({ sessionId: entityIdParam("ses") }) },
  responses: { ...NO_CONTENT, ...problems("not_found") },
});

export function deleteSessionOperation({ database }: ApiDeps) {
  return operation(deleteSessionRoute, async (context) => {
    const sessionId = readEntityId("ses", context.req.valid("param").sessionId);
    requireFound(await deleteSession(database, requireSignedIn(context).personId, sessionId));
    return context.body(null, 204);
  });
}

const deleteOtherSessionsRoute = createRoute({
  method: "delete",
  path: "/api/v1/sessions",
  operationId: "deleteOtherSessions",
  summary: "End all of one's own sessions but this one",
  tags: ["People"],
  ...needsPerson(null),
  responses: { ...NO_CONTENT, ...problems("not_found") },
});

export function deleteOtherSessionsOperation({ database }: ApiDeps) {
  return operation(deleteOtherSessionsRoute, async (context) => {
    await deleteOtherSessions(database, requireSignedIn(context));
    return context.body(null, 204);
  });
}

/** /api/v1/sessions: where a person is signed in. */
import { z } from "@hono/zod-openapi";
import type { ApiDeps } from "../../api-deps.ts";
import { entityIdParam, readEntityId, requireFound, toPublicId } from "../../http/entity-id.ts";
import { endpoint } from "../../http/endpoint.ts";
import { jsonAnswer, needsPerson, NO_CONTENT } from "../../http/operation.ts";
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

export const listSessionsOperation = endpoint({
  method: "get",
  path: "/api/v1/sessions",
  operationId: "listSessions",
  summary: "List one's own sessions that have not ended, newest first, at most 100",
  tags: ["People"],
  ...needsPerson(null),
  responses: {
    200: jsonAnswer("The sessions.", z.object({ data: z.array(SessionBody), nextCursor: z.null() })),
  },
  problems: ["not_found"],
}).handle(async (context, { database }: ApiDeps) => {
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

export const deleteSessionOperation = endpoint({
  method: "delete",
  path: "/api/v1/sessions/{sessionId}",
  operationId: "deleteSession",
  summary: "End one of one's own sessions",
  description: "With the next request it is signed out, everywhere.",
  tags: ["People"],
  ...needsPerson(null),
  request: { params: z.object({ sessionId: entityIdParam("ses") }) },
  responses: NO_CONTENT,
  problems: ["not_found"],
}).handle(async (context, { database }: ApiDeps) => {
  const sessionId = readEntityId("ses", context.req.valid("param").sessionId);
  requireFound(await deleteSession(database, requireSignedIn(context).personId, sessionId));
  return context.body(null, 204);
});

export const deleteOtherSessionsOperation = endpoint({
  method: "delete",
  path: "/api/v1/sessions",
  operationId: "deleteOtherSessions",
  summary: "End all of one's own sessions but this one",
  tags: ["People"],
  ...needsPerson(null),
  responses: NO_CONTENT,
  problems: ["not_found"],
}).handle(async (context, { database }: ApiDeps) => {
  await deleteOtherSessions(database, requireSignedIn(context));
  return context.body(null, 204);
});

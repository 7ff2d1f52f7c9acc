/** /api/v1/webhooks/{webhookId}/deliveries and /replay: what was sent, and sending it again. */
import { z } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import { recordEvent } from "../audit/record-event.ts";
import { parsePublicId, readEntityId, requireFound, toPublicId } from "../http/entity-id.ts";
import { endpoint } from "../http/endpoint.ts";
import { IdempotencyHeader, jsonAnswer, jsonBody, needs } from "../http/operation.ts";
import { pageOf, PageQuery, readPageById } from "../http/page.ts";
import { ProblemError } from "../http/problem.ts";
import { repeatable } from "../http/query-parameters.ts";
import { Instant, toInstant, toInstantOrNull } from "../instant.ts";
import { WebhookParams } from "./endpoint-shape.ts";
import { findEndpoint } from "./endpoint-store.ts";
import {
  DELIVERY_STATES,
  KEPT_DAYS,
  listDeliveries,
  type LoggedDelivery,
  MAX_REPLAYED,
  replayDeliveries,
} from "./log-store.ts";
import { MESSAGE_TYPES } from "./message-shape.ts";
import { KEPT_ANSWER_CHARACTERS } from "./send-message.ts";
import type { MessageType } from "./event-types.ts";

const DeliveryBody = z
  .object({
    id: z.string().openapi({
      description: "The `webhook-id` of its message. Clicks that are sent one by one have ids of their own.",
      example: "dlv_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f",
    }),
    type: z.enum(MESSAGE_TYPES as [MessageType, ...MessageType[]]),
    state: z.enum(DELIVERY_STATES),
    clicks: z.number().int().openapi({ description: "How many clicks it is about; 0 for other events." }),
    createdAt: z.iso.datetime(),
    attempts: z.number().int(),
    attemptedAt: z.iso.datetime().nullable(),
    nextAttemptAt: z.iso.datetime().nullable(),
    status: z
      .number()
      .int()
      .nullable()
      .openapi({ description: "The last answer's; `null`: there was none." }),
    durationMs: z.number().int().nullable(),
    error: z.string().nullable().openapi({
      description:
        "`timeout`, `unreachable`, `redirect`, `status`, `too-large`; `deleted`: what it was about is gone; `disabled`: the webhook was switched off; `late`: its time was up before its turn came.",
    }),
    answer: z
      .string()
      .nullable()
      .openapi({
        description: `The first ${KEPT_ANSWER_CHARACTERS} characters of the last answer, as plain text.`,
      }),
  })
  .openapi("WebhookDelivery");

function toLogged(logged: LoggedDelivery): z.infer<typeof DeliveryBody> {
  const { type, state, clicks, attempts, status, durationMs, error, answer } = logged;
  return {
    id: toPublicId("dlv", logged.id),
    type,
    state,
    clicks,
    createdAt: toInstant(logged.createdAtMs),
    attempts,
    attemptedAt: toInstantOrNull(logged.attemptedAtMs),
    nextAttemptAt: toInstantOrNull(logged.dueAtMs),
    status,
    durationMs,
    error,
    answer,
  };
}

export const listDeliveriesOperation = endpoint({
  method: "get",
  path: "/api/v1/webhooks/{webhookId}/deliveries",
  operationId: "listWebhookDeliveries",
  summary: "List what a webhook was sent, newest first",
  description: `A delivery is one event, or up to a hundred clicks. The log goes back ${KEPT_DAYS} days.`,
  tags: ["Webhooks"],
  ...needs("admin"),
  request: {
    params: WebhookParams,
    query: PageQuery.extend({
      state: repeatable(z.enum(DELIVERY_STATES), DELIVERY_STATES.length)
        .default([...DELIVERY_STATES])
        .openapi({
          type: "array",
          items: { type: "string", enum: [...DELIVERY_STATES] },
          description: "Any of these.",
        }),
    }),
  },
  responses: { 200: jsonAnswer("A page of deliveries.", pageOf(DeliveryBody)) },
  problems: ["cursor_invalid", "not_found"],
}).handle(async (context, { database }: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const endpointId = readEntityId("whk", context.req.valid("param").webhookId);
  const { state: states, ...page } = context.req.valid("query");
  requireFound(await findEndpoint(database, workspaceId, endpointId));
  const { rows, nextCursor } = await readPageById("deliveries", page, (idPage) =>
    listDeliveries(database, workspaceId, { endpointId, states, page: idPage }),
  );
  return context.json({ data: rows.map(toLogged), nextCursor }, 200);
});

const ReplayBody = z
  .strictObject({
    deliveryId: z
      .string()
      .transform((id, context) => {
        const uuid = parsePublicId("dlv", id);
        if (uuid === null) {
          context.addIssue("is not the id of a delivery: take it from the log");
        }
        return uuid ?? z.NEVER;
      })
      .optional()
      .openapi({ type: "string", description: "This one alone, whatever became of it." }),
    since: Instant.optional().openapi({ description: "Deliveries that were made from then on." }),
    until: Instant.optional().openapi({ description: "And before then." }),
    state: z.enum(["given-up", "delivered"]).default("given-up"),
  })
  .openapi("ReplayWebhook");

export const replayOperation = endpoint({
  method: "post",
  path: "/api/v1/webhooks/{webhookId}/replay",
  operationId: "replayWebhook",
  "x-destructive": true,
  summary: "Send deliveries again",
  description: `One, those of a range, or all that were given up: an empty object. They have their ids, and what they were about as far as it is still there, and are tried for 24 hours. A request takes ${MAX_REPLAYED} at most, the oldest: repeat it until it answers 0.`,
  tags: ["Webhooks"],
  ...needs("admin"),
  request: {
    params: WebhookParams,
    headers: IdempotencyHeader,
    body: jsonBody(ReplayBody, { since: "2026-11-20T00:00:00Z" }),
  },
  responses: {
    200: jsonAnswer("How many wait now.", z.object({ replayed: z.number().int() }).openapi("WebhookReplay")),
  },
  problems: ["not_found", "webhook_disabled"],
}).handle(async (context, { database, webhooks }: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const endpointId = readEntityId("whk", context.req.valid("param").webhookId);
  const { deliveryId = null, since = null, until = null, state } = context.req.valid("json");
  const replayed = await replayDeliveries(database, workspaceId, {
    endpointId,
    deliveryId,
    since,
    until,
    states: deliveryId === null ? [state] : ["given-up", "delivered"],
  });
  if (replayed === null) {
    requireFound(await findEndpoint(database, workspaceId, endpointId));
    throw new ProblemError("webhook_disabled");
  }
  if (replayed > 0) {
    const label = `${replayed} deliveries`;
    await recordEvent(context, database, { action: "webhook.replayed", resourceId: endpointId, label });
  }
  webhooks.wakeUp(null);
  return context.json({ replayed }, 200);
});

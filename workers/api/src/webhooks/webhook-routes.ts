/** /api/v1/webhooks, with rotate, test and stats. The secret of a new one is shown once. */
import { z } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import { readEntityId, requireFound, toPublicId } from "../http/entity-id.ts";
import { endpoint } from "../http/endpoint.ts";
import { IdempotencyHeader, freshly, jsonAnswer, needs } from "../http/operation.ts";
import { invalidField, ProblemError } from "../http/problem.ts";
import { resource } from "../http/resource.ts";
import { toInstant } from "../instant.ts";
import {
  changeableWebhook,
  CreateWebhookBody,
  MOVING,
  NewWebhookBody,
  requireOneKindOfClicks,
  StatsBody,
  toStats,
  toStoredFilter,
  toWebhook,
  WebhookBody,
  WebhookParams,
} from "./endpoint-shape.ts";
import {
  deleteEndpoint,
  endpointsOf,
  findEndpoint,
  findSecrets,
  findStats,
  insertEndpoint,
  isOwnHost,
  MAX_ENDPOINTS,
  rotateSecret,
  updateEndpoint,
} from "./endpoint-store.ts";
import { checkEndpointUrl, LEADS_BACK } from "./endpoint-url.ts";
import { KEPT_ANSWER_CHARACTERS, MAX_ANSWER_BYTES, sendMessage } from "./send-message.ts";
import { importSecrets, newWebhookSecret } from "./signature.ts";
import { switchOff } from "./switch-off.ts";
import { toSample } from "./sample.ts";

const webhooks = resource<ApiDeps>()({
  path: "/api/v1/webhooks",
  id: ["webhookId", "whk"],
  name: "Webhook",
  one: "a webhook",
  many: "webhooks",
  tag: "Webhooks",
  body: WebhookBody,
  show: toWebhook,
  reads: needs("admin"),
  writes: needs("admin"),
  rows: endpointsOf,
});

export const createWebhookOperation = webhooks.create({
  description: `Messages are POSTs of JSON, signed as [Standard Webhooks](https://www.standardwebhooks.com) says; this document's \`webhooks\` describe them. Every click that matches is sent at least once, with a stable id. Clicks of one link are in order within a message, and nearly so between messages. A message that is not accepted is tried again for 24 hours. A workspace may have ${MAX_ENDPOINTS} webhooks.`,
  access: freshly(needs("admin")),
  body: [
    CreateWebhookBody,
    {
      url: "https://hooks.example.com/hopline",
      events: ["link.created", "click"],
      filter: { classes: ["human"] },
    },
  ],
  answer: ["The webhook. Store its secret now: it is not shown again.", NewWebhookBody],
  problems: ["sign_in_again", "too_many_webhooks"],
  create: async (deps, { workspaceId, newId, context }, { url, filter, events, ...rest }) => {
    requireOneKindOfClicks(events);
    const secret = newWebhookSecret(deps.randomBytes);
    const inserted = await insertEndpoint(deps.database, {
      ...rest,
      ...toStoredFilter(filter),
      id: newId,
      workspaceId,
      url: await requireAllowedUrl(url, context.req.url, deps),
      events: [...new Set(events)],
      secret: await (await deps.webhooks.secretSeal()).seal(secret),
    });
    if (inserted.kind === "there") {
      throw new ProblemError("idempotency_secret");
    }
    if (inserted.kind === "too-many") {
      throw new ProblemError("too_many_webhooks");
    }
    deps.webhooks.wakeUp(null);
    return { ...toWebhook(inserted.endpoint), secret };
  },
});

/** As it is stored. Throws `ProblemError` invalid. */
async function requireAllowedUrl(
  text: string,
  requestUrl: string,
  { database, people, webhooks }: ApiDeps,
): Promise<string> {
  const appOrigin = people?.settings.appOrigin;
  const here = [requestUrl, ...(appOrigin === undefined ? [] : [appOrigin])].map((url) => new URL(url).host);
  const checked = checkEndpointUrl(text, webhooks.urlRules, here);
  if (!checked.isAllowed) {
    throw invalidField("url", checked.message);
  }
  const { host, hostname } = new URL(checked.url);
  if (await isOwnHost(database, [host, hostname])) {
    throw invalidField("url", LEADS_BACK);
  }
  return checked.url;
}

export const listWebhooksOperation = webhooks.list({
  searched: "its description or URL",
});

export const readWebhookOperation = webhooks.read({ answer: "The webhook, without its secret." });

export const updateWebhookOperation = webhooks.update({
  summary: "Change a webhook, or switch it on or off",
  description:
    "Switching it off gives up what waits; replayWebhook sends that again. Switched on, it gets what happens from then on.",
  access: freshly(needs("admin")),
  problems: ["sign_in_again"],
  body: [
    changeableWebhook,
    { events: ["click"], mode: "each" },
    "Fields that are left out stay as they are; a filter is replaced as a whole.",
  ],
  moving: MOVING,
  update: async (deps, { found, context, ...target }, body) => {
    const { url, filter, enabled, events, mode, description } = body;
    requireOneKindOfClicks(events ?? []);
    const isNewUrl = url !== undefined && url !== (await found()).url;
    const changed = await updateEndpoint(deps.database, target, {
      settings: {
        url: isNewUrl ? await requireAllowedUrl(url, context.req.url, deps) : url,
        events: events && [...new Set(events)],
        mode,
        description,
      },
      filter: filter && toStoredFilter(filter),
      isSwitchedOn: enabled === true,
    });
    const isOff =
      changed !== null &&
      enabled === false &&
      (await switchOff(deps.database, target.id, { reason: "owner" }));
    deps.webhooks.wakeUp(null);
    return isOff ? findEndpoint(deps.database, target.workspaceId, target.id) : changed;
  },
});

export const deleteWebhookOperation = webhooks.delete({
  summary: "Delete a webhook and its log",
  remove: ({ database }, target) => deleteEndpoint(database, target),
});

export const rotateSecretOperation = endpoint({
  method: "post",
  path: "/api/v1/webhooks/{webhookId}/rotate",
  operationId: "rotateWebhookSecret",
  summary: "Replace a webhook's secret",
  description: "For 24 hours messages are signed with both. What was the old secret before ends at once.",
  tags: ["Webhooks"],
  ...freshly(needs("admin")),
  request: { params: WebhookParams, headers: IdempotencyHeader },
  responses: { 201: jsonAnswer("The webhook. Store its secret now: it is not shown again.", NewWebhookBody) },
  problems: ["sign_in_again", "not_found", "idempotency_secret"],
}).handle(async (context, deps: ApiDeps) => {
  const secret = newWebhookSecret(deps.randomBytes);
  const stored = requireFound(
    await rotateSecret(deps.database, context.get("principal").workspaceId, {
      id: readEntityId("whk", context.req.valid("param").webhookId),
      secretId: context.get("newIds").idAt(0),
      secret: await (await deps.webhooks.secretSeal()).seal(secret),
    }),
  );
  if (stored === "there") {
    throw new ProblemError("idempotency_secret");
  }
  context.header("cache-control", "no-store");
  return context.json({ ...toWebhook(stored), secret }, 201);
});

const TestBody = z
  .object({
    accepted: z.boolean(),
    status: z.number().int().nullable(),
    durationMs: z.number().int(),
    error: z
      .enum(["timeout", "unreachable", "redirect", "status", "too-large"])
      .nullable()
      .openapi({
        description: `\`timeout\`: no answer in 10 seconds. \`redirect\`: redirects are not followed. \`status\`: not 200 to 299. \`too-large\`: more than ${MAX_ANSWER_BYTES} bytes.`,
      }),
    answer: z
      .string()
      .openapi({ description: `The first ${KEPT_ANSWER_CHARACTERS} characters of its body, as plain text.` }),
    message: z.object({ id: z.string(), body: z.string() }).openapi({ description: "What was sent." }),
  })
  .openapi("WebhookTest");

export const testWebhookOperation = endpoint({
  method: "post",
  path: "/api/v1/webhooks/{webhookId}/test",
  operationId: "testWebhook",
  "x-destructive": true,
  summary: "Send a sample, and show what the receiver answers",
  description:
    "A sample of the first of the webhook's events, signed like a real message. It is not in the log.",
  tags: ["Webhooks"],
  ...needs("admin"),
  request: { params: WebhookParams, headers: IdempotencyHeader },
  responses: { 200: jsonAnswer("The receiver's answer.", TestBody) },
  problems: ["not_found"],
}).handle(async (context, deps: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const id = readEntityId("whk", context.req.valid("param").webhookId);
  const stored = requireFound(await findEndpoint(deps.database, workspaceId, id));
  const sealed = requireFound(await findSecrets(deps.database, workspaceId, id));
  const seal = await deps.webhooks.secretSeal();
  const { fetch } = deps.webhooks;
  const { nowMs } = deps;
  const message = {
    id: toPublicId("dlv", context.get("newIds").idAt(0)),
    body: toSample(stored, toInstant(nowMs())),
  };
  const secrets = await Promise.all(sealed.map(seal.open));
  const receiver = { url: stored.url, keys: await importSecrets(secrets) };
  const timestamp = Math.floor(nowMs() / 1_000);
  const answer = await sendMessage({ ...message, timestamp }, receiver, { fetch, nowMs });
  const { isAccepted: accepted, status, durationMs, error, text } = answer;
  return context.json({ accepted, status, durationMs, error, answer: text, message }, 200);
});

export const readStatsOperation = endpoint({
  method: "get",
  path: "/api/v1/webhooks/{webhookId}/stats",
  operationId: "readWebhookStats",
  summary: "Read what became of a webhook's clicks",
  tags: ["Webhooks"],
  ...needs("admin"),
  request: { params: WebhookParams },
  responses: { 200: jsonAnswer("The counts.", StatsBody) },
  problems: ["not_found"],
}).handle(async (context, { database }: ApiDeps) => {
  const id = readEntityId("whk", context.req.valid("param").webhookId);
  const stats = await findStats(database, context.get("principal").workspaceId, id);
  return context.json(toStats(requireFound(stats)), 200);
});

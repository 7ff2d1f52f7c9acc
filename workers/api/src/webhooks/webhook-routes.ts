/** /api/v1/webhooks: create (the secret is shown this once), list, read, change, delete, rotate, test, stats. */
import { createRoute, z } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import type { Context } from "hono";
import type { ApiContext } from "../http/authenticate.ts";
import { readEntityId, requireFound, toPublicId } from "../http/entity-id.ts";
import { IfMatchHeader, readIfMatch, versionTag } from "../http/entity-tag.ts";
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
  UpdateWebhookBody,
  WebhookBody,
  WebhookParams,
} from "./endpoint-shape.ts";
import {
  deleteEndpoint,
  findEndpoint,
  findSecrets,
  findStats,
  insertEndpoint,
  isOwnHost,
  listEndpoints,
  MAX_ENDPOINTS,
  rotateSecret,
  type StoredEndpoint,
  updateEndpoint,
} from "./endpoint-store.ts";
import { checkEndpointUrl, LEADS_BACK } from "./endpoint-url.ts";
import { KEPT_ANSWER_CHARACTERS, MAX_ANSWER_BYTES, sendMessage } from "./send-message.ts";
import { importSecrets, newWebhookSecret } from "./signature.ts";
import { switchOff } from "./switch-off.ts";
import { toSample } from "./sample.ts";

const createWebhookRoute = createRoute({
  method: "post",
  path: "/api/v1/webhooks",
  operationId: "createWebhook",
  summary: "Create a webhook",
  description: `Messages are POSTs of JSON, signed as [Standard Webhooks](https://www.standardwebhooks.com) says; this document's \`webhooks\` describe them. Every click that matches is sent at least once, with a stable id. Clicks of one link are in order within a message, and nearly so between messages. A message that is not accepted is tried again for 24 hours. A workspace may have ${MAX_ENDPOINTS} webhooks.`,
  tags: ["Webhooks"],
  ...freshly(needs("admin")),
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(CreateWebhookBody, {
      url: "https://hooks.example.com/hopline",
      events: ["link.created", "click"],
      filter: { classes: ["human"] },
    }),
  },
  responses: {
    201: jsonAnswer("The webhook. Store its secret now: it is not shown again.", NewWebhookBody),
    ...problems(
      "sign_in_again",
      ...BODY_PROBLEMS,
      ...IDEMPOTENCY_PROBLEMS,
      "idempotency_secret",
      "too_many_webhooks",
    ),
  },
});

export function createWebhookOperation(deps: ApiDeps) {
  return operation(createWebhookRoute, async (context) => {
    const { url, filter, events, ...rest } = context.req.valid("json");
    requireOneKindOfClicks(events);
    const secret = newWebhookSecret(deps.randomBytes);
    const inserted = await insertEndpoint(deps.database, {
      ...rest,
      ...toStoredFilter(filter),
      id: context.get("newIds").idAt(0),
      workspaceId: context.get("principal").workspaceId,
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
    context.header("cache-control", "no-store");
    return context.json({ ...toWebhook(inserted.endpoint), secret }, 201);
  });
}

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

const listWebhooksRoute = createRoute({
  method: "get",
  path: "/api/v1/webhooks",
  operationId: "listWebhooks",
  summary: "List webhooks, newest first",
  tags: ["Webhooks"],
  ...needs("admin"),
  request: { query: PageQuery },
  responses: {
    200: jsonAnswer("A page of webhooks, without their secrets.", pageOf(WebhookBody)),
    ...NOT_MODIFIED,
    ...problems("cursor_invalid"),
  },
});

export function listWebhooksOperation({ database }: ApiDeps) {
  return operation(listWebhooksRoute, async (context) => {
    const { workspaceId } = context.get("principal");
    const { rows, nextCursor } = await readPageById("webhooks", context.req.valid("query"), (page) =>
      listEndpoints(database, workspaceId, page),
    );
    return context.json({ data: rows.map(toWebhook), nextCursor }, 200);
  });
}

const readWebhookRoute = createRoute({
  method: "get",
  path: "/api/v1/webhooks/{webhookId}",
  operationId: "readWebhook",
  summary: "Read a webhook",
  tags: ["Webhooks"],
  ...needs("admin"),
  request: { params: WebhookParams },
  responses: {
    200: jsonAnswer("The webhook, without its secret.", WebhookBody),
    ...NOT_MODIFIED,
    ...problems("not_found"),
  },
});

export function readWebhookOperation({ database }: ApiDeps) {
  return operation(readWebhookRoute, async (context) => {
    const id = readEntityId("whk", context.req.valid("param").webhookId);
    const stored = await findEndpoint(database, context.get("principal").workspaceId, id);
    return answerWebhook(context, requireFound(stored));
  });
}

async function answerWebhook(context: Context<ApiContext>, stored: StoredEndpoint) {
  const webhook = toWebhook(stored);
  context.header("etag", await versionTag(webhook));
  return context.json(webhook, 200);
}

const updateWebhookRoute = createRoute({
  method: "patch",
  path: "/api/v1/webhooks/{webhookId}",
  operationId: "updateWebhook",
  summary: "Change a webhook, or switch it on or off",
  description:
    "Switching it off gives up what waits; replayWebhook sends that again. Switched on, it gets what happens from then on.",
  tags: ["Webhooks"],
  ...needs("admin"),
  request: {
    params: WebhookParams,
    headers: IfMatchHeader,
    body: jsonBody(UpdateWebhookBody, { events: ["click"], mode: "each" }),
  },
  responses: {
    200: jsonAnswer("The webhook after the change.", WebhookBody),
    ...problems(...BODY_PROBLEMS, "not_found", "version_mismatch"),
  },
});

export function updateWebhookOperation(deps: ApiDeps) {
  return operation(updateWebhookRoute, async (context) => {
    const { workspaceId } = context.get("principal");
    const id = readEntityId("whk", context.req.valid("param").webhookId);
    const body = context.req.valid("json");
    const found = requireFound(await findEndpoint(deps.database, workspaceId, id));
    requireUnchanged(readOnlyOf(body, changeableWebhook) ?? {}, toWebhook(found), MOVING);
    const { url, filter, enabled, events, mode, description } = body;
    requireOneKindOfClicks(events ?? []);
    const isNewUrl = url !== undefined && url !== found.url;
    const changed = await updateEndpoint(deps.database, workspaceId, {
      id,
      ifMatch: readIfMatch(context.req.header("if-match")),
      settings: {
        ...(url === undefined
          ? {}
          : { url: isNewUrl ? await requireAllowedUrl(url, context.req.url, deps) : url }),
        ...(events === undefined ? {} : { events: [...new Set(events)] }),
        ...(mode === undefined ? {} : { mode }),
        ...(description === undefined ? {} : { description }),
      },
      filter: filter === undefined ? undefined : toStoredFilter(filter),
      isSwitchedOn: enabled === true,
    });
    if (changed === null) {
      throw new ProblemError(
        (await findEndpoint(deps.database, workspaceId, id)) === null ? "not_found" : "version_mismatch",
      );
    }
    const isOff = enabled === false && (await switchOff(deps.database, id, { reason: "owner" }));
    const stored = isOff ? await findEndpoint(deps.database, workspaceId, id) : changed;
    deps.webhooks.wakeUp(null);
    return answerWebhook(context, requireFound(stored));
  });
}

const deleteWebhookRoute = createRoute({
  method: "delete",
  path: "/api/v1/webhooks/{webhookId}",
  operationId: "deleteWebhook",
  summary: "Delete a webhook and its log",
  tags: ["Webhooks"],
  ...needs("admin"),
  request: { params: WebhookParams },
  responses: { ...NO_CONTENT, ...problems("not_found") },
});

export function deleteWebhookOperation({ database }: ApiDeps) {
  return operation(deleteWebhookRoute, async (context) => {
    const id = readEntityId("whk", context.req.valid("param").webhookId);
    if (!(await deleteEndpoint(database, context.get("principal").workspaceId, id))) {
      throw new ProblemError("not_found");
    }
    return context.body(null, 204);
  });
}

const rotateSecretRoute = createRoute({
  method: "post",
  path: "/api/v1/webhooks/{webhookId}/rotate",
  operationId: "rotateWebhookSecret",
  summary: "Replace a webhook's secret",
  description: "For 24 hours messages are signed with both. What was the old secret before ends at once.",
  tags: ["Webhooks"],
  ...freshly(needs("admin")),
  request: { params: WebhookParams, headers: IdempotencyHeader },
  responses: {
    201: jsonAnswer("The webhook. Store its secret now: it is not shown again.", NewWebhookBody),
    ...problems("sign_in_again", "not_found", ...IDEMPOTENCY_PROBLEMS, "idempotency_secret"),
  },
});

export function rotateSecretOperation(deps: ApiDeps) {
  return operation(rotateSecretRoute, async (context) => {
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
}

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

const testWebhookRoute = createRoute({
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
  responses: {
    200: jsonAnswer("The receiver's answer.", TestBody),
    ...problems("not_found", ...IDEMPOTENCY_PROBLEMS),
  },
});

export function testWebhookOperation(deps: ApiDeps) {
  return operation(testWebhookRoute, async (context) => {
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
}

const readStatsRoute = createRoute({
  method: "get",
  path: "/api/v1/webhooks/{webhookId}/stats",
  operationId: "readWebhookStats",
  summary: "Read what became of a webhook's clicks",
  tags: ["Webhooks"],
  ...needs("admin"),
  request: { params: WebhookParams },
  responses: { 200: jsonAnswer("The counts.", StatsBody), ...NOT_MODIFIED, ...problems("not_found") },
});

export function readStatsOperation({ database }: ApiDeps) {
  return operation(readStatsRoute, async (context) => {
    const id = readEntityId("whk", context.req.valid("param").webhookId);
    const stats = await findStats(database, context.get("principal").workspaceId, id);
    return context.json(toStats(requireFound(stats)), 200);
  });
}

/** A link's cache status: how far its newest version has spread, and publishing it again. */
import { z } from "@hono/zod-openapi";
import type { ApiDeps } from "../../api-deps.ts";
import { readEntityId, requireFound } from "../../http/entity-id.ts";
import { endpoint } from "../../http/endpoint.ts";
import { IdempotencyHeader, jsonAnswer, needs } from "../../http/operation.ts";
import { toInstant, toInstantOrNull } from "../../instant.ts";
import { readCopies, judgeSpread } from "../../publishing/cache-status.ts";
import { enqueueAgain, toEnqueued } from "../../publishing/outbox.ts";
import { LinkParams } from "../link-shape.ts";
import type { StoredLink } from "../store/link-columns.ts";
import { findLink } from "../store/link-store.ts";

const Version = z.number().int();

const CacheStatusBody = z
  .object({
    state: z.enum(["pending", "spreading", "settled"]).openapi({
      description:
        "`pending`: not published everywhere yet. `spreading`: caches that miss the change feed may still be older. `settled`: no cache can be older.",
    }),
    database: z.object({ version: Version }),
    kv: z.object({ version: Version }).nullable().openapi({
      description: "`null`: KV has no record, or does not answer. A lag of a minute elsewhere is normal.",
    }),
    feed: z
      .object({ version: Version, announcedAt: z.iso.datetime() })
      .nullable()
      .openapi({ description: "`null`: no change in the last minutes, or the feed does not answer." }),
    expectedBy: z.iso
      .datetime()
      .nullable()
      .openapi({ description: "By then every isolate that reads the change feed has the newest version." }),
    worstCaseEndsAt: z.iso
      .datetime()
      .nullable()
      .openapi({ description: "By then even caches that could not read the change feed have it." }),
  })
  .openapi("CacheStatus");

async function readCacheStatus(stored: StoredLink, deps: ApiDeps): Promise<z.infer<typeof CacheStatusBody>> {
  const copies = await readCopies(stored, deps);
  const { state, expectedByMs, worstCaseEndsAtMs } = judgeSpread(copies, deps.nowMs());
  const { database, kv, feed } = copies;
  return {
    state,
    database: { version: database.version },
    kv: kv === null ? null : { version: kv.version },
    feed: feed === null ? null : { version: feed.version, announcedAt: toInstant(feed.announcedAtMs) },
    expectedBy: toInstantOrNull(expectedByMs),
    worstCaseEndsAt: toInstantOrNull(worstCaseEndsAtMs),
  };
}

export const readCacheStatusOperation = endpoint({
  method: "get",
  path: "/api/v1/links/{linkId}/cache-status",
  operationId: "readCacheStatus",
  summary: "Read how far a link's newest version has spread",
  tags: ["Links"],
  ...needs("links:read", { reach: "links" }),
  request: { params: LinkParams },
  responses: {
    200: jsonAnswer(
      "The version that each place holds, and when the newest one is in effect everywhere.",
      CacheStatusBody,
    ),
  },
  problems: ["not_found"],
}).handle(async (context, deps: ApiDeps) => {
  const linkId = readEntityId("lnk", context.req.valid("param").linkId);
  const stored = await findLink(deps.database, context.get("principal").workspaceId, linkId);
  return context.json(await readCacheStatus(requireFound(stored), deps), 200);
});

export const publishLinkOperation = endpoint({
  method: "post",
  path: "/api/v1/links/{linkId}/publish",
  operationId: "publishLink",
  summary: "Publish a link again",
  description: "Publishes the link as it stands in the database.",
  tags: ["Links"],
  ...needs("links:write", { reach: "links" }),
  request: { params: LinkParams, headers: IdempotencyHeader },
  responses: {
    200: jsonAnswer("The status afterwards; `pending` if publishing has still to succeed.", CacheStatusBody),
  },
  problems: ["not_found"],
}).handle(async (context, deps: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const linkId = readEntityId("lnk", context.req.valid("param").linkId);
  const stored = requireFound(await findLink(deps.database, workspaceId, linkId));
  const lease = deps.publisher.newLease();
  const enqueued = toEnqueued(await enqueueAgain(deps.database, [linkId], lease));
  await deps.publisher.publish(enqueued, lease);
  return context.json(await readCacheStatus(stored, deps), 200);
});

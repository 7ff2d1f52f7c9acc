/** POST /api/v1/links/{linkId}/purge: publishes a link once more, as it stands in the database. */
import { createRoute } from "@hono/zod-openapi";
import type { ApiDeps } from "../../api-deps.ts";
import { findPlaces, judgeSpread } from "../../publishing/cache-status.ts";
import { CacheStatusBody, toCacheStatus } from "./cache-status-shape.ts";
import { readEntityId } from "../../http/entity-id.ts";
import { LinkParams } from "../link-shape.ts";
import {
  IDEMPOTENCY_PROBLEMS,
  IdempotencyHeader,
  jsonAnswer,
  needs,
  operation,
  problems,
} from "../../http/operation.ts";
import { ProblemError } from "../../http/problem.ts";
import { enqueueAgain, toEnqueued } from "../../publishing/outbox.ts";
import { findLink } from "../store/link-store.ts";

const route = createRoute({
  method: "post",
  path: "/api/v1/links/{linkId}/purge",
  operationId: "purgeLink",
  summary: "Publish a link once more",
  tags: ["Links"],
  ...needs("links:write"),
  request: { params: LinkParams, headers: IdempotencyHeader },
  responses: {
    200: jsonAnswer(
      "Published again, or taken up for publishing (`pending`); the status as it is after that.",
      CacheStatusBody,
    ),
    ...problems(...IDEMPOTENCY_PROBLEMS, "not_found"),
  },
});

export function purgeLinkOperation(deps: ApiDeps) {
  return operation(route, async (context) => {
    const { workspaceId } = context.get("principal");
    const linkId = readEntityId("lnk", context.req.valid("param").linkId);
    const stored = await findLink(deps.database, workspaceId, linkId);
    if (stored === null) {
      throw new ProblemError("not_found");
    }
    const lease = deps.publisher.newLease();
    const enqueued = toEnqueued(await enqueueAgain(deps.database, [linkId], lease));
    await deps.publisher.publish(enqueued, lease);
    const places = await findPlaces(stored, deps);
    return context.json(toCacheStatus(places, judgeSpread(places, deps.nowMs())), 200);
  });
}

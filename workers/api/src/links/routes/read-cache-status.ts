/** GET /api/v1/links/{linkId}/cache-status */
import { createRoute } from "@hono/zod-openapi";
import type { ApiDeps } from "../../api-deps.ts";
import { findPlaces, judgeSpread } from "../../publishing/cache-status.ts";
import { CacheStatusBody, toCacheStatus } from "./cache-status-shape.ts";
import { readEntityId } from "../../http/entity-id.ts";
import { LinkParams } from "../link-shape.ts";
import { jsonAnswer, needs, NOT_MODIFIED, operation, problems } from "../../http/operation.ts";
import { ProblemError } from "../../http/problem.ts";
import { findLink } from "../store/link-store.ts";

const route = createRoute({
  method: "get",
  path: "/api/v1/links/{linkId}/cache-status",
  operationId: "readCacheStatus",
  summary: "Read how far a link's newest version has spread",
  tags: ["Links"],
  ...needs("links:read"),
  request: { params: LinkParams },
  responses: {
    200: jsonAnswer(
      "Which version each place holds, and by when the newest is in effect everywhere.",
      CacheStatusBody,
    ),
    ...NOT_MODIFIED,
    ...problems("not_found"),
  },
});

export function readCacheStatusOperation(deps: ApiDeps) {
  return operation(route, async (context) => {
    const { workspaceId } = context.get("principal");
    const linkId = readEntityId("lnk", context.req.valid("param").linkId);
    const stored = await findLink(deps.database, workspaceId, linkId);
    if (stored === null) {
      throw new ProblemError("not_found");
    }
    const places = await findPlaces(stored, deps);
    return context.json(toCacheStatus(places, judgeSpread(places, deps.nowMs())), 200);
  });
}

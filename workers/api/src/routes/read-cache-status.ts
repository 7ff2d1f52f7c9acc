/** GET /api/v1/links/{id}/cache-status */
import { createRoute, z } from "@hono/zod-openapi";
import type { ApiApp, ApiDeps } from "../api-context.ts";
import { requireScope } from "../authenticate.ts";
import { findPlaces, judgeSpread } from "../cache-status.ts";
import { CacheStatusBody, toCacheStatus } from "../cache-status-shape.ts";
import { parsePublicId } from "../entity-id.ts";
import { ProblemError } from "../problem.ts";
import { findLink } from "../store/link-store.ts";

const route = createRoute({
  method: "get",
  path: "/api/v1/links/{id}/cache-status",
  middleware: requireScope("links:read"),
  request: { params: z.object({ id: z.string() }) },
  responses: {
    200: {
      description: "Which version each place holds, and by when the newest is in effect everywhere.",
      content: { "application/json": { schema: CacheStatusBody } },
    },
  },
});

export function registerReadCacheStatus(app: ApiApp, deps: ApiDeps): void {
  app.openapi(route, async (context) => {
    const linkId = parsePublicId("lnk", context.req.valid("param").id);
    const stored =
      linkId === null ? null : await findLink(deps.database, context.get("principal").workspaceId, linkId);
    if (stored === null) {
      throw new ProblemError("not_found");
    }
    const places = await findPlaces(stored, deps);
    return context.json(toCacheStatus(places, judgeSpread(places, deps.nowMs())), 200);
  });
}

/** POST /api/v1/links/{id}/purge: publishes a link once more, as it stands in the database. */
import { createRoute, z } from "@hono/zod-openapi";
import type { ApiApp, ApiDeps } from "../api-context.ts";
import { requireScope } from "../authenticate.ts";
import { findPlaces, judgeSpread } from "../cache-status.ts";
import { CacheStatusBody, toCacheStatus } from "../cache-status-shape.ts";
import { parsePublicId } from "../entity-id.ts";
import { ProblemError } from "../problem.ts";
import { enqueueAgain, toEnqueued } from "../publishing/outbox.ts";
import { findLink } from "../store/link-store.ts";

const route = createRoute({
  method: "post",
  path: "/api/v1/links/{id}/purge",
  middleware: requireScope("links:write"),
  request: { params: z.object({ id: z.string() }) },
  responses: {
    200: {
      description: "Published again, or taken up for publishing (`pending`); the status as it is after that.",
      content: { "application/json": { schema: CacheStatusBody } },
    },
  },
});

export function registerPurgeLink(app: ApiApp, deps: ApiDeps): void {
  app.openapi(route, async (context) => {
    const linkId = parsePublicId("lnk", context.req.valid("param").id);
    const stored =
      linkId === null ? null : await findLink(deps.database, context.get("principal").workspaceId, linkId);
    if (linkId === null || stored === null) {
      throw new ProblemError("not_found");
    }
    const lease = deps.publisher.newLease();
    const enqueued = toEnqueued(await enqueueAgain(deps.database, [linkId], lease));
    await deps.publisher.publish(enqueued, lease);
    const places = await findPlaces(stored, deps);
    return context.json(toCacheStatus(places, judgeSpread(places, deps.nowMs())), 200);
  });
}

/** GET /api/v1/links/{id} */
import { createRoute, z } from "@hono/zod-openapi";
import type { ApiApp, ApiDeps } from "../api-context.ts";
import { requireScope } from "../authenticate.ts";
import { parsePublicId } from "../entity-id.ts";
import { LinkBody, toLink } from "../link-shape.ts";
import { ProblemError } from "../problem.ts";
import { findLink } from "../store/link-store.ts";

const route = createRoute({
  method: "get",
  path: "/api/v1/links/{id}",
  middleware: requireScope("links:read"),
  request: { params: z.object({ id: z.string() }) },
  responses: { 200: { description: "The link.", content: { "application/json": { schema: LinkBody } } } },
});

export function registerReadLink(app: ApiApp, deps: ApiDeps): void {
  app.openapi(route, async (context) => {
    const linkId = parsePublicId("lnk", context.req.valid("param").id);
    const stored =
      linkId === null ? null : await findLink(deps.database, context.get("principal").workspaceId, linkId);
    if (stored === null) {
      throw new ProblemError("not_found");
    }
    return context.json(toLink(stored), 200);
  });
}

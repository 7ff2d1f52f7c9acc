/** POST /api/v1/links */
import { createRoute } from "@hono/zod-openapi";
import type { ApiApp, ApiDeps } from "../api-context.ts";
import { requireScope } from "../authenticate.ts";
import { createLink } from "../create-link.ts";
import { CreateLinkBody, LinkBody, toLink } from "../link-shape.ts";
import { findLink } from "../store/link-store.ts";

const route = createRoute({
  method: "post",
  path: "/api/v1/links",
  middleware: requireScope("links:write"),
  request: { body: { required: true, content: { "application/json": { schema: CreateLinkBody } } } },
  responses: { 201: { description: "The new link.", content: { "application/json": { schema: LinkBody } } } },
});

export function registerCreateLink(app: ApiApp, deps: ApiDeps): void {
  app.openapi(route, async (context) => {
    const { workspaceId } = context.get("principal");
    const linkId = await createLink(workspaceId, context.req.valid("json"), deps);
    const stored = await findLink(deps.database, workspaceId, linkId);
    if (stored === null) {
      throw new Error("invariant: a link that was just committed can be read");
    }
    return context.json(toLink(stored), 201);
  });
}

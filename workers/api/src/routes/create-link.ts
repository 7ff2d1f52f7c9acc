/** POST /api/v1/links */
import { createRoute } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-context.ts";
import { createLink } from "../create-link.ts";
import { CreateLinkBody, LinkBody, toLink } from "../link-shape.ts";
import { BODY_PROBLEMS, jsonAnswer, jsonBody, needs, operation, problems } from "../operation.ts";
import { findLink } from "../store/link-store.ts";

const route = createRoute({
  method: "post",
  path: "/api/v1/links",
  operationId: "createLink",
  summary: "Create a link",
  tags: ["Links"],
  ...needs("links:write"),
  request: { body: jsonBody(CreateLinkBody, { url: "https://example.com/spring", title: "Spring sale" }) },
  responses: {
    201: jsonAnswer("The new link.", LinkBody),
    ...problems(...BODY_PROBLEMS, "slug_taken", "no_domain"),
  },
});

export function createLinkOperation(deps: ApiDeps) {
  return operation(route, async (context) => {
    const { workspaceId } = context.get("principal");
    const linkId = await createLink(workspaceId, context.req.valid("json"), deps);
    const stored = await findLink(deps.database, workspaceId, linkId);
    if (stored === null) {
      throw new Error("invariant: a link that was just committed can be read");
    }
    return context.json(toLink(stored), 201);
  });
}

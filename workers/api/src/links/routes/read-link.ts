/** GET /api/v1/links/{linkId} */
import { createRoute } from "@hono/zod-openapi";
import type { ApiDeps } from "../../api-deps.ts";
import { readEntityId } from "../../http/entity-id.ts";
import { linkEntityTag } from "../../http/entity-tag.ts";
import { LinkBody, LinkParams, toLink } from "../link-shape.ts";
import { jsonAnswer, needs, NOT_MODIFIED, operation, problems } from "../../http/operation.ts";
import { ProblemError } from "../../http/problem.ts";
import { findLink } from "../store/link-store.ts";

const route = createRoute({
  method: "get",
  path: "/api/v1/links/{linkId}",
  operationId: "readLink",
  summary: "Read a link",
  tags: ["Links"],
  ...needs("links:read"),
  request: { params: LinkParams },
  responses: { 200: jsonAnswer("The link.", LinkBody), ...NOT_MODIFIED, ...problems("not_found") },
});

export function readLinkOperation(deps: ApiDeps) {
  return operation(route, async (context) => {
    const { workspaceId } = context.get("principal");
    const linkId = readEntityId("lnk", context.req.valid("param").linkId);
    const stored = await findLink(deps.database, workspaceId, linkId);
    if (stored === null) {
      throw new ProblemError("not_found");
    }
    const link = toLink(stored);
    context.header("etag", linkEntityTag(link));
    return context.json(link, 200);
  });
}

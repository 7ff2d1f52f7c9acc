/** POST /api/v1/links */
import { createRoute } from "@hono/zod-openapi";
import type { ApiDeps } from "../../api-deps.ts";
import { createLink } from "../create-link.ts";
import { linkEntityTag } from "../../http/entity-tag.ts";
import { CreateLinkBody, LinkBody, toLink } from "../link-shape.ts";
import {
  BODY_PROBLEMS,
  IDEMPOTENCY_PROBLEMS,
  IdempotencyHeader,
  jsonAnswer,
  jsonBody,
  needs,
  operation,
  problems,
} from "../../http/operation.ts";
import { findLink } from "../store/link-store.ts";

const route = createRoute({
  method: "post",
  path: "/api/v1/links",
  operationId: "createLink",
  summary: "Create a link",
  tags: ["Links"],
  ...needs("links:write"),
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(CreateLinkBody, { url: "https://example.com/spring", title: "Spring sale" }),
  },
  responses: {
    201: jsonAnswer("The new link.", LinkBody),
    ...problems(...BODY_PROBLEMS, ...IDEMPOTENCY_PROBLEMS, "slug_taken", "external_id_taken", "no_domain"),
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
    const link = toLink(stored);
    context.header("etag", linkEntityTag(link));
    context.header("location", `/api/v1/links/${link.id}`);
    return context.json(link, 201);
  });
}

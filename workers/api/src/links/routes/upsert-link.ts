/** POST /api/v1/links/upsert: creates or changes the link that the client names by its own id. */
import { createRoute } from "@hono/zod-openapi";
import type { ApiDeps } from "../../api-deps.ts";
import { changeLink } from "../change-link.ts";
import { createLink } from "../create-link.ts";
import { linkEntityTag } from "../../http/entity-tag.ts";
import { LinkBody, toLink, UpsertLinkBody } from "../link-shape.ts";
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
import { ProblemError } from "../../http/problem.ts";
import { toLinkChange } from "./change-link.ts";
import { findLink, findLinkIdByExternalId } from "../store/link-store.ts";

const route = createRoute({
  method: "post",
  path: "/api/v1/links/upsert",
  operationId: "upsertLink",
  summary: "Create or change the link with this external id",
  description:
    "Takes what createLink takes. `domain` counts for a new link alone: a link does not move to another domain. Rules, limits and the redirect status of a link that is there stay as they are where they are left out.",
  tags: ["Links"],
  ...needs("links:write"),
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(UpsertLinkBody, { externalId: "product-4711", url: "https://example.com/4711" }),
  },
  responses: {
    200: jsonAnswer("The link was there, and is now so.", LinkBody),
    201: jsonAnswer("The new link.", LinkBody),
    ...problems(...BODY_PROBLEMS, ...IDEMPOTENCY_PROBLEMS, "slug_taken", "external_id_taken", "no_domain"),
  },
});

export function upsertLinkOperation(deps: ApiDeps) {
  return operation(route, async (context) => {
    const { workspaceId } = context.get("principal");
    const body = context.req.valid("json");
    const { domain: _domain, ...named } = body;
    const known = await findLinkIdByExternalId(deps.database, workspaceId, body.externalId);
    const version =
      known === null ? null : await changeLink({ workspaceId, linkId: known }, toLinkChange(named), deps);
    const linkId = known === null || version === null ? await createLink(workspaceId, body, deps) : known;
    const stored = await findLink(deps.database, workspaceId, linkId);
    if (stored === null) {
      throw new ProblemError("external_id_taken");
    }
    const link = toLink(stored);
    context.header("etag", linkEntityTag(link));
    return context.json(link, version === null ? 201 : 200);
  });
}

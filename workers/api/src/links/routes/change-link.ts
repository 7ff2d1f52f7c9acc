/** PATCH and DELETE /api/v1/links/{linkId} */
import { createRoute, z } from "@hono/zod-openapi";
import type { ApiDeps } from "../../api-deps.ts";
import { changeLink, type LinkChange } from "../change-link.ts";
import { readEntityId } from "../../http/entity-id.ts";
import { linkEntityTag, readIfMatch } from "../../http/entity-tag.ts";
import { LinkBody, LinkParams, toLink, type UpdateLink, UpdateLinkBody } from "../link-shape.ts";
import {
  BODY_PROBLEMS,
  jsonAnswer,
  jsonBody,
  needs,
  NO_CONTENT,
  operation,
  problems,
} from "../../http/operation.ts";
import { ProblemError } from "../../http/problem.ts";
import { readSmart } from "../smart-shape.ts";
import { findLink } from "../store/link-store.ts";

const IfMatchHeader = z.object({
  "if-match": z.string().max(1_000).optional().openapi({
    description:
      "The ETag that was read: the write is refused (412) when the link has changed since. Clicks are no change.",
    example: '"v3.c17"',
  }),
});

const updateLinkRoute = createRoute({
  method: "patch",
  path: "/api/v1/links/{linkId}",
  operationId: "updateLink",
  summary: "Change a link",
  description:
    "`status` disables, archives or restores it: disabled and archived links answer 410, archived ones are left out of lists. With a new `slug` the link moves, with its clicks; the old address answers 404.",
  tags: ["Links"],
  ...needs("links:write"),
  request: {
    params: LinkParams,
    headers: IfMatchHeader,
    body: jsonBody(UpdateLinkBody, { url: "https://example.com/summer", status: "live" }),
  },
  responses: {
    200: jsonAnswer("The link as it is now.", LinkBody),
    ...problems(...BODY_PROBLEMS, "not_found", "slug_taken", "external_id_taken", "version_mismatch"),
  },
});

export function updateLinkOperation(deps: ApiDeps) {
  return operation(updateLinkRoute, async (context) => {
    const { workspaceId } = context.get("principal");
    const linkId = readEntityId("lnk", context.req.valid("param").linkId);
    const ifMatch = readIfMatch(context.req.header("if-match"));
    const change = toLinkChange(context.req.valid("json"));
    const version = await changeLink({ workspaceId, linkId, ifMatch }, change, deps);
    const stored = version === null ? null : await findLink(deps.database, workspaceId, linkId);
    if (stored === null) {
      throw new ProblemError("not_found");
    }
    const link = toLink(stored);
    context.header("etag", linkEntityTag(link));
    return context.json(link, 200);
  });
}

/** Only what the client named: exactOptionalPropertyTypes tells an absent field from an undefined one. */
export function toLinkChange(body: UpdateLink): LinkChange {
  const { url, slug, status, redirectStatus, title, tags, externalId } = body;
  const smart = readSmart(body);
  return {
    ...(smart === undefined ? {} : { smart }),
    ...(url === undefined ? {} : { url }),
    ...(slug === undefined ? {} : { slug }),
    ...(status === undefined ? {} : { state: status }),
    ...(redirectStatus === undefined ? {} : { redirectStatus }),
    ...(title === undefined ? {} : { title }),
    ...(tags === undefined ? {} : { tags }),
    ...(externalId === undefined ? {} : { externalId }),
  };
}

const deleteLinkRoute = createRoute({
  method: "delete",
  path: "/api/v1/links/{linkId}",
  operationId: "deleteLink",
  summary: "Delete a link",
  description: "Its address answers 404 and is free for another link. What was counted stays counted.",
  tags: ["Links"],
  ...needs("links:write"),
  request: { params: LinkParams, headers: IfMatchHeader },
  responses: { ...NO_CONTENT, ...problems("not_found", "version_mismatch", "invalid") },
});

export function deleteLinkOperation(deps: ApiDeps) {
  return operation(deleteLinkRoute, async (context) => {
    const { workspaceId } = context.get("principal");
    const linkId = readEntityId("lnk", context.req.valid("param").linkId);
    const ifMatch = readIfMatch(context.req.header("if-match"));
    if ((await changeLink({ workspaceId, linkId, ifMatch }, { state: "deleted" }, deps)) === null) {
      throw new ProblemError("not_found");
    }
    return context.body(null, 204);
  });
}

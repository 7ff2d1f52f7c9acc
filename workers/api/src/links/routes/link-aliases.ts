/** A link's aliases: former slugs that still lead to it. */
import { z } from "@hono/zod-openapi";
import type { ApiDeps } from "../../api-deps.ts";
import { readEntityId, requireFound } from "../../http/entity-id.ts";
import { endpoint } from "../../http/endpoint.ts";
import { jsonAnswer, needs, NO_CONTENT } from "../../http/operation.ts";
import { changeLink } from "../change-link.ts";
import { LinkParams, shortUrlOf } from "../link-shape.ts";
import { findLink } from "../store/link-store.ts";

const AliasBody = z
  .object({ slug: z.string().openapi({ example: "spring" }), shortUrl: z.url() })
  .openapi("Alias");

export const listAliasesOperation = endpoint({
  method: "get",
  path: "/api/v1/links/{linkId}/aliases",
  operationId: "listAliases",
  summary: "List a link's aliases, oldest first",
  description: "A link has at most 20.",
  tags: ["Links"],
  ...needs("links:read", { reach: "links" }),
  request: { params: LinkParams },
  responses: {
    200: jsonAnswer("All aliases.", z.object({ data: z.array(AliasBody), nextCursor: z.null() })),
  },
  problems: ["not_found"],
}).handle(async (context, { database }: ApiDeps) => {
  const linkId = readEntityId("lnk", context.req.valid("param").linkId);
  const found = await findLink(database, context.get("principal").workspaceId, linkId);
  const { host, aliases } = requireFound(found);
  const data = aliases.map((slug) => ({ slug, shortUrl: shortUrlOf({ host, slug }) }));
  return context.json({ data, nextCursor: null }, 200);
});

export const deleteAliasOperation = endpoint({
  method: "delete",
  path: "/api/v1/links/{linkId}/aliases/{alias}",
  operationId: "deleteAlias",
  summary: "Delete an alias",
  description: "Its address answers 404 and is free for another link.",
  tags: ["Links"],
  ...needs("links:write", { reach: "links" }),
  request: { params: LinkParams.extend({ alias: z.string().openapi({ example: "spring" }) }) },
  responses: NO_CONTENT,
  problems: ["not_found", "busy"],
}).handle(async (context, deps: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const { linkId, alias } = context.req.valid("param");
  const target = { workspaceId, linkId: readEntityId("lnk", linkId) };
  requireFound(await changeLink(target, { released: alias }, deps));
  return context.body(null, 204);
});

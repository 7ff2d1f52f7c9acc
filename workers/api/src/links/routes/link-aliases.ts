/** A link's aliases: former slugs that still lead to it. */
import { z } from "@hono/zod-openapi";
import { foldSlug } from "@hopline/core/link/link-address";
import type { ApiDeps } from "../../api-deps.ts";
import { readEntityId, requireFound } from "../../http/entity-id.ts";
import { endpoint } from "../../http/endpoint.ts";
import { jsonAnswer, needs, NO_CONTENT } from "../../http/operation.ts";
import type { Database } from "../../database.ts";
import { ProblemError } from "../../http/problem.ts";
import { toInstant, toInstantOrNull } from "../../instant.ts";
import { changeLink } from "../change-link.ts";
import { LinkParams } from "../link-shape.ts";
import { ALIAS_DAYS, findAliasClicks, NO_CLICKS } from "../store/alias-clicks.ts";
import { findLink } from "../store/link-store.ts";
import { shortUrlOf } from "../../short-url.ts";

const AliasBody = z
  .object({
    slug: z.string().openapi({ example: "spring" }),
    shortUrl: z.url(),
    clicks: z.number().int().openapi({
      description:
        "Of people who came through it in the last 30 days (UTC), by then its slug or an alias of it. All other clicks of the link came through its slug.",
    }),
    lastClickedAt: z.iso.datetime().nullable(),
  })
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
  const clicked = await findAliasClicks(database, linkId);
  const data = aliases.map((slug) => {
    const { clicks, lastAtMs } = clicked.get(slug) ?? NO_CLICKS;
    return { slug, shortUrl: shortUrlOf({ host, slug }), clicks, lastClickedAt: toInstantOrNull(lastAtMs) };
  });
  return context.json({ data, nextCursor: null }, 200);
});

export const deleteAliasOperation = endpoint({
  method: "delete",
  path: "/api/v1/links/{linkId}/aliases/{alias}",
  operationId: "deleteAlias",
  summary: "Delete an alias",
  description:
    "Its address answers 404 and is free for another link. One through which people came in the last 30 days may still be in print: then this is 409 `alias_in_use`, which says how many and when, unless `confirm=clicks` is sent.",
  tags: ["Links"],
  ...needs("links:write", { reach: "links" }),
  request: {
    params: LinkParams.extend({ alias: z.string().openapi({ example: "spring" }) }),
    query: z.object({
      confirm: z.literal("clicks").optional().openapi({ description: "Delete it although it has clicks." }),
    }),
  },
  responses: NO_CONTENT,
  problems: ["not_found", "alias_in_use", "busy"],
}).handle(async (context, deps: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const { linkId, alias } = context.req.valid("param");
  const target = { workspaceId, linkId: readEntityId("lnk", linkId) };
  if (context.req.valid("query").confirm === undefined) {
    await requireUnused(deps.database, target, alias);
  }
  requireFound(await changeLink(target, { released: alias }, deps));
  return context.body(null, 204);
});

/** As the domain may store it. */
export function findAlias(aliases: readonly string[], wanted: string): string | undefined {
  return aliases.find((one) => one === wanted || one === foldSlug(wanted));
}

/** Throws `ProblemError` for an alias that people came through lately. What is no alias is answered when it is to be released. */
async function requireUnused(
  database: Database,
  { workspaceId, linkId }: { readonly workspaceId: string; readonly linkId: string },
  alias: string,
): Promise<void> {
  const link = await findLink(database, workspaceId, linkId);
  const slug = findAlias(link?.aliases ?? [], alias);
  const clicked = slug === undefined ? undefined : (await findAliasClicks(database, linkId)).get(slug);
  if (clicked !== undefined && clicked.clicks > 0 && clicked.lastAtMs !== null) {
    const { clicks, lastAtMs } = clicked;
    const message = `had ${clicks} ${clicks === 1 ? "click" : "clicks"} of people in the last ${ALIAS_DAYS} days, the last one at ${toInstant(lastAtMs)}: send confirm=clicks to release it all the same`;
    throw new ProblemError("alias_in_use", [{ path: "alias", message }]);
  }
}

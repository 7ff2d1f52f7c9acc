/** GET /api/v1/links */
import { createRoute, z } from "@hono/zod-openapi";
import type { ApiDeps } from "../../api-deps.ts";
import { LinkBody, Tag, toLink } from "../link-shape.ts";
import { jsonAnswer, needs, NOT_MODIFIED, operation, problems } from "../../http/operation.ts";
import { repeatable } from "../../http/query-parameters.ts";
import { cutPage, decodeCursor, pageOf, PageQuery } from "../../http/page.ts";
import { LINK_STATUSES } from "../store/link-status.ts";
import { LINK_SORTS, type LinkFilter, listLinks } from "../store/list-links.ts";
import { plainText } from "../../http/text-shape.ts";
import { Instant } from "../../instant.ts";

const MAX_SEARCH_LENGTH = 200;

const MAX_VALUES = 20;

function tagsParam(description: string) {
  return repeatable(Tag, MAX_VALUES)
    .optional()
    .openapi({ type: "array", items: { type: "string" }, description, example: ["newsletter"] });
}

export const LinkFilterQuery = z.object({
  search: plainText(MAX_SEARCH_LENGTH).optional().openapi({
    description: "Every word must be the beginning of a word in slug, URL, title or tags.",
    example: "spring sale",
  }),
  tag: tagsParam("Links with any of these tags."),
  "tag.all": tagsParam("Links with all of these tags."),
  domain: plainText(260).toLowerCase().optional(),
  status: repeatable(z.enum(LINK_STATUSES), MAX_VALUES)
    .optional()
    .openapi({
      type: "array",
      items: { type: "string", enum: [...LINK_STATUSES] },
      description: "Links with any of these; all but archived ones if left out.",
    }),
  externalId: plainText(255).optional(),
  createdFrom: Instant.optional(),
  createdBefore: Instant.optional(),
});

export function toLinkFilter(query: z.infer<typeof LinkFilterQuery>): LinkFilter {
  const search = query.search?.trim() ?? "";
  return {
    statuses: query.status ?? [],
    tags: query.tag ?? [],
    allTags: query["tag.all"] ?? [],
    host: query.domain ?? null,
    externalId: query.externalId ?? null,
    createdFrom: query.createdFrom ?? null,
    createdBefore: query.createdBefore ?? null,
    search: search === "" ? null : search,
  };
}

const route = createRoute({
  method: "get",
  path: "/api/v1/links",
  operationId: "listLinks",
  summary: "List links",
  tags: ["Links"],
  ...needs("links:read"),
  request: {
    query: PageQuery.extend({ ...LinkFilterQuery.shape, sort: z.enum(LINK_SORTS).default("-createdAt") }),
  },
  responses: {
    200: jsonAnswer("A page of links.", pageOf(LinkBody)),
    ...NOT_MODIFIED,
    ...problems("cursor_invalid"),
  },
});

export function listLinksOperation(deps: ApiDeps) {
  return operation(route, async (context) => {
    const { limit, cursor, sort, ...query } = context.req.valid("query");
    const { workspaceId } = context.get("principal");
    const order = `links ${sort}`;
    const found = await listLinks(
      deps.database,
      { workspaceId, filter: toLinkFilter(query) },
      { sort, after: decodeCursor(cursor, order), limit: limit + 1 },
    );
    const { rows, nextCursor } = cutPage(found, limit, ({ id, sortValue }) => ({
      order,
      value: sortValue,
      id,
    }));
    return context.json({ data: rows.map(toLink), nextCursor }, 200);
  });
}

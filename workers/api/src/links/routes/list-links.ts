/** GET /api/v1/links, and how many there are. */
import { z } from "@hono/zod-openapi";
import { LINK_SORTS } from "@hopline/core/link/link-sorts";
import type { ApiDeps } from "../../api-deps.ts";
import { DomainName, LinkBody, Slug, toLink } from "../link-shape.ts";
import { Tag } from "../../link-defaults-shape.ts";
import { checkDestination } from "../../destination.ts";
import { parsePublicId } from "../../http/entity-id.ts";
import { endpoint } from "../../http/endpoint.ts";
import { jsonAnswer, needs } from "../../http/operation.ts";
import { repeatable } from "../../http/query-parameters.ts";
import { cutPage, decodeCursor, pageOf, PageQuery } from "../../http/page.ts";
import type { LinkFilter } from "../store/link-filter.ts";
import { orderPage } from "../store/link-order.ts";
import { countLinks, listLinks, MAX_COUNT } from "../store/list-links.ts";
import { LINK_STATUSES } from "../store/link-status.ts";
import { plainText } from "../../http/text-shape.ts";
import { Instant } from "../../instant.ts";
import { MAX_DESTINATION_LENGTH } from "@hopline/core/link/destination-url";
import { foldSlug } from "@hopline/core/link/link-address";
import { NIL } from "uuid";

const MAX_SEARCH_LENGTH = 200;

const MAX_VALUES = 20;
/** An address of some 6 KB. */
const MAX_IDS = 150;

function tagsParam(description: string) {
  return repeatable(Tag, MAX_VALUES)
    .optional()
    .openapi({ type: "array", items: { type: "string" }, description, example: ["newsletter"] });
}

export const SearchText = plainText(MAX_SEARCH_LENGTH).optional().openapi({
  description:
    "Every word must be in slug, URL, title or tags, also as part of a word; one or two letters must begin a word.",
  example: "spring sale",
});

export function toWords(search: string | undefined): readonly string[] {
  return search?.split(/\s+/).filter((word) => word !== "") ?? [];
}

export const LinkFilterQuery = z.object({
  id: repeatable(plainText(100), MAX_IDS)
    .optional()
    .openapi({ type: "array", items: { type: "string" }, description: "Links with any of these ids." }),
  search: SearchText,
  tag: tagsParam("Links with any of these tags."),
  "tag.all": tagsParam("Links with all of these tags."),
  domain: DomainName.optional(),
  slug: Slug.optional().openapi({
    description: "The link that has this slug or had it before (an alias), on the domain if that is given.",
  }),
  url: plainText(MAX_DESTINATION_LENGTH).optional().openapi({
    description:
      "Links that lead there, whatever their rules say. Scheme and host in any case, with or without a default port or the path `/`.",
    example: "https://example.com/spring",
  }),
  folder: plainText(100).optional().openapi({
    description: "A folder's name or its id (`fld_…`), or `none`: links in no folder.",
    example: "Spring campaign",
  }),
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
  const { slug, url, id } = query;
  return {
    ids: id === undefined ? null : id.map((one) => parsePublicId("lnk", one) ?? NIL),
    statuses: query.status ?? [],
    tags: query.tag ?? [],
    allTags: query["tag.all"] ?? [],
    folder: query.folder ?? null,
    domain: query.domain ?? null,
    slug: slug === undefined ? null : { exact: slug, folded: foldSlug(slug) },
    url: url === undefined ? null : toStoredUrl(url),
    externalId: query.externalId ?? null,
    createdFrom: query.createdFrom ?? null,
    createdBefore: query.createdBefore ?? null,
    words: toWords(query.search),
  };
}

/** Destinations are stored as they are published; what is none is on no link. */
function toStoredUrl(url: string): string {
  const checked = checkDestination(url, "any");
  return checked.isAllowed ? checked.url : url;
}

export const listLinksOperation = endpoint({
  method: "get",
  path: "/api/v1/links",
  operationId: "listLinks",
  summary: "List links",
  tags: ["Links"],
  ...needs("links:read", { reach: "links" }),
  request: {
    query: PageQuery.extend({
      ...LinkFilterQuery.shape,
      sort: z.enum(LINK_SORTS).default("-createdAt").openapi({
        description:
          "A leading `-` is descending. By `clicks` (of people) and `lastClickedAt` each page is in exact order; from page to page, clicks may be a tenth behind and times a minute.",
      }),
    }),
  },
  responses: { 200: jsonAnswer("A page of links.", pageOf(LinkBody)) },
  problems: ["cursor_invalid"],
}).handle(async (context, deps: ApiDeps) => {
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
  return context.json({ data: orderPage(rows, sort).map(toLink), nextCursor }, 200);
});

export const countLinksOperation = endpoint({
  method: "get",
  path: "/api/v1/links/count",
  operationId: "countLinks",
  summary: "Count links",
  description: "With the filters of listLinks.",
  tags: ["Links"],
  ...needs("links:read", { reach: "links" }),
  request: { query: LinkFilterQuery },
  responses: {
    200: jsonAnswer(
      "How many links match.",
      z
        .object({
          links: z.number().int(),
          isExact: z.boolean().openapi({ description: `False: there are ${MAX_COUNT} links or more.` }),
        })
        .openapi("LinkCount"),
    ),
  },
}).handle(async (context, { database }: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const links = await countLinks(database, {
    workspaceId,
    filter: toLinkFilter(context.req.valid("query")),
  });
  return context.json({ links, isExact: links < MAX_COUNT }, 200);
});

/** The trash: deleted links, and bringing them back. What is destroyed earlier goes by deleteLink or deleteLinks with `clicks=delete`. */
import { z } from "@hono/zod-openapi";
import type { ApiDeps } from "../../api-deps.ts";
import { toPublicId } from "../../http/entity-id.ts";
import { endpoint } from "../../http/endpoint.ts";
import { IdempotencyHeader, jsonAnswer, jsonBody, needs } from "../../http/operation.ts";
import { cutPage, decodeCursor, pageOf, PageQuery } from "../../http/page.ts";
import { toInstant } from "../../instant.ts";
import { LinkBody } from "../link-shape.ts";
import { shortUrlOf } from "../../short-url.ts";
import { restoreLinks } from "../restore-links.ts";
import { listTrash, type TrashedLink } from "../store/trash-store.ts";
import { NamedLink, parseItems, toResults } from "./bulk-change.ts";
import { ItemResult, itemsOf } from "./bulk-items.ts";
import { SearchText, toWords } from "./list-links.ts";

const ORDER = "trash";
/** is_in_trash (migrations/0002_links.sql). */
const KEPT_MS = 30 * 86_400_000;

const TrashedLinkBody = LinkBody.pick({
  id: true,
  domain: true,
  domainId: true,
  slug: true,
  shortUrl: true,
  url: true,
  title: true,
  tags: true,
  clicks: true,
})
  .extend({
    deletedAt: z.iso.datetime(),
    destroyedAt: z.iso.datetime().openapi({ description: "When it and its clicks are destroyed." }),
    isRestorable: z.boolean().openapi({ description: "False: its domain is gone, or has lost its proof." }),
  })
  .openapi("TrashedLink");

function toTrashedLink(stored: TrashedLink): z.infer<typeof TrashedLinkBody> {
  return {
    id: toPublicId("lnk", stored.id),
    domain: stored.host,
    domainId: toPublicId("dom", stored.domainId),
    slug: stored.slug,
    shortUrl: shortUrlOf(stored),
    url: stored.url,
    title: stored.title,
    tags: [...stored.tags],
    clicks: { human: stored.clicks.human, total: stored.clicks.total },
    deletedAt: toInstant(stored.deletedAtMs),
    destroyedAt: toInstant(stored.deletedAtMs + KEPT_MS),
    isRestorable: stored.isRestorable,
  };
}

export const listTrashOperation = endpoint({
  method: "get",
  path: "/api/v1/links/trash",
  operationId: "listTrash",
  summary: "List the links in the trash, newest first",
  description:
    "Links that were deleted in the last 30 days. Their visitors get a 404, and no other link can have their addresses.",
  tags: ["Links"],
  ...needs("links:read", { reach: "links" }),
  request: { query: PageQuery.extend({ search: SearchText }) },
  responses: { 200: jsonAnswer("A page of deleted links.", pageOf(TrashedLinkBody)) },
  problems: ["cursor_invalid"],
}).handle(async (context, { database }: ApiDeps) => {
  const { limit, cursor, search } = context.req.valid("query");
  const after = decodeCursor(cursor, ORDER);
  const found = await listTrash(database, context.get("principal").workspaceId, {
    after,
    limit: limit + 1,
    words: toWords(search),
  });
  const { rows, nextCursor } = cutPage(found, limit, ({ id, sortValue }) => ({
    order: ORDER,
    value: sortValue,
    id,
  }));
  return context.json({ data: rows.map(toTrashedLink), nextCursor }, 200);
});

export const restoreLinksOperation = endpoint({
  method: "post",
  path: "/api/v1/links/bulk/restore",
  operationId: "restoreLinks",
  summary: "Bring up to 500 links back from the trash",
  description:
    "Each is as it was before it was deleted, in a new version, at its former addresses. A folder that is gone is left out. Refused where the link's domain is gone (`no_domain`) or has lost its proof, another link has its external id, or the workspace has no room for it. A link that is not deleted answers 200 too.",
  tags: ["Links"],
  ...needs("links:write", { reach: "links" }),
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(z.strictObject({ items: itemsOf("BulkRestoreItem") }).openapi("BulkRestore"), {
      items: [{ id: "lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }],
    }),
  },
  responses: {
    200: jsonAnswer(
      "A result for each item, in their order.",
      z.object({ restored: z.number().int(), results: z.array(ItemResult) }).openapi("BulkRestoreResult"),
    ),
  },
}).handle(async (context, deps: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const parsed = parseItems(context.req.valid("json").items, NamedLink);
  const linkIds = parsed.flatMap((item) => ("code" in item ? [] : [item.linkId]));
  const refused = await restoreLinks(linkIds, workspaceId, deps);
  const { done: restored, results } = await toResults(parsed, refused, { ...deps, workspaceId });
  return context.json({ restored, results }, 200);
});

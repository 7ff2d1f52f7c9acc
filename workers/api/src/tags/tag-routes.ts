/** GET /api/v1/tags */
import { createRoute, z } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import { jsonAnswer, needs, NOT_MODIFIED, operation, problems } from "../http/operation.ts";
import { cutPage, decodeCursor, pageOf, PageQuery } from "../http/page.ts";
import { listTags } from "./list-tags.ts";

const ORDER = "tags";
/** Tags have no ids of their own: the name alone says where a page ends. */
const NO_ID = "00000000-0000-0000-0000-000000000000";

const TagBody = z.object({ tag: z.string(), links: z.number().int() }).openapi("Tag");

const route = createRoute({
  method: "get",
  path: "/api/v1/tags",
  operationId: "listTags",
  summary: "List the tags in use",
  tags: ["Links"],
  ...needs("links:read"),
  request: { query: PageQuery },
  responses: {
    200: jsonAnswer("A page of tags, with how many links have each.", pageOf(TagBody)),
    ...NOT_MODIFIED,
    ...problems("invalid", "cursor_invalid"),
  },
});

export function listTagsOperation(deps: ApiDeps) {
  return operation(route, async (context) => {
    const { limit, cursor } = context.req.valid("query");
    const { workspaceId } = context.get("principal");
    const afterTag = decodeCursor(cursor, ORDER)?.value ?? null;
    const found = await listTags(deps.database, workspaceId, { afterTag, limit: limit + 1 });
    const { rows, nextCursor } = cutPage(found, limit, ({ tag }) => ({
      order: ORDER,
      value: tag,
      id: NO_ID,
    }));
    return context.json({ data: [...rows], nextCursor }, 200);
  });
}

/** GET /api/v1/tags: the tags of a workspace's links, and how many links have each. */
import { createRoute, z } from "@hono/zod-openapi";
import { sql } from "drizzle-orm";
import type { ApiDeps } from "../../api-deps.ts";
import { jsonAnswer, needs, NOT_MODIFIED, operation, problems } from "../../http/operation.ts";
import { cutPage, decodeCursor, pageOf, PageQuery } from "../../http/page.ts";

const ORDER = "tags";
/** Tags have no ids; the name alone says where a page ends. */
const NO_ID = "00000000-0000-0000-0000-000000000000";

const TagBody = z.object({ tag: z.string(), links: z.number().int() }).openapi("Tag");

const route = createRoute({
  method: "get",
  path: "/api/v1/tags",
  operationId: "listTags",
  summary: "List the tags in use",
  description: "In the order of their code points. Archived links count, deleted ones do not.",
  tags: ["Links"],
  ...needs("links:read"),
  request: { query: PageQuery },
  responses: {
    200: jsonAnswer("A page of tags, with the number of links that have each.", pageOf(TagBody)),
    ...NOT_MODIFIED,
    ...problems("cursor_invalid"),
  },
});

export function listTagsOperation({ database }: ApiDeps) {
  return operation(route, async (context) => {
    const { limit, cursor } = context.req.valid("query");
    const { workspaceId } = context.get("principal");
    const afterTag = decodeCursor(cursor, ORDER)?.value ?? null;
    const found = await database.execute<z.infer<typeof TagBody>>(sql`
      SELECT tag COLLATE "C" AS tag, count(*)::int AS links
      FROM links, unnest(tags) AS tag
      WHERE workspace_id = ${workspaceId}::uuid AND state <> 'deleted'
        AND (${afterTag}::text IS NULL OR tag COLLATE "C" > ${afterTag}::text)
      GROUP BY 1 ORDER BY 1 LIMIT ${limit + 1}`);
    const { rows, nextCursor } = cutPage(found.rows, limit, ({ tag }) => ({
      order: ORDER,
      value: tag,
      id: NO_ID,
    }));
    return context.json({ data: [...rows], nextCursor }, 200);
  });
}

/** GET /api/v1/links/export: streams every link that matches a filter. Memory holds one page at a time. */
import { createRoute, z } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import { recordEvent } from "../audit/record-event.ts";
import { toCsvLine } from "@hopline/core/csv/csv-line";
import { SMART_COLUMNS, type SmartColumn } from "./import-own-fields.ts";
import { type Link, toLink } from "../links/link-shape.ts";
import { needs, operation, problems } from "../http/operation.ts";
import { watchRights } from "../still-allowed.ts";
import { streamPages } from "../http/stream-pages.ts";
import { type ListedLink, listLinks } from "../links/store/list-links.ts";
import { toTagCell } from "./tag-cell.ts";
import { LinkFilterQuery, toLinkFilter } from "../links/routes/list-links.ts";

/** A statement whose answer is read without giving way: of links with all their rules some 4 MB. */
const PAGE_ROWS = 500;

const route = createRoute({
  method: "get",
  path: "/api/v1/links/export",
  operationId: "exportLinks",
  summary: "Export links as CSV or JSON lines",
  description:
    "Oldest first, with rules and limits: importing the file with importLinks gives the same links, except for ids, counts and passwords. If the database fails half-way, the connection is aborted: an answer that ends properly is complete.",
  tags: ["Links"],
  ...needs("links:read", { reach: "links" }),
  request: { query: LinkFilterQuery.extend({ format: z.enum(["csv", "jsonl"]).default("csv") }) },
  responses: {
    200: {
      description: "One line per link; in CSV, a line of column names first.",
      content: { "text/csv": { schema: z.string() }, "application/x-ndjson": { schema: z.string() } },
    },
    ...problems(),
  },
});

export function exportLinksOperation(deps: ApiDeps) {
  return operation(route, async (context) => {
    const { format, ...query } = context.req.valid("query");
    const scope = { workspaceId: context.get("principal").workspaceId, filter: toLinkFilter(query) };
    const toLine = format === "csv" ? toCsvRow : (link: Link) => `${JSON.stringify(link)}\n`;
    const pages = {
      head: format === "csv" ? toCsvLine(CSV_COLUMNS.map(([name]) => name)) : "",
      pageRows: PAGE_ROWS,
      readAfter: (last: ListedLink | null) => {
        const after = last && { value: last.sortValue, id: last.id };
        return listLinks(deps.database, scope, { sort: "createdAt", after, limit: PAGE_ROWS });
      },
      toLine: (row: ListedLink) => toLine(toLink(row)),
    };
    await recordEvent(context, deps.database, { action: "link.exported", resourceId: null, label: null });
    const requireAllowed = watchRights(context, "links:read", deps);
    const streamDeps = {
      log: deps.log,
      wait: deps.wait,
      requestId: context.get("requestId"),
      requireAllowed,
    };
    return new Response(await streamPages(pages, streamDeps), {
      headers: {
        "content-type": format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson",
        "content-disposition": `attachment; filename="links.${format}"`,
        "cache-control": "private, no-cache",
      },
    });
  });
}

/** First the columns that importLinks reads. */
const CSV_COLUMNS: readonly (readonly [string, (link: Link) => string])[] = [
  ["slug", ({ slug }) => slug],
  ["url", ({ url }) => url],
  ["domain", ({ domain }) => domain],
  ["title", ({ title }) => title ?? ""],
  ["tags", ({ tags }) => toTagCell(tags)],
  ["externalId", ({ externalId }) => externalId ?? ""],
  ["folderId", ({ folderId }) => folderId ?? ""],
  ["redirectStatus", ({ redirectStatus }) => String(redirectStatus)],
  ["hasOwnRedirectStatus", ({ hasOwnRedirectStatus }) => String(hasOwnRedirectStatus)],
  ["hasPassword", ({ hasPassword }) => String(hasPassword)],
  ...SMART_COLUMNS.map((name) => [name, (link: Link) => toCell(link[name])] as const),
  ["createdAt", ({ createdAt }) => createdAt],
  ["id", ({ id }) => id],
  ["shortUrl", ({ shortUrl }) => shortUrl],
  ["status", ({ status }) => status],
  ["humanClicks", ({ clicks }) => String(clicks.human)],
  ["totalClicks", ({ clicks }) => String(clicks.total)],
  ["updatedAt", ({ updatedAt }) => updatedAt],
];

/** Text as it is, lists and objects as JSON, an empty cell for what a link does not have. */
function toCell(value: Link[SmartColumn]): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) {
    return "";
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

function toCsvRow(link: Link): string {
  return toCsvLine(CSV_COLUMNS.map(([, read]) => read(link)));
}

/** GET /api/v1/analytics/events, and the same as CSV in one stream. */
import { createRoute } from "@hono/zod-openapi";
import type { ListedClick } from "@hopline/analytics/engine";
import { ClickBody, CSV_HEADER, type ExportedClick, toClick, toCsv } from "./click-shape.ts";
import { questionOperation, READ } from "./question-operation.ts";
import { QuestionQuery, RangeBody, toQuestion, toRange } from "./question-shape.ts";
import { ask } from "./run-statements.ts";
import type { ApiDeps } from "../api-deps.ts";
import { recordEvent } from "../audit/record-event.ts";
import { shortUrlOf } from "../links/link-shape.ts";
import { findLinkAddresses } from "../links/store/link-store.ts";
import { operation, problems } from "../http/operation.ts";
import { watchRights } from "../http/still-allowed.ts";
import { streamPages } from "../http/stream-pages.ts";
import { createCursorSeal } from "../http/sealed-cursor.ts";
import { cutPage, decodeCursor, pageOf, PageQuery, type Position } from "../http/page.ts";

const ORDER = "clicks";
/** A few hundred kilobytes, which one pull of the stream holds in memory. */
const CSV_PAGE_ROWS = 2_000;

export const listClicksOperation = questionOperation({
  path: "/api/v1/analytics/events",
  operationId: "listClicks",
  summary: "List single clicks, newest first",
  description:
    "Clicks that the deployment no longer keeps (`RETENTION_DAYS`) can't be listed: `range.complete` is then `false` on every page, if the workspace had clicks in that part of the range.",
  query: PageQuery.shape,
  answer: ["A page of clicks.", pageOf(ClickBody).extend({ range: RangeBody })],
  problems: ["cursor_invalid"],
  async read(question, { limit, cursor }, deps) {
    const cursors = await createCursorSeal(deps.metricsToken);
    const position = decodeCursor(cursor && ((await cursors.open(cursor)) ?? ""), ORDER);
    const after = position === null ? null : { atUs: position.value, eventId: position.id };
    const [{ clicks, ...completeness }] = await ask(deps.database, [
      { kind: "clicks", question, after, limit: limit + 1 },
    ]);
    const { rows, nextCursor } = cutPage(clicks, limit, positionOf);
    const sealed = nextCursor === null ? null : await cursors.seal(nextCursor);
    return { data: rows.map(toClick), nextCursor: sealed, range: toRange(question.range, completeness) };
  },
});

function positionOf({ atUs, eventId }: ListedClick): Position {
  return { order: ORDER, value: atUs, id: eventId };
}

const exportRoute = createRoute({
  ...READ,
  path: "/api/v1/analytics/events.csv",
  operationId: "exportClicks",
  summary: "Export single clicks as CSV",
  description:
    "Newest first, in one stream, read from the database as fast as the client reads. If the database fails half-way, the connection is aborted: an answer that ends properly is complete. Whether some clicks of the range are no longer kept is in `range.complete` of `/api/v1/analytics/events`.",
  request: { query: QuestionQuery },
  responses: {
    200: { description: "The clicks.", content: { "text/csv": { schema: { type: "string" } } } },
    ...problems("query_too_wide"),
  },
});

/** People who read the file know a link by its address. */
async function withShortUrls(
  clicks: readonly ListedClick[],
  workspaceId: string,
  { database }: ApiDeps,
): Promise<readonly ExportedClick[]> {
  const ids = new Set(clicks.flatMap(({ values }) => values.get("link") ?? []));
  const addresses = ids.size === 0 ? new Map() : await findLinkAddresses(database, workspaceId, [...ids]);
  return clicks.map((click) => {
    const address = addresses.get(click.values.get("link") ?? "");
    return { ...click, shortUrl: address === undefined ? null : shortUrlOf(address) };
  });
}

export function exportClicksOperation(deps: ApiDeps) {
  return operation(exportRoute, async (context) => {
    const question = toQuestion(
      context.req.valid("query"),
      context.get("principal").workspaceId,
      deps.nowMs(),
    );
    const { workspaceId } = context.get("principal");
    await recordEvent(context, deps.database, {
      action: "workspace.clicks_exported",
      resourceId: workspaceId,
      label: null,
    });
    const requireAllowed = watchRights(context, "analytics:read", deps);
    const streamDeps = {
      log: deps.log,
      wait: deps.wait,
      requestId: context.get("requestId"),
      requireAllowed,
    };
    const readAfter = async (after: ExportedClick | null) => {
      const [{ clicks }] = await ask(deps.database, [
        { kind: "clicks", question, after, limit: CSV_PAGE_ROWS },
      ]);
      return withShortUrls(clicks, workspaceId, deps);
    };
    const pages = { head: CSV_HEADER, pageRows: CSV_PAGE_ROWS, readAfter, toLine: toCsv };
    return context.body(await streamPages(pages, streamDeps), 200, {
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": 'attachment; filename="clicks.csv"',
      "cache-control": "no-store",
    });
  });
}

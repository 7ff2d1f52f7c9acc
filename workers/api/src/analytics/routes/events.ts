/** GET /api/v1/analytics/events, and the same as CSV in one stream. */
import { createRoute } from "@hono/zod-openapi";
import type { ClicksPart, Question } from "@hopline/analytics/engine";
import { RangeBody, READ, toRange } from "../answer-shape.ts";
import { ClickBody, CSV_HEADER, toClick, toCsv } from "../click-shape.ts";
import { fromQuery, QuestionQuery } from "../question-shape.ts";
import { ask } from "../run-statements.ts";
import type { ApiDeps } from "../../api-deps.ts";
import { jsonAnswer, NOT_MODIFIED, operation, problems } from "../../http/operation.ts";
import { streamPages } from "../../http/stream-pages.ts";
import { createCursorSeal } from "../../http/sealed-cursor.ts";
import { cutPage, decodeCursor, pageOf, PageQuery } from "../../http/page.ts";
import type { Database } from "../../database.ts";

const ORDER = "clicks";
/** A few hundred kilobytes, which one pull of the stream holds in memory. */
const CSV_PAGE_ROWS = 2_000;

const eventsRoute = createRoute({
  ...READ,
  path: "/api/v1/analytics/events",
  operationId: "listClicks",
  summary: "List single clicks, newest first",
  description:
    "Clicks that the deployment no longer keeps (`RETENTION_DAYS`) can't be listed: `range.complete` is then `false` on every page, if the workspace had clicks in that part of the range.",
  request: { query: QuestionQuery.extend(PageQuery.shape) },
  responses: {
    200: jsonAnswer("A page of clicks.", pageOf(ClickBody).extend({ range: RangeBody })),
    ...NOT_MODIFIED,
    ...problems("cursor_invalid", "query_too_wide"),
  },
});

export function listClicksOperation(deps: ApiDeps) {
  return operation(eventsRoute, async (context) => {
    const { limit, cursor, ...asked } = context.req.valid("query");
    const question = fromQuery(asked, context, deps);
    const cursors = await createCursorSeal(deps.metricsToken);
    const position = decodeCursor(cursor && ((await cursors.open(cursor)) ?? ""), ORDER);
    const after = position === null ? null : { atUs: position.value, eventId: position.id };
    const [{ clicks, complete }] = await ask(deps.database, [
      { kind: "clicks", question, after, limit: limit + 1 },
    ]);
    const { rows, nextCursor } = cutPage(clicks, limit, ({ atUs, eventId }) => ({
      order: ORDER,
      value: atUs,
      id: eventId,
    }));
    const range = toRange(question.range, complete);
    const sealed = nextCursor === null ? null : await cursors.seal(nextCursor);
    return context.json({ data: rows.map(toClick), nextCursor: sealed, range }, 200);
  });
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

export function exportClicksOperation(deps: ApiDeps) {
  return operation(exportRoute, async (context) => {
    const question = fromQuery(context.req.valid("query"), context, deps);
    const told = { log: deps.log, requestId: context.get("requestId") };
    return context.body(await streamPages(readCsv(deps.database, question), told), 200, {
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": 'attachment; filename="clicks.csv"',
      "cache-control": "no-store",
    });
  });
}

async function* readCsv(database: Database, question: Question): AsyncGenerator<string> {
  let after: ClicksPart["after"] = null;
  for (let text = CSV_HEADER; ; text = "") {
    const part: ClicksPart = { kind: "clicks", question, after, limit: CSV_PAGE_ROWS };
    const [{ clicks }] = await ask(database, [part]);
    yield text + clicks.map(toCsv).join("");
    after = clicks.at(-1) ?? null;
    if (clicks.length < CSV_PAGE_ROWS) {
      return;
    }
  }
}

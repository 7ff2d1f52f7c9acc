/** GET /api/v1/analytics/events.csv: the clicks of a question in one stream, each with the address of its link. */
import type { ListedClick } from "@hopline/analytics/engine";
import { CSV_HEADER, type ExportedClick, toCsv } from "../analytics/click-shape.ts";
import { READ } from "../analytics/question-operation.ts";
import { QuestionQuery, toQuestion } from "../analytics/question-shape.ts";
import type { ApiDeps } from "../api-deps.ts";
import { recordEvent } from "../audit/record-event.ts";
import { endpoint } from "../http/endpoint.ts";
import { streamPages } from "../http/stream-pages.ts";
import { findLinkAddresses } from "../links/store/link-store.ts";
import { ask } from "../run-statements.ts";
import { watchRights } from "../still-allowed.ts";
import { shortUrlOf } from "../short-url.ts";

/** A few hundred kilobytes, which one pull of the stream holds in memory. */
const CSV_PAGE_ROWS = 2_000;

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

export const exportClicksOperation = endpoint({
  ...READ,
  path: "/api/v1/analytics/events.csv",
  operationId: "exportClicks",
  summary: "Export single clicks as CSV",
  description:
    "Newest first, in one stream, read from the database as fast as the client reads. If the database fails half-way, the connection is aborted: an answer that ends properly is complete. Whether some clicks of the range are no longer kept is in `range.complete` of `/api/v1/analytics/events`.",
  request: { query: QuestionQuery },
  responses: { 200: { description: "The clicks.", content: { "text/csv": { schema: { type: "string" } } } } },
  problems: ["query_too_wide"],
}).handle(async (context, deps: ApiDeps) => {
  const question = toQuestion(context.req.valid("query"), context.get("principal"), deps.nowMs());
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

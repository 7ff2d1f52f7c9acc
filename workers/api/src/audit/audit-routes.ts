/** /api/v1/audit-log: who changed what in the workspace, as pages and as CSV; /api/v1/me/audit-log: in one's own account. */
import { createRoute, type z } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import { recordEvent } from "./record-event.ts";
import type { Database } from "../database.ts";
import { endpoint } from "../http/endpoint.ts";
import { jsonAnswer, needs, needsPerson, operation, problems } from "../http/operation.ts";
import { cutPage, decodeCursor, pageOf, PageQuery, type Position } from "../http/page.ts";
import { ProblemError } from "../http/problem.ts";
import { watchRights } from "../still-allowed.ts";
import { streamPages } from "../http/stream-pages.ts";
import { toCsvLine } from "@hopline/core/csv/csv-line";
import { requireSignedIn } from "../http/require-person.ts";
import { type AuditEntry, AuditEntryBody, AuditFilterQuery, toEntry, toLogFilter } from "./audit-shape.ts";
import { listEntries, type LogFilter, type LogOwner, type StoredEntry } from "./audit-store.ts";

const CSV_PAGE_ROWS = 1_000;

type Asked = {
  /** Names the list in its cursors. */
  readonly order: string;
  readonly owner: LogOwner;
  readonly filter: LogFilter;
};

async function readPage(database: Database, asked: Asked, { limit, cursor }: z.infer<typeof PageQuery>) {
  const after = decodeCursor(cursor, asked.order);
  if (after !== null && !isMicroseconds(after.value)) {
    throw new ProblemError("cursor_invalid");
  }
  const found = await listEntries(database, asked, { after, limit: limit + 1 });
  const { rows, nextCursor } = cutPage(found, limit, (row) => positionOf(row, asked));
  return { data: rows.map(toEntry), nextCursor };
}

function positionOf({ atUs, id }: StoredEntry, { order }: Asked): Position {
  return { order, value: atUs, id };
}

const isMicroseconds = (value: string) => /^\d{1,17}$/.test(value);

export const listAuditLogOperation = endpoint({
  method: "get",
  path: "/api/v1/audit-log",
  operationId: "listAuditLog",
  summary: "List who changed what, newest first",
  description:
    "Every write of a person, a key or a job, with what it changed. The links of an imported file are one entry; each has its author in its history. Entries are kept for `AUDIT_RETENTION_DAYS`, and can't be changed.",
  tags: ["Audit log"],
  ...needs("admin"),
  request: { query: AuditFilterQuery.extend(PageQuery.shape) },
  responses: { 200: jsonAnswer("A page of entries.", pageOf(AuditEntryBody)) },
  problems: ["cursor_invalid"],
}).handle(async (context, { database }: ApiDeps) => {
  const { limit, cursor, ...filter } = context.req.valid("query");
  const { workspaceId } = context.get("principal");
  const asked = { order: "audit-log", owner: { workspaceId }, filter: toLogFilter(filter) };
  return context.json(await readPage(database, asked, { limit, cursor }), 200);
});

const exportRoute = createRoute({
  method: "get",
  path: "/api/v1/audit-log.csv",
  operationId: "exportAuditLog",
  summary: "Export who changed what as CSV",
  description:
    "Newest first, in one stream. If the database fails half-way, the connection is aborted: an answer that ends properly is complete.",
  tags: ["Audit log"],
  ...needs("admin"),
  request: { query: AuditFilterQuery },
  responses: {
    200: { description: "The entries.", content: { "text/csv": { schema: { type: "string" } } } },
    ...problems(),
  },
});

export function exportAuditLogOperation(deps: ApiDeps) {
  const { database, log, wait } = deps;
  return operation(exportRoute, async (context) => {
    const { workspaceId } = context.get("principal");
    const asked = {
      order: "audit-log",
      owner: { workspaceId },
      filter: toLogFilter(context.req.valid("query")),
    };
    await recordEvent(context, database, {
      action: "workspace.log_exported",
      resourceId: workspaceId,
      label: null,
    });
    const requireAllowed = watchRights(context, "admin", deps);
    const streamDeps = { log, wait, requestId: context.get("requestId"), requireAllowed };
    const pages = {
      head: toCsvLine(CSV_COLUMNS.map(([name]) => name)),
      pageRows: CSV_PAGE_ROWS,
      readAfter: (last: StoredEntry | null) =>
        listEntries(database, asked, { after: last && positionOf(last, asked), limit: CSV_PAGE_ROWS }),
      toLine: (row: StoredEntry) => toCsvRow(toEntry(row)),
    };
    return context.body(await streamPages(pages, streamDeps), 200, {
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": 'attachment; filename="audit-log.csv"',
      "cache-control": "no-store",
    });
  });
}

const CSV_COLUMNS: readonly (readonly [string, (entry: AuditEntry) => string | null])[] = [
  ["id", ({ id }) => id],
  ["at", ({ at }) => at],
  ["actorType", ({ actor }) => actor.type],
  ["actorId", ({ actor }) => actor.id],
  ["actorName", ({ actor }) => actor.name],
  ["action", ({ action }) => action],
  ["resourceId", ({ resource }) => resource.id],
  ["resource", ({ resource }) => resource.label],
  ["before", ({ before }) => before && JSON.stringify(before)],
  ["after", ({ after }) => after && JSON.stringify(after)],
  ["requestId", ({ requestId }) => requestId],
];

function toCsvRow(entry: AuditEntry): string {
  return toCsvLine(CSV_COLUMNS.map(([, read]) => read(entry) ?? ""));
}

export const listOwnAuditLogOperation = endpoint({
  method: "get",
  path: "/api/v1/me/audit-log",
  operationId: "listOwnAuditLog",
  summary: "List what happened to one's own account, newest first",
  description:
    "Signing in and out, and changes of the account. What a person did in a workspace is in the workspace's.",
  tags: ["People"],
  ...needsPerson(null),
  request: { query: PageQuery },
  responses: { 200: jsonAnswer("A page of entries.", pageOf(AuditEntryBody)) },
  problems: ["not_found", "cursor_invalid"],
}).handle(async (context, { database }: ApiDeps) => {
  const { personId } = requireSignedIn(context);
  const asked = { order: "own-audit-log", owner: { personId }, filter: {} };
  return context.json(await readPage(database, asked, context.req.valid("query")), 200);
});

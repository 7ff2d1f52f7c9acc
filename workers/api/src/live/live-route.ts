/** GET /api/v1/analytics/live: new clicks as server-sent events. */
import { createRoute, z } from "@hono/zod-openapi";
import type { Filter } from "@hopline/analytics/dimension";
import { FilterQuery, filtersOf } from "../analytics/question-shape.ts";
import { runStatements } from "../run-statements.ts";
import type { ApiDeps } from "../api-deps.ts";
import { type LiveCursor, openLiveCursor, sealLiveCursor } from "./live-cursor.ts";
import { listNewClicks, readPosition } from "./new-clicks.ts";
import { isTooOld, type Look, MAX_POLL_CLICKS } from "./plan-poll.ts";
import { streamClicks } from "./stream-clicks.ts";
import { needs, operation, problems } from "../http/operation.ts";
import { ProblemError } from "../http/problem.ts";
import { createCursorSeal, type CursorSeal } from "../http/sealed-cursor.ts";
import type { Caller } from "../still-allowed.ts";
import { closeStream, openStream } from "./live-stream-store.ts";

const CURSOR = "The id of the last event received: the stream continues after it.";

/** As OpenAPI 3.2 describes events: an object of their fields, with JSON in the text of `data`. */
function eventOf(name: string, contentSchema: object) {
  const text = { type: "string" as const };
  const data = { ...text, contentMediaType: "application/json", contentSchema };
  return {
    type: "object" as const,
    properties: { event: { ...text, enum: [name] }, id: text, data },
    required: ["event", "id", "data"],
  };
}

const instantNamed = (name: string) => ({
  type: "object",
  properties: { [name]: { type: "string", format: "date-time" } },
  required: [name],
});

const LIVE_EVENT = {
  oneOf: [
    eventOf("click", { $ref: "#/components/schemas/Click" }),
    eventOf("ready", instantNamed("from")),
    eventOf("reset", instantNamed("since")),
  ],
};

const route = createRoute({
  method: "get",
  path: "/api/v1/analytics/live",
  operationId: "streamLiveClicks",
  summary: "Stream new clicks as they are counted",
  description: `Server-sent events. Without a last event id, \`ready\` comes first: the stream starts now. Each \`click\` is an object as in \`/api/v1/analytics/events\`, sent once, in the order in which clicks reach the database; its \`id\` is the position after it.

A connection ends after a minute, or as soon as its key is revoked, its session has ended or its person is no member any more. Reconnect with the last \`id\`, in \`Last-Event-ID\` or \`lastEventId\`: no click is missed and none is sent twice. A client that was away for more than 15 minutes gets a \`reset\`: read what you missed since its \`since\` from \`/api/v1/analytics/events\`, and continue with this stream; a click that is in both has the same \`id\` field in its data. A click that reaches the database more than a day late is in the lists, but not here.

A page of the application itself opens it with \`new EventSource("…?workspace=ws_…")\`: the session's cookie goes with it, and the browser reconnects with the last id. The key of a program goes into \`Authorization\`, as everywhere, never into a URL; as \`EventSource\` can't send headers, read the stream with \`fetch\` then. Each open stream polls the database every 2 seconds; a workspace may have 20 open.`,
  tags: ["Analytics"],
  ...needs("analytics:read", { reach: "links" }),
  request: {
    query: FilterQuery.extend({
      lastEventId: z.string().max(400).optional().openapi({ description: CURSOR }),
    }),
    headers: z.object({
      "last-event-id": z.string().max(400).optional().openapi({ description: CURSOR }),
    }),
  },
  responses: {
    200: {
      description: "The stream: events `ready`, `click` and `reset`, and comments as heartbeats.",
      content: { "text/event-stream": { schema: LIVE_EVENT } },
    },
    ...problems("cursor_invalid", "query_too_wide", "too_many_streams"),
  },
});

export function streamLiveClicksOperation(deps: ApiDeps) {
  return operation(route, async (context) => {
    const { lastEventId, ...asked } = context.req.valid("query");
    const cursors = await createCursorSeal(deps.metricsToken);
    const cursor = await readCursor(context.req.valid("header")["last-event-id"] || lastEventId, cursors);
    const seal = (position: LiveCursor) => sealLiveCursor(position, cursors);
    const caller = { principal: context.get("principal"), person: context.get("person") };
    const { workspaceId } = caller.principal;
    const filters = filtersOf(asked, caller.principal);
    const id = crypto.randomUUID();
    const { maxStreams, maxStreamMs } = deps.live;
    if (!(await openStream(deps.database, { id, workspaceId, maxStreams, maxStreamMs }))) {
      throw new ProblemError("too_many_streams");
    }
    // A place that is not released is free again after the stream's time limit.
    const onEnd = () => closeStream(deps.database, id).catch(() => undefined);
    const look = createLook(deps, { caller, filters });
    try {
      const from = cursor === null || isTooOld(cursor, deps.nowMs()) ? null : cursor;
      const ports = { ...deps, look, onEnd, seal, requestId: context.get("requestId") };
      const first = { cursor, look: await look(from, MAX_POLL_CLICKS) };
      return context.body(streamClicks(first, ports, deps.live), 200, {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store",
      });
    } catch (error) {
      await onEnd();
      throw error;
    }
  });
}

/** Throws `ProblemError` cursor_invalid. */
async function readCursor(text: string | undefined, cursors: CursorSeal): Promise<LiveCursor | null> {
  if (text === undefined || text === "") {
    return null;
  }
  const cursor = await openLiveCursor(text, cursors);
  if (cursor === null) {
    throw new ProblemError("cursor_invalid");
  }
  return cursor;
}

function createLook(
  { database, nowMs }: ApiDeps,
  { caller, filters }: { readonly caller: Caller; readonly filters: readonly Filter[] },
) {
  return async (after: LiveCursor | null, limit: number): Promise<Look> => {
    // Before the snapshot, so that a cursor is never newer than its position.
    const atMs = nowMs();
    if (after === null) {
      const [position] = await runStatements(database, [readPosition(caller)]);
      return { ...position, clicks: [], atMs };
    }
    const { workspaceId } = caller.principal;
    const [position, clicks] = await runStatements(database, [
      readPosition(caller),
      listNewClicks({ workspaceId, filters, after, limit }),
    ]);
    return { ...position, clicks, atMs };
  };
}

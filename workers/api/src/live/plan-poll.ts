/** What a live stream sends after a poll: events, and its position after them. Pure. */
import { toClick } from "../analytics/click-shape.ts";
import { toInstant } from "../instant.ts";
import { cursorAt, encodeLiveCursor, type LiveCursor } from "./live-cursor.ts";
import type { NewClick } from "./new-clicks.ts";

/** A client that was away for longer gets a `reset`, and reads what it missed from the lists. Milliseconds. */
export const MAX_CATCH_UP_MS = 900_000;

/** Clicks per poll. A stream that is behind polls again at once. */
export const MAX_POLL_CLICKS = 200;

/** What one poll found. */
export type Look = { readonly horizon: string; readonly clicks: readonly NewClick[]; readonly atMs: number };

export type Step = {
  /** Empty if there is nothing new. */
  readonly text: string;
  readonly cursor: LiveCursor;
  /** There may be more already. */
  readonly isBehind: boolean;
};

/** The first event for a client without a cursor: the stream starts now. */
export function begin(horizon: string, atMs: number): Step {
  return startHere(horizon, atMs, { name: "ready", data: { from: toInstant(atMs) } });
}

/** The stream continues from now, and says since when the client has to read the lists. */
export function reset(lost: LiveCursor, horizon: string, atMs: number): Step {
  const since = toInstant(Math.min(lost.atMs, atMs));
  return startHere(horizon, atMs, { name: "reset", data: { since } });
}

function startHere(horizon: string, atMs: number, event: Pick<ServerSentEvent, "name" | "data">): Step {
  const cursor = cursorAt(horizon, atMs);
  return { text: writeEvent({ ...event, id: encodeLiveCursor(cursor) }), cursor, isBehind: false };
}

export function isTooOld(cursor: LiveCursor, nowMs: number): boolean {
  return nowMs - cursor.atMs > MAX_CATCH_UP_MS;
}

/** A cursor that can't be continued: too old, or from before the database was restored to an earlier moment. */
export function isLost(cursor: LiveCursor, horizon: string, nowMs: number): boolean {
  return isTooOld(cursor, nowMs) || BigInt(cursor.xid) > BigInt(horizon);
}

/** Each click has the position after it as its id, so a connection may break after any of them. */
export function tell({ horizon, clicks, atMs }: Look): Step {
  const text = clicks
    .map((click) => {
      const id = encodeLiveCursor({ xid: click.xid, eventId: click.eventId, atMs });
      return writeEvent({ name: "click", id, data: toClick(click) });
    })
    .join("");
  const last = clicks.at(-1);
  const isBehind = clicks.length >= MAX_POLL_CLICKS;
  return isBehind && last !== undefined
    ? { text, cursor: { xid: last.xid, eventId: last.eventId, atMs }, isBehind }
    : { text, cursor: cursorAt(horizon, atMs), isBehind: false };
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html */
type ServerSentEvent = {
  readonly name: string;
  /** What a client sends back as `Last-Event-ID`. One line. */
  readonly id: string;
  /** Written as JSON, which has no line break of its own. */
  readonly data: unknown;
};

function writeEvent({ name, id, data }: ServerSentEvent): string {
  return `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}

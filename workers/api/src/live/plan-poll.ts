/** What a live stream sends after a poll: events, and its position after them. Pure. */
import { toClick } from "../analytics/click-shape.ts";
import { toInstant } from "../instant.ts";
import { cursorAt, type LiveCursor } from "./live-cursor.ts";
import type { NewClick } from "./new-clicks.ts";

/** A client that was away for longer gets a `reset`, and reads what it missed from the lists. Milliseconds. */
export const MAX_CATCH_UP_MS = 900_000;

/** Clicks per poll. A stream that is behind polls again at once. */
export const MAX_POLL_CLICKS = 200;

/** What one poll found. */
export type Look = {
  readonly horizon: string;
  readonly clicks: readonly NewClick[];
  readonly atMs: number;
  /** The caller may still read the stream. */
  readonly isAllowed: boolean;
};

export type Step = {
  /** Empty if there is nothing new. */
  readonly events: readonly StreamEvent[];
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

function startHere(horizon: string, atMs: number, event: Pick<StreamEvent, "name" | "data">): Step {
  const cursor = cursorAt(horizon, atMs);
  return { events: [{ ...event, cursor }], cursor, isBehind: false };
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
  const events = clicks.map((click) => {
    const cursor = { xid: click.xid, eventId: click.eventId, atMs };
    return { name: "click" as const, cursor, data: toClick(click) };
  });
  const last = events.at(-1);
  const isBehind = clicks.length >= MAX_POLL_CLICKS;
  return isBehind && last !== undefined
    ? { events, cursor: last.cursor, isBehind }
    : { events, cursor: cursorAt(horizon, atMs), isBehind: false };
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html */
export type StreamEvent = {
  readonly name: "ready" | "reset" | "click";
  /** What a client sends back, sealed, as `Last-Event-ID`. */
  readonly cursor: LiveCursor;
  /** Written as JSON, which has no line break of its own. */
  readonly data: unknown;
};

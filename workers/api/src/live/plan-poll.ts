/** What a live stream says after a look at the database: events, and where it stands then. Pure. */
import { toClick } from "../analytics/click-shape.ts";
import { toInstant } from "../http/instant.ts";
import { cursorAt, encodeLiveCursor, type LiveCursor } from "./live-cursor.ts";
import type { NewClick } from "./new-clicks.ts";
import { writeEvent } from "./server-sent-events.ts";

/** A client that was away for longer gets a `reset`, and reads what it missed as a list. Milliseconds. */
export const MAX_CATCH_UP_MS = 900_000;

/** Clicks of one look. A stream that is behind looks again at once. */
export const MAX_POLL_CLICKS = 200;

/** What was seen at one moment. */
export type Look = { readonly horizon: string; readonly clicks: readonly NewClick[]; readonly atMs: number };

export type Step = {
  /** Empty: nothing new. */
  readonly text: string;
  readonly cursor: LiveCursor;
  /** There may be more already. */
  readonly isBehind: boolean;
};

/** The first words to a client that brought no cursor: from now on. */
export function begin(horizon: string, atMs: number): Step {
  const cursor = cursorAt(horizon, atMs);
  const data = { from: toInstant(atMs) };
  return {
    text: writeEvent({ name: "ready", id: encodeLiveCursor(cursor), data }),
    cursor,
    isBehind: false,
  };
}

/** What came since would be a list, and no news. */
export function isTooOld(cursor: LiveCursor, nowMs: number): boolean {
  return nowMs - cursor.atMs > MAX_CATCH_UP_MS;
}

/** A cursor that cannot be followed: too old, or of a database that was since restored to an earlier moment. */
export function isLost(cursor: LiveCursor, horizon: string, nowMs: number): boolean {
  return isTooOld(cursor, nowMs) || BigInt(cursor.xid) > BigInt(horizon);
}

/** The stream goes on from now, and says from when on the client has to look for itself. */
export function reset(lost: LiveCursor, horizon: string, atMs: number): Step {
  const cursor = cursorAt(horizon, atMs);
  const data = { since: toInstant(Math.min(lost.atMs, atMs)) };
  return {
    text: writeEvent({ name: "reset", id: encodeLiveCursor(cursor), data }),
    cursor,
    isBehind: false,
  };
}

/** Each click with the cursor behind it, so that a connection may break after any of them. */
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

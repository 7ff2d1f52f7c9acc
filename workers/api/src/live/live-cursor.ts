/**
 * A live stream's position in the order in which clicks become visible. Opaque to clients, which send it back as their last
 * event id: `<instant>.<sealed position>`. The position is `1.<transaction>.<event id>.<instant>`, sealed because both ids
 * count what other workspaces do.
 */
import type { CursorSeal } from "../http/sealed-cursor.ts";

export type LiveCursor = {
  /** Decimal digits of a transaction id: everything before it has been sent. */
  readonly xid: string;
  /** Of this transaction, clicks up to this event have been sent too; UUID. */
  readonly eventId: string;
  /** When the stream was at this position, epoch milliseconds by the API's clock. */
  readonly atMs: number;
};

/** Sorts before every click of its transaction. */
const NO_EVENT = "00000000-0000-0000-0000-000000000000";

const CURSOR =
  /^1\.(\d{1,18})\.([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})\.(\d{1,15})$/;

/** The position before everything that transaction `xid` or a later one has written. */
export function cursorAt(xid: string, atMs: number): LiveCursor {
  return { xid, eventId: NO_EVENT, atMs };
}

export function encodeLiveCursor({ xid, eventId, atMs }: LiveCursor): string {
  return `1.${xid}.${eventId.replaceAll("-", "")}.${atMs}`;
}

/** Total: `null` for any text that is not a cursor. */
export function decodeLiveCursor(text: string): LiveCursor | null {
  const [, xid, ...rest] = CURSOR.exec(text) ?? [];
  const atMs = rest.pop();
  return xid === undefined || atMs === undefined
    ? null
    : { xid, eventId: rest.join("-"), atMs: Number(atMs) };
}

/** A position that no stream can continue from: the client gets a reset. */
function lostAt(atMs: number): LiveCursor {
  return { xid: "9".repeat(18), eventId: NO_EVENT, atMs };
}

/** The instant is outside of the seal too, so that a client whose seal can't be opened any more learns what it missed. */
const OUTSIDE = /^(\d{1,15})\.(sealed\..+)$/;

export async function sealLiveCursor(cursor: LiveCursor, { seal }: CursorSeal): Promise<string> {
  return `${cursor.atMs}.${await seal(encodeLiveCursor(cursor))}`;
}

/** `null` for any text that is not a cursor. Never rejects. */
export async function openLiveCursor(text: string, { open }: CursorSeal): Promise<LiveCursor | null> {
  const [, atMs, sealed] = OUTSIDE.exec(text) ?? [];
  if (atMs === undefined || sealed === undefined) {
    return null;
  }
  const opened = await open(sealed);
  return (opened === null ? null : decodeLiveCursor(opened)) ?? lostAt(Number(atMs));
}

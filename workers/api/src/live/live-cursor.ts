/**
 * A live stream's position in the order in which clicks become visible. Opaque to clients, which send it back as their last
 * event id. Format: `1.<transaction>.<event id>.<instant>`. Pure.
 */

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

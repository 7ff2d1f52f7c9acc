/**
 * The change feed's storage: the changes of the last minutes, numbered, in the Durable Object's own SQLite. Owns its two
 * tables, the order of versions at an address, and the limits. Answers no requests.
 */
import {
  blockOf,
  type Change,
  type ChangePage,
  CHANGES_PER_BLOCK,
  FEED_MEMORY_MS,
} from "@hopline/core/feed/change-page";
import { type LinkKey, linkKeyOf } from "@hopline/core/link/link-address";

export type AnnouncedChange = {
  readonly key: LinkKey;
  readonly version: number;
  readonly recordText: string;
};

/** Longer than KV and isolates cache anything (60 s each), with room for a slow publisher. Milliseconds. */
export const KEPT_FOR_MS: number = FEED_MEMORY_MS;
export const MAX_KEPT_CHANGES = 16_384;
export const MAX_KEPT_BYTES: number = 32 * 1024 * 1024;

/** A larger record is announced without its text, and readers load it themselves. */
export const MAX_RECORD_BYTES: number = 16 * 1024;

/** Roughly what a change takes besides its key and record. */
const ROW_OVERHEAD_BYTES = 100;

/** The head page holds at most this much, but at least one change. */
const MAX_HEAD_BYTES: number = 64 * 1024;

export interface ChangeLog {
  /** Numbers and stores the changes that are new, and deletes what is over the limits. True if any was new. */
  append(changes: readonly AnnouncedChange[], nowMs: number): boolean;
  /** The newest changes. */
  readHead(): ChangePage;
  /** One block, as far as it is filled; `null` if it is empty or has been deleted. */
  readBlock(block: number): ChangePage | null;
  /** The newest stored change of an address. */
  find(key: LinkKey): Change | null;
}

/** Creates the tables if needed. `newFeedId` names a new log. */
export function openChangeLog(storage: DurableObjectStorage, newFeedId: () => string): ChangeLog {
  const { sql } = storage;
  sql.exec(
    `CREATE TABLE IF NOT EXISTS feed (id TEXT NOT NULL, last INTEGER NOT NULL, bytes INTEGER NOT NULL)`,
  );
  sql.exec(`CREATE TABLE IF NOT EXISTS changes (
    sequence INTEGER PRIMARY KEY, key TEXT NOT NULL, version INTEGER NOT NULL, announced_at_ms INTEGER NOT NULL,
    record TEXT, bytes_so_far INTEGER NOT NULL)`);
  sql.exec(`CREATE INDEX IF NOT EXISTS changes_by_key ON changes (key, version)`);
  if (sql.exec("SELECT 1 FROM feed").toArray().length === 0) {
    sql.exec("INSERT INTO feed VALUES (?, 0, 0)", newFeedId());
  }
  const readState = () => {
    const row = sql.exec("SELECT id, last, (SELECT min(sequence) FROM changes) AS oldest FROM feed").one();
    const last = Number(row["last"]);
    return { feedId: toText(row["id"]), last, oldest: Number(row["oldest"] ?? last + 1) };
  };
  const readChanges = (from: number, to: number): readonly Change[] =>
    sql
      .exec("SELECT * FROM changes WHERE sequence BETWEEN ? AND ? ORDER BY sequence", from, to)
      .toArray()
      .map(toChange);
  return {
    append: (changes, nowMs) => storage.transactionSync(() => append(sql, changes, nowMs)),
    readHead() {
      const state = readState();
      return { ...state, changes: cutToSize(readChanges(state.last - CHANGES_PER_BLOCK + 1, state.last)) };
    },
    readBlock(block) {
      const state = readState();
      const first = block * CHANGES_PER_BLOCK + 1;
      const last = first + CHANGES_PER_BLOCK - 1;
      return first >= state.oldest && first <= state.last
        ? { ...state, changes: readChanges(first, last) }
        : null;
    },
    find(key) {
      const rows = sql
        .exec("SELECT * FROM changes WHERE key = ? ORDER BY version DESC LIMIT 1", key)
        .toArray();
      return rows[0] === undefined ? null : toChange(rows[0]);
    },
  };
}

function append(sql: SqlStorage, changes: readonly AnnouncedChange[], nowMs: number): boolean {
  const feed = sql.exec("SELECT last, bytes FROM feed").one();
  const before = Number(feed["last"]);
  let last = before;
  let bytes = Number(feed["bytes"]);
  for (const { key, version, recordText } of changes) {
    if (!isKnown(sql, { key, version, nowMs })) {
      const recordBytes = byteLength(recordText);
      const record = recordBytes > MAX_RECORD_BYTES ? null : recordText;
      last += 1;
      bytes += ROW_OVERHEAD_BYTES + byteLength(key) + (record === null ? 0 : recordBytes);
      sql.exec("INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?)", last, key, version, nowMs, record, bytes);
    }
  }
  if (last > before) {
    sql.exec("UPDATE feed SET last = ?, bytes = ?", last, bytes);
    forget(sql, { last, bytes, nowMs });
  }
  return last > before;
}

/**
 * A change that a publisher announces again is one that KV has still not taken: it gets a new number before the old one is
 * forgotten, for as long as that lasts, so that isolates which begin meanwhile hear of it, too.
 */
function isKnown(
  sql: SqlStorage,
  { key, version, nowMs }: { readonly key: LinkKey; readonly version: number; readonly nowMs: number },
): boolean {
  const known = sql.exec(
    "SELECT 1 FROM changes WHERE key = ? AND (version > ? OR (version = ? AND announced_at_ms > ?)) LIMIT 1",
    key,
    version,
    version,
    nowMs - KEPT_FOR_MS / 2,
  );
  return known.toArray().length > 0;
}

/** Deletes whole blocks only: a reader could not tell a partly deleted block from a full one. */
function forget(
  sql: SqlStorage,
  now: { readonly last: number; readonly bytes: number; readonly nowMs: number },
) {
  // Oldest first, so that only rows to be deleted are scanned.
  const keep = sql
    .exec(
      "SELECT sequence FROM changes WHERE announced_at_ms >= ? AND bytes_so_far > ? ORDER BY sequence LIMIT 1",
      now.nowMs - KEPT_FOR_MS,
      now.bytes - MAX_KEPT_BYTES,
    )
    .toArray()[0];
  const firstKept = Math.max(Number(keep?.["sequence"] ?? now.last), now.last - MAX_KEPT_CHANGES + 1);
  sql.exec("DELETE FROM changes WHERE sequence <= ?", blockOf(firstKept) * CHANGES_PER_BLOCK);
}

function toText(value: SqlStorageValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

function cutToSize(changes: readonly Change[]): readonly Change[] {
  let bytes = 0;
  let count = 0;
  for (const { recordText } of changes.toReversed()) {
    bytes += ROW_OVERHEAD_BYTES + (recordText?.length ?? 0);
    if (count > 0 && bytes > MAX_HEAD_BYTES) {
      break;
    }
    count += 1;
  }
  return changes.slice(changes.length - count);
}

function toChange(row: Record<string, SqlStorageValue>): Change {
  const key = toText(row["key"]);
  const slash = key.indexOf("/");
  return {
    sequence: Number(row["sequence"]),
    key: linkKeyOf(key.slice(0, slash), key.slice(slash + 1)),
    version: Number(row["version"]),
    announcedAtMs: Number(row["announced_at_ms"]),
    recordText: typeof row["record"] === "string" ? row["record"] : null,
  };
}

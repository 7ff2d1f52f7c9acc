/**
 * The change feed's storage: the changes of the last minutes, numbered, in the Durable Object's own SQLite. Owns its tables,
 * the order of versions at an address, and the limits. Answers no requests. The records are in memory only, and only those that
 * the head has room for: of an older change its key and version are enough, because the database has the rest.
 */
import { type Change, type ChangePage, FEED_MEMORY_MS } from "@hopline/core/feed/change-page";
import { CHANGES_PER_BLOCK, hashOf, type VersionBlock } from "@hopline/core/feed/version-block";
import { type LinkKey, linkKeyOf } from "@hopline/core/link/link-address";

export type AnnouncedChange = {
  readonly key: LinkKey;
  readonly version: number;
  readonly recordText: string;
};

/** Longer than KV and isolates cache anything (60 s each), with room for a slow publisher. Milliseconds. */
export const KEPT_FOR_MS: number = FEED_MEMORY_MS;
/** A thousand a second. */
const MAX_KEPT_CHANGES = 300_000;

/**
 * Announcements of more than so many changes at once leave a fifth of the room to single edits: what one caller changes in bulk must
 * not make all isolates ask the database. What is refused is announced later, by the outbox.
 */
const MAX_SINGLE_CHANGES = 20;
const BULK_SHARE = 0.8;

/** The records of the head together. */
export const MAX_HEAD_BYTES: number = 64 * 1024;
/** A larger record is announced without its text, and readers load it themselves. */
export const MAX_RECORD_BYTES: number = 16 * 1024;

/** The head reaches back this far, so that who reads every second misses nothing; or for so many changes, if that is more or less. */
const HEAD_REACHES_BACK_MS = 4_000;
const MIN_HEAD_CHANGES = 64;
const MAX_HEAD_CHANGES = 4_096;

export interface ChangeLog {
  /**
   * Numbers and stores the changes that are new, and deletes what is over the limits. True if any was new. Throws where many at once
   * would leave no room.
   */
  append(changes: readonly AnnouncedChange[], nowMs: number): boolean;
  /** The newest changes. */
  readHead(): ChangePage;
  /** One block, as far as it is filled; `null` if it is empty or has been deleted. */
  readBlock(block: number): VersionBlock | null;
  /** The newest stored change of an address. */
  find(key: LinkKey): Change | null;
}

/** Creates the tables if needed. `newFeedId` names a new log. */
export function openChangeLog(
  storage: Pick<DurableObjectStorage, "sql" | "transactionSync">,
  newFeedId: () => string,
  maxChanges = MAX_KEPT_CHANGES,
): ChangeLog {
  const { sql } = storage;
  sql.exec(
    "CREATE TABLE IF NOT EXISTS log (id TEXT NOT NULL, last INTEGER NOT NULL, forgotten_at_ms INTEGER NOT NULL)",
  );
  sql.exec(`CREATE TABLE IF NOT EXISTS announced (
    sequence INTEGER PRIMARY KEY, key TEXT NOT NULL, version INTEGER NOT NULL, announced_at_ms INTEGER NOT NULL)`);
  sql.exec("CREATE INDEX IF NOT EXISTS announced_by_key ON announced (key, version)");
  if (sql.exec("SELECT 1 FROM log").toArray().length === 0) {
    sql.exec("INSERT INTO log VALUES (?, 0, 0)", newFeedId());
  }
  /** Records by sequence, the oldest first. */
  const records = new Map<number, string>();
  let recordBytes = 0;
  const keepRecord = (sequence: number, text: string): void => {
    const bytes = byteLength(text);
    if (bytes > MAX_RECORD_BYTES) {
      return;
    }
    records.set(sequence, text);
    recordBytes += bytes;
    for (const [oldest, oldText] of records) {
      if (recordBytes <= MAX_HEAD_BYTES) {
        break;
      }
      records.delete(oldest);
      recordBytes -= byteLength(oldText);
    }
  };
  const readState = () => {
    const row = sql.exec("SELECT *, (SELECT min(sequence) FROM announced) AS oldest FROM log").one();
    const last = Number(row["last"]);
    const oldest = Number(row["oldest"] ?? last + 1);
    return { feedId: toText(row["id"]), last, oldest, forgottenAtMs: Number(row["forgotten_at_ms"]) };
  };
  const readChanges = (from: number, to: number): readonly Change[] =>
    sql
      .exec("SELECT * FROM announced WHERE sequence BETWEEN ? AND ? ORDER BY sequence", from, to)
      .toArray()
      .map((row) => toChange(row, records));
  return {
    append: (changes, nowMs) =>
      storage.transactionSync(() => {
        const { last: before, oldest } = readState();
        if (
          changes.length > MAX_SINGLE_CHANGES &&
          before - oldest + 1 + changes.length > maxChanges * BULK_SHARE
        ) {
          forget(sql, { last: before, nowMs, maxChanges });
          const kept = before - readState().oldest + 1;
          if (kept + changes.length > maxChanges * BULK_SHARE) {
            throw new RangeError("the feed has no room for changes in bulk: announce them later");
          }
        }
        let last = before;
        for (const change of changes) {
          if (!isKnown(sql, { ...change, nowMs })) {
            last += 1;
            sql.exec("INSERT INTO announced VALUES (?, ?, ?, ?)", last, change.key, change.version, nowMs);
            keepRecord(last, change.recordText);
          }
        }
        if (last > before) {
          sql.exec("UPDATE log SET last = ?", last);
          forget(sql, { last, nowMs, maxChanges });
        }
        return last > before;
      }),
    readHead() {
      const state = readState();
      const changes = readChanges(state.last - MAX_HEAD_CHANGES + 1, state.last);
      const sinceMs = (changes.at(-1)?.announcedAtMs ?? 0) - HEAD_REACHES_BACK_MS;
      const recent = changes.filter(({ announcedAtMs }) => announcedAtMs >= sinceMs).length;
      return { ...state, changes: changes.slice(-Math.max(recent, MIN_HEAD_CHANGES)) };
    },
    readBlock(block) {
      const changes = readChanges(block * CHANGES_PER_BLOCK + 1, (block + 1) * CHANGES_PER_BLOCK);
      const [first] = changes;
      return first === undefined
        ? null
        : {
            first: first.sequence,
            announcedAtMs: changes.at(-1)?.announcedAtMs ?? 0,
            pairs: Uint32Array.from(changes.flatMap(({ key, version }) => [hashOf(key), version])),
          };
    },
    find(key) {
      const rows = sql
        .exec("SELECT * FROM announced WHERE key = ? ORDER BY version DESC LIMIT 1", key)
        .toArray();
      return rows[0] === undefined ? null : toChange(rows[0], records);
    },
  };
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
    "SELECT 1 FROM announced WHERE key = ? AND (version > ? OR (version = ? AND announced_at_ms > ?)) LIMIT 1",
    key,
    version,
    version,
    nowMs - KEPT_FOR_MS / 2,
  );
  return known.toArray().length > 0;
}

function forget(
  sql: SqlStorage,
  { last, nowMs, maxChanges }: { readonly last: number; readonly nowMs: number; readonly maxChanges: number },
): void {
  // Oldest first, so that only rows to be deleted are scanned.
  const young = "SELECT sequence FROM announced WHERE announced_at_ms >= ? ORDER BY sequence LIMIT 1";
  const firstYoung = Number(sql.exec(young, nowMs - KEPT_FOR_MS).toArray()[0]?.["sequence"] ?? last);
  const firstKept = Math.max(firstYoung, last - maxChanges + 1);
  if (firstKept > firstYoung) {
    const dropped =
      "UPDATE log SET forgotten_at_ms = (SELECT announced_at_ms FROM announced WHERE sequence = ?)";
    sql.exec(dropped, firstKept - 1);
  }
  sql.exec("DELETE FROM announced WHERE sequence < ?", firstKept);
}

function toText(value: SqlStorageValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

function toChange(row: Record<string, SqlStorageValue>, records: ReadonlyMap<number, string>): Change {
  const key = toText(row["key"]);
  const slash = key.indexOf("/");
  const sequence = Number(row["sequence"]);
  return {
    sequence,
    key: linkKeyOf(key.slice(0, slash), key.slice(slash + 1)),
    version: Number(row["version"]),
    announcedAtMs: Number(row["announced_at_ms"]),
    recordText: records.get(sequence) ?? null,
  };
}

/** What publishing needs from the edge: ports with an adapter for the platform and a fake for tests. */
import type { LinkKey } from "@hopline/core/link/link-address";
import type { OutboxChange } from "./outbox.ts";

/** The store that the edge reads. It does not compare versions: the last write wins. */
export interface EdgeStore {
  /** Rejects when the write fails, also when it is the second within a second for this key. */
  write(change: OutboxChange): Promise<void>;
  /**
   * What it holds, as seen from here (elsewhere it may lag by a minute); `null` if it holds nothing readable. `writtenAtMs` is
   * `null` if that is not known.
   */
  find(key: LinkKey): Promise<{ readonly version: number; readonly writtenAtMs: number | null } | null>;
}

/** Announces changes to isolates. Ignores a version if it has that one or a newer one already. */
export interface ChangeSink {
  /** All or none; rejects if that is not certain. */
  append(changes: readonly OutboxChange[]): Promise<void>;
  /** The newest version it has announced in the last minutes. */
  find(key: LinkKey): Promise<{ readonly version: number; readonly announcedAtMs: number } | null>;
}

/** Wakes publishers of mass changes up. Each message makes one publish what is due, for a few seconds. */
export interface WakeUps {
  /** Rejects when the queue does; the job that runs every minute publishes all the same. */
  send(count: number): Promise<void>;
}

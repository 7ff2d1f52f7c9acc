/** What publishing needs of the edge. Adapters speak to the platform; tests bring their own. */
import type { LinkKey } from "@hopline/core/link/link-address";
import type { OutboxChange } from "./outbox.ts";

/** The store the edge reads. Knows no versions: the last write wins. */
export interface EdgeStore {
  /** Rejects when the write fails, or is refused as one too many within a second on this key. */
  write(change: OutboxChange): Promise<void>;
  /**
   * What it holds, as seen from here (elsewhere it may lag by a minute); `null` when it holds nothing readable.
   * `writtenAtMs` is `null` where the edge has filled it by itself.
   */
  find(key: LinkKey): Promise<{ readonly version: number; readonly writtenAtMs: number | null } | null>;
}

/** Where isolates hear of changes. Passes over a version that it knows already, or a newer one of. */
export interface ChangeSink {
  /** All or none; rejects when that is not certain. */
  append(changes: readonly OutboxChange[]): Promise<void>;
  /** The newest version it has announced in the last minutes. */
  find(key: LinkKey): Promise<{ readonly version: number; readonly announcedAtMs: number } | null>;
}

/**
 * The scheduled job that brings in what no queue would take: opens each spilled segment, writes it as a queue's would
 * be, and removes the key once it is committed. Two drains at once write the same events, which count once.
 */
import { decodeSegment, type Segment } from "@hopline/core/click/segment";
import { toDatabaseFailure } from "@hopline/db/database-failure";
import { buryMessage } from "../dead-letters/bury.ts";
import type { BatchDeps } from "../ingest/handle-batch.ts";
import { type PendingSegment, toPendingSegment } from "../ingest/pending-segment.ts";
import { writeSegments } from "../ingest/write-segments.ts";

export interface SpillStore {
  /** The first keys of spilled segments, at most `limit`. */
  list(limit: number): Promise<readonly string[]>;
  /** `null` when another drain was faster. */
  read(key: string): Promise<string | null>;
  remove(key: string): Promise<void>;
}

export type DrainDeps = BatchDeps & {
  readonly spill: SpillStore;
  /** `null` where the text cannot be opened with this key. Rejects when there is no usable key. */
  readonly open: (sealed: string) => Promise<string | null>;
};

/** One invocation may make 1,000 KV operations (PLATFORM 2): a list, and two for each key. The next run goes on. */
const MAX_KEYS = 450;
const KEYS_AT_ONCE = 10;
const SOURCE = "spill";

type Spilled = { readonly key: string; readonly sealed: string };
type Opened = Spilled & { readonly segment: Segment | null };

/** Rejects when KV does; what was committed by then stays. */
export async function drainSpill(deps: DrainDeps): Promise<void> {
  const keys = await deps.spill.list(MAX_KEYS);
  const sum = { segments: 0, inserted: 0, deadLettered: 0 };
  for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
    const opened = await readSegments(keys.slice(at, at + KEYS_AT_ONCE), deps);
    const buried = await buryUnreadable(
      opened.filter((item) => item.segment === null),
      deps,
    );
    const written = await writeOpened(opened, deps);
    sum.deadLettered += buried;
    sum.segments += written.segments;
    sum.inserted += written.inserted;
    if (written.isDown) {
      break;
    }
  }
  if (keys.length > 0) {
    deps.log({ event: "spill.drained", ...sum, left: keys.length - sum.segments - sum.deadLettered });
  }
}

async function readSegments(keys: readonly string[], deps: DrainDeps): Promise<readonly Opened[]> {
  const opened: Opened[] = [];
  for (const key of keys) {
    const sealed = await deps.spill.read(key);
    if (sealed !== null) {
      const text = await deps.open(sealed);
      const segment = text === null ? null : decodeSegment(text);
      opened.push({ key, sealed, segment: segment?.ok === true ? segment.value : null });
    }
  }
  return opened;
}

async function writeOpened(
  opened: readonly Opened[],
  deps: DrainDeps,
): Promise<{ readonly segments: number; readonly inserted: number; readonly isDown: boolean }> {
  const keyOf = new Map<PendingSegment, string>();
  for (const { key, segment } of opened) {
    if (segment !== null) {
      const delivery = { copies: 1, receivedAtMs: deps.nowMs() };
      keyOf.set(await toPendingSegment(segment, delivery, deps), key);
    }
  }
  const { failed, inserted } = await writeSegments([...keyOf.keys()], SOURCE, deps);
  for (const [segment, key] of keyOf) {
    if (!failed.has(segment)) {
      await deps.spill.remove(key);
    }
  }
  const [failure] = failed.values();
  if (failure !== undefined) {
    deps.log({ event: "job.failed", job: SOURCE, reason: failure.reason, sqlState: failure.sqlState });
  }
  return { segments: keyOf.size - failed.size, inserted, isDown: failure !== undefined };
}

/** Sealed with another key, or no segment: kept as it is, for a person who has the key. */
async function buryUnreadable(items: readonly Spilled[], deps: DrainDeps): Promise<number> {
  let buried = 0;
  for (const { key, sealed } of items) {
    try {
      await buryMessage(sealed, { source: SOURCE, reason: "sealed" }, deps);
      await deps.spill.remove(key);
      buried += 1;
    } catch (error) {
      const { reason, sqlState } = toDatabaseFailure(error);
      deps.log({ event: "job.failed", job: SOURCE, reason, sqlState });
    }
  }
  return buried;
}

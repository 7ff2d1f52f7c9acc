/**
 * The scheduled job that fetches what no queue accepted: opens each spilled segment, writes it like a queue's, and
 * removes its key once it is committed. Two drains at once write the same events, which count once.
 */
import { decodeSegment } from "@hopline/core/click/segment";
import { buryMessage, type WriteFailure } from "../ingest/bury.ts";
import type { BatchDeps } from "../ingest/handle-batch.ts";
import { type PendingSegment, toPendingSegment } from "../ingest/pending-segment.ts";
import { writeSegments } from "../ingest/write-segments.ts";

export interface SpillStore {
  /** The first keys of spilled segments, at most `limit`. */
  list(limit: number): Promise<readonly string[]>;
  /** `null` if another drain was faster. */
  read(key: string): Promise<string | null>;
  remove(key: string): Promise<void>;
}

export type DrainDeps = BatchDeps & {
  readonly spill: SpillStore;
  /** `null` if no key of ours opens the text. Rejects if there is no usable key. */
  readonly open: (sealed: string) => Promise<string | null>;
};

/** An invocation may make 1,000 KV operations: a list, and two for each key. The next run continues. */
const MAX_KEYS = 450;
const KEYS_AT_ONCE = 10;
const SOURCE = "spill";

type Drained = {
  readonly segments: number;
  readonly inserted: number;
  readonly deadLettered: number;
  readonly failure: WriteFailure | undefined;
};

/** Rejects if KV does; what was committed by then stays. */
export async function drainSpill(deps: DrainDeps): Promise<void> {
  const keys = await deps.spill.list(MAX_KEYS);
  const sum = { segments: 0, inserted: 0, deadLettered: 0 };
  for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
    const { failure, ...drained } = await drainKeys(keys.slice(at, at + KEYS_AT_ONCE), deps);
    sum.segments += drained.segments;
    sum.inserted += drained.inserted;
    sum.deadLettered += drained.deadLettered;
    if (failure !== undefined) {
      deps.log({ event: "job.failed", job: SOURCE, reason: failure.reason, sqlState: failure.sqlState });
    }
    if (failure?.reason === "unavailable") {
      break;
    }
  }
  if (keys.length > 0) {
    deps.log({ event: "spill.drained", ...sum, left: keys.length - sum.segments - sum.deadLettered });
  }
}

async function drainKeys(keys: readonly string[], deps: DrainDeps): Promise<Drained> {
  const keyOf = new Map<PendingSegment, string>();
  const failures: WriteFailure[] = [];
  let deadLettered = 0;
  for (const key of keys) {
    const sealed = await deps.spill.read(key);
    if (sealed === null) {
      continue;
    }
    const text = await deps.open(sealed).catch(() => undefined);
    if (text === undefined) {
      failures.push({ reason: "sealing", sqlState: null });
      continue;
    }
    const segment = text === null ? null : decodeSegment(text);
    if (segment?.ok === true) {
      keyOf.set(await toPendingSegment(segment.value, { receivedAtMs: deps.nowMs() }, deps), key);
      continue;
    }
    // Sealed with another key, or not a segment. Stored as it is, for a person who has the key.
    const buried = await buryMessage(sealed, { source: SOURCE, reason: "sealed" }, deps);
    if (buried.ok) {
      await deps.spill.remove(key);
      deadLettered += 1;
    } else {
      failures.push(buried.error);
    }
  }
  const { failed, inserted } = await writeSegments([...keyOf.keys()], SOURCE, deps);
  for (const [segment, key] of keyOf) {
    if (!failed.has(segment)) {
      await deps.spill.remove(key);
    }
  }
  const [failure] = [...failed.values(), ...failures];
  return { segments: keyOf.size - failed.size, inserted, deadLettered, failure };
}

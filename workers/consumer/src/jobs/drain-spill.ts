/**
 * The scheduled job that fetches what no queue accepted: opens each spilled segment, writes it like a queue's, and
 * removes its key once it is committed. Two drains at once write the same events, which count once.
 *
 * An invocation may make 1,000 KV operations, and each key costs one to remove. So the job only lists, and hands its keys
 * to invocations of their own.
 */
import { decodeSegment } from "@hopline/core/click/segment";
import { buryMessage, type WriteFailure } from "../ingest/bury.ts";
import type { BatchDeps } from "../ingest/handle-batch.ts";
import { type PendingSegment, toPendingSegment } from "../ingest/pending-segment.ts";
import { writeSegments } from "../ingest/write-segments.ts";

export interface SpillStore {
  /** The first keys of spilled segments, at most `limit`, by as many of KV's lists as that takes. */
  list(limit: number): Promise<readonly string[]>;
  /** Of at most 100 keys, in one operation. Those that another drain was faster with are left out. */
  read(keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
  remove(key: string): Promise<void>;
}

export type DrainDeps = BatchDeps & {
  readonly spill: SpillStore;
  /** `null` if no key of ours opens the text. Rejects if there is no usable key. */
  readonly open: (sealed: string) => Promise<string | null>;
};

/** Drains so many keys in an invocation of its own, by `drainKeys`. */
export type DrainElsewhere = (keys: readonly string[]) => Promise<Drained>;

/** Of one invocation: nine reads and 900 removals. */
export const KEYS_OF_SHARE = 900;
/** A request may call others 32 times. The next minute's run continues. */
const SHARES = 24;
/** As many statements at once, too. */
const SHARES_AT_ONCE = 6;
/** KV's limit for one read. */
const KEYS_OF_READ = 100;
/** A Worker has six connections. */
const REMOVALS_AT_ONCE = 6;
const SOURCE = "spill";

export type Drained = {
  readonly segments: number;
  readonly inserted: number;
  readonly deadLettered: number;
  /** The first one. After `unavailable` nothing more is tried. */
  readonly failure: WriteFailure | undefined;
};

/** Resolves to whether there may be more. Rejects if KV does; what was committed by then stays. */
export async function drainSpill(drainShare: DrainElsewhere, deps: DrainDeps): Promise<boolean> {
  const keys = await deps.spill.list(SHARES * KEYS_OF_SHARE);
  let sum: Drained = { segments: 0, inserted: 0, deadLettered: 0, failure: undefined };
  const shares = inPieces(keys, KEYS_OF_SHARE).values();
  await Promise.all(
    Array.from({ length: SHARES_AT_ONCE }, async () => {
      for (const share of shares) {
        const drained = await drainShare(share);
        sum = addUp(sum, drained);
        if (sum.failure?.reason === "unavailable") {
          break;
        }
      }
    }),
  );
  const { failure, ...counts } = sum;
  if (failure !== undefined) {
    deps.log({ event: "job.failed", job: SOURCE, reason: failure.reason, sqlState: failure.sqlState });
  }
  if (keys.length > 0) {
    deps.log({ event: "spill.drained", ...counts, left: keys.length - sum.segments - sum.deadLettered });
  }
  return sum.segments + sum.deadLettered < keys.length || keys.length === SHARES * KEYS_OF_SHARE;
}

/** @param keys at most `KEYS_OF_SHARE`. Rejects if KV does; what was committed by then stays. */
export async function drainKeys(keys: readonly string[], deps: DrainDeps): Promise<Drained> {
  let sum: Drained = { segments: 0, inserted: 0, deadLettered: 0, failure: undefined };
  for (const piece of inPieces(keys, KEYS_OF_READ)) {
    sum = addUp(sum, await drainPiece(piece, deps));
    if (sum.failure?.reason === "unavailable") {
      break;
    }
  }
  return sum;
}

function addUp(sum: Drained, more: Drained): Drained {
  return {
    segments: sum.segments + more.segments,
    inserted: sum.inserted + more.inserted,
    deadLettered: sum.deadLettered + more.deadLettered,
    failure: sum.failure?.reason === "unavailable" ? sum.failure : (more.failure ?? sum.failure),
  };
}

function inPieces(keys: readonly string[], size: number): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(keys.length / size) }, (_, index) =>
    keys.slice(index * size, (index + 1) * size),
  );
}

async function drainPiece(keys: readonly string[], deps: DrainDeps): Promise<Drained> {
  const keyOf = new Map<PendingSegment, string>();
  const failures: WriteFailure[] = [];
  const done: string[] = [];
  let deadLettered = 0;
  for (const [key, sealed] of await deps.spill.read(keys)) {
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
      done.push(key);
      deadLettered += 1;
    } else {
      failures.push(buried.error);
    }
  }
  const { failed, inserted } = await writeSegments([...keyOf.keys()], SOURCE, deps);
  done.push(...[...keyOf].flatMap(([segment, key]) => (failed.has(segment) ? [] : [key])));
  for (const some of inPieces(done, REMOVALS_AT_ONCE)) {
    await Promise.all(some.map((key) => deps.spill.remove(key)));
  }
  const [failure] = [...failed.values(), ...failures];
  return { segments: keyOf.size - failed.size, inserted, deadLettered, failure };
}

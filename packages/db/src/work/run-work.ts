/**
 * Does due work until none is left or the time is up. An item that fails is tried again later, each time after a longer
 * wait. An item that hangs is abandoned after its time limit, and until then it takes one of its kind's places, no more:
 * other items and other kinds go on.
 */
import { toDatabaseFailure } from "../database-failure.ts";
import type { RunTransaction } from "../neon-client.ts";
import { claimWork, type WantedWork } from "./claim-work.ts";
import { releaseWork, type Settlement, settleWork, type WorkOutcome } from "./settle-work.ts";
import { type Payload, toWorkItem, type WorkItem } from "./work-item.ts";
import { runWorkTransaction } from "./work-transaction.ts";

export type WorkHandler = {
  /**
   * Resolves when the item is done, or to when it must be done again. Must tolerate being run twice, also at the same time
   * as a run of it that was abandoned. `signal` aborts at the time limit.
   */
  readonly run: (item: WorkItem, signal: AbortSignal) => Promise<void | Again>;
  readonly timeLimitMs: number;
  /** How many items of the kind are done at the same time. */
  readonly atOnce: number;
  /** The longest wait after a failure. */
  readonly maxDelaySeconds: number;
};

export type Again = { readonly againInSeconds: number; readonly change?: Payload };

export type WorkDeps = {
  /** By kind. */
  readonly handlers: { readonly [kind: string]: WorkHandler };
  readonly runTransaction: RunTransaction;
  /** A new UUID. */
  readonly newLeaseId: () => string;
  /** Milliseconds, of any monotonic clock. */
  readonly nowMs: () => number;
  /** Whether there are requests left for another item. Absent: always. */
  readonly mayStart?: () => boolean;
  /** Called for every item that failed or hung. */
  readonly onFailure: (item: WorkItem, error: unknown) => void;
};

/** From the time limit to the statement that settles the item. */
const SETTLED_WITHIN_SECONDS = 10;

/**
 * How many items were done. After `maxDurationMs`, or without requests left, nothing new is started; what runs is waited for. Rejects when the database
 * does; leases then run out.
 */
export async function runWork(maxDurationMs: number, deps: WorkDeps): Promise<number> {
  const endsAtMs = deps.nowMs() + maxDurationMs;
  const leaseId = deps.newLeaseId();
  const running = new Map<WorkItem, Promise<void>>();
  const finished: Settlement[] = [];
  let done = 0;
  const start = (item: WorkItem): void => {
    const run = runItem(item, deps).then((outcome) => {
      const { kind, key, revision } = item;
      const leaseSeconds = leaseSecondsOf(handlerOf(item, deps));
      finished.push({ kind, key, revision, leaseSeconds, ...outcome });
      running.delete(item);
      done += outcome.outcome === "failed" ? 0 : 1;
    });
    running.set(item, run);
  };
  for (;;) {
    const isOver = deps.nowMs() >= endsAtMs || deps.mayStart?.() === false;
    const wanted = isOver ? [] : planClaims([...running.keys()], deps);
    const { overtaken, claimed } = await settleAndClaim(finished.splice(0), wanted, { leaseId, deps });
    if (isOver && overtaken.length > 0) {
      await runWorkTransaction(deps.runTransaction, [releaseWork(leaseId, overtaken)]);
    } else {
      [...overtaken, ...claimed].forEach(start);
    }
    if (finished.length > 0) {
      continue;
    }
    if (running.size === 0) {
      return done;
    }
    await Promise.race(running.values());
  }
}

/** Never rejects. */
async function runItem(item: WorkItem, deps: WorkDeps): Promise<WorkOutcome> {
  const handler = handlerOf(item, deps);
  const limit = new AbortController();
  const { promise: timeUp, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new DOMException("the item took too long", "TimeoutError");
    limit.abort(error);
    reject(error);
  }, handler.timeLimitMs);
  try {
    const again = await Promise.race([handler.run(item, limit.signal), timeUp]);
    return again === undefined
      ? { outcome: "done" }
      : {
          outcome: "again",
          inSeconds: again.againInSeconds,
          ...(again.change === undefined ? {} : { change: again.change }),
        };
  } catch (error) {
    deps.onFailure(item, error);
    return { outcome: "failed", error: kindOfError(error), maxDelaySeconds: handler.maxDelaySeconds };
  } finally {
    clearTimeout(timer);
  }
}

type Claim = { readonly overtaken: readonly WorkItem[]; readonly claimed: readonly WorkItem[] };

/** Settles what is finished and claims what is wanted, in one transaction. */
async function settleAndClaim(
  finished: readonly Settlement[],
  wanted: readonly WantedWork[],
  { leaseId, deps }: { readonly leaseId: string; readonly deps: WorkDeps },
): Promise<Claim> {
  const settle = finished.length === 0 ? [] : settleWork(leaseId, finished);
  const claim = wanted.length === 0 ? [] : [claimWork(leaseId, wanted)];
  if (settle.length + claim.length === 0) {
    return { overtaken: [], claimed: [] };
  }
  const results = await runWorkTransaction(deps.runTransaction, [...settle, ...claim]);
  const itemsOf = (index: number) => (results[index] ?? []).map(toWorkItem);
  return {
    overtaken: settle.length === 0 ? [] : itemsOf(settle.length - 1),
    claimed: claim.length === 0 ? [] : itemsOf(settle.length),
  };
}

/** As many of each kind as it has free places. */
function planClaims(running: readonly WorkItem[], { handlers }: WorkDeps): readonly WantedWork[] {
  return Object.entries(handlers).flatMap(([kind, handler]) => {
    const limit = handler.atOnce - running.filter((item) => item.kind === kind).length;
    return limit > 0 ? [{ kind, limit, leaseSeconds: leaseSecondsOf(handler) }] : [];
  });
}

function handlerOf({ kind }: WorkItem, { handlers }: WorkDeps): WorkHandler {
  const handler = handlers[kind];
  if (handler === undefined) {
    throw new Error("invariant: only kinds that have a handler are claimed");
  }
  return handler;
}

function leaseSecondsOf({ timeLimitMs }: WorkHandler): number {
  return timeLimitMs / 1_000 + SETTLED_WITHIN_SECONDS;
}

/** Enough to act on, and never a quoted value: the SQLSTATE if the database refused, otherwise the error's name. */
export function kindOfError(error: unknown): string {
  const { sqlState } = toDatabaseFailure(error instanceof Error ? (error.cause ?? error) : error);
  return sqlState ?? (error instanceof Error ? error.name : typeof error);
}

/** The same, one item after the other: where an invocation may make few requests. */
export async function runWorkOneByOne(maxDurationMs: number, deps: WorkDeps): Promise<void> {
  const endsAtMs = deps.nowMs() + maxDurationMs;
  for (const [kind, handler] of Object.entries(deps.handlers)) {
    await runWork(endsAtMs - deps.nowMs(), { ...deps, handlers: { [kind]: { ...handler, atOnce: 1 } } });
  }
}

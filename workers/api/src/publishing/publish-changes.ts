/**
 * Publishes committed changes: to KV, and to every isolate through the change feed. Owns the order of the steps and what
 * happens when one fails. A failure never reaches the caller, because the link is committed and the outbox has the rest.
 */
import { isArrivalsKey } from "@hopline/core/feed/arrivals";
import { type Log, nameOfError } from "../log.ts";
import type { Database } from "../database.ts";
import type { ChangeSink, EdgeStore, WakeUps } from "./edge-ports.ts";
import type { KvBudget } from "./kv-budget.ts";
import {
  claimDue,
  type EnqueuedChange,
  enqueueOvertaken,
  findNextDueMs,
  type FailedChange,
  type Lease,
  type OutboxChange,
  type Published,
  settle,
  type WaitingChange,
} from "./outbox.ts";

export type PublisherDeps = {
  readonly database: Database;
  readonly kv: EdgeStore;
  readonly feed: ChangeSink;
  readonly wakeUps: WakeUps;
  readonly budget: KvBudget;
  /** A new UUID. */
  readonly newLeaseId: () => string;
  /** After this long, another publisher may take over a publisher's rows. */
  readonly leaseSeconds: number;
  readonly log: Log;
};

export interface Publisher {
  /** A lease to enqueue a change with. */
  newLease(): Lease;
  /** Publishes what was enqueued with the lease. Never rejects: failures are logged and left to `publishDue`. */
  publish(changes: readonly EnqueuedChange[], lease: Lease): Promise<void>;
  /** Has `changes` published that were enqueued without a lease, by as many publishers as that takes. Never rejects. */
  publishLater(changes: number): Promise<void>;
  /**
   * Publishes what is due until nothing is left or a limit is reached: edits first, then mass changes.
   * Rejects when the database can't be reached.
   */
  publishDue(limits: PublishLimits): Promise<PublishedDue>;
}

export type PublishLimits = {
  /** KV allows 1,000 operations per invocation (Cloudflare, KV limits). */
  readonly maxChanges: number;
  readonly maxDurationMs: number;
  /** Milliseconds, of any monotonic clock. */
  readonly nowMs: () => number;
  /** Waits for changes whose publisher may still be working. Absent: leaves them to the next call. */
  readonly wait?: (forMs: number) => Promise<unknown>;
};

export type PublishedDue = {
  readonly published: number;
  readonly failed: number;
};

export const LEASE_SECONDS = 15;

/** After this share of its lease, a round counts unfinished changes as failed. */
const ROUND_SHARE_OF_LEASE = 0.4;

/** Cloudflare opens six connections at once. Writes beyond that would start at a time that we don't see, maybe after the lease. */
const WRITES_AT_ONCE = 6;

/** Constant edits of one link must not keep another request publishing for ever. */
const MAX_ROUNDS = 3;

const CLAIM_SIZE = 50;
/** More at once are fewer statements. Takes 2 s of the lease where a write takes 80 ms. */
const MASS_CLAIM_SIZE = 150;

/**
 * A publisher writes at most 750 mass changes a second, evenly. Cloudflare's KV takes longer for a write; a simulated one
 * shares its thread with the visitors, who would wait behind a thousand writes a second.
 */
const MIN_MASS_WRITE_MS = 8;

/**
 * A publisher that is woken up does more than that if it can; with more messages Cloudflare sooner sees that it should
 * run more of them.
 */
const CHANGES_PER_WAKE_UP = 100;

export function createPublisher(deps: PublisherDeps): Publisher {
  return {
    newLease: () => ({ id: deps.newLeaseId(), seconds: deps.leaseSeconds }),
    async publish(changes, lease) {
      const held = changes.filter(({ isLeased }) => isLeased);
      // The feed compares versions itself, so it also gets what another publisher writes to KV.
      const others = changes.filter(({ isLeased }) => !isLeased);
      await Promise.all([publishRounds(held, lease, deps), announceOnly(others, deps)]);
    },
    publishLater: (changes) => wakeUp(changes, deps),
    publishDue: (limits) => publishDue(limits, deps),
  };
}

async function wakeUp(changes: number, { wakeUps, log }: PublisherDeps): Promise<void> {
  try {
    await wakeUps.send(Math.ceil(changes / CHANGES_PER_WAKE_UP));
  } catch (error) {
    // The job publishes them, if more slowly.
    log({ event: "publish.wake_up_failed", changes, reason: nameOfError(error) });
  }
}

async function publishDue(limits: PublishLimits, deps: PublisherDeps): Promise<PublishedDue> {
  const endsAtMs = limits.nowMs() + limits.maxDurationMs;
  const total = { published: 0, failed: 0 };
  while (limits.nowMs() < endsAtMs && total.published + total.failed < limits.maxChanges) {
    const lease = { id: deps.newLeaseId(), seconds: deps.leaseSeconds };
    const rest = limits.maxChanges - total.published - total.failed;
    const claimed = await claimNext(lease, rest, deps);
    if (claimed.length > 0) {
      const { done, failed } = await publishRounds(claimed, lease, deps);
      total.published += done.filter(({ isForKv, key }) => isForKv || isArrivalsKey(key)).length;
      total.failed += failed.length;
      if (done.length === 0 && failed.some(({ change }) => change.kind === "publish-import")) {
        // KV does not answer: the others would fail too.
        break;
      }
    } else if (!(await waitForNext(limits, endsAtMs, deps))) {
      break;
    }
  }
  return total;
}

/** Edits if any is due, else mass changes, as far as the day's writes allow. */
async function claimNext(
  lease: Lease,
  max: number,
  { database, budget }: PublisherDeps,
): Promise<readonly WaitingChange[]> {
  const edits = await claimDue(database, { kind: "publish", limit: Math.min(CLAIM_SIZE, max) }, lease);
  const limit = edits.length > 0 ? 0 : Math.min(MASS_CLAIM_SIZE, max, await budget.leftForMass());
  return limit > 0 ? claimDue(database, { kind: "publish-import", limit }, lease) : edits;
}

/** False if nothing is due soon enough. */
async function waitForNext(
  { wait, nowMs }: PublishLimits,
  endsAtMs: number,
  { database }: PublisherDeps,
): Promise<boolean> {
  const dueInMs = wait === undefined ? null : await findNextDueMs(database);
  if (wait === undefined || dueInMs === null || nowMs() + dueInMs > endsAtMs) {
    return false;
  }
  // The publisher may finish long before its lease ends.
  await wait(Math.min(Math.max(dueInMs, 100), 1_000));
  return true;
}

/** Publishes changes, and those committed at their addresses in the meantime. Never rejects. */
async function publishRounds(
  changes: readonly WaitingChange[],
  lease: Lease,
  deps: PublisherDeps,
): Promise<Published> {
  let pending = changes;
  const total: { done: WaitingChange[]; failed: FailedChange[] } = { done: [], failed: [] };
  try {
    for (let round = 1; pending.length > 0; round += 1) {
      const published = round > MAX_ROUNDS ? failAll(pending, "TooManyEdits") : await deliver(pending, deps);
      await enqueueOvertaken(deps.database, pending);
      pending = await settle(deps.database, published, lease);
      total.done.push(...published.done);
      total.failed.push(...published.failed);
    }
  } catch (error) {
    // The job takes the rows when the lease has expired.
    deps.log({ event: "outbox.settle_failed", changes: pending.length, reason: nameOfError(error) });
  }
  return total;
}

function failAll(changes: readonly WaitingChange[], error: string): Published {
  return { done: [], failed: changes.map((change) => ({ change, error })) };
}

async function announceOnly(changes: readonly OutboxChange[], deps: PublisherDeps): Promise<void> {
  if (changes.length > 0) {
    const deadline = startDeadline(deps);
    await tellFeed(changes, deps, deadline);
    deadline.clear();
  }
}

/** One round: KV and the feed at the same time, because the feed exists for when KV is slow. */
async function deliver(changes: readonly WaitingChange[], deps: PublisherDeps): Promise<Published> {
  const deadline = startDeadline(deps);
  try {
    const edits = changes.filter(({ kind }) => kind === "publish");
    const forKv = changes.filter(({ isForKv }) => isForKv);
    const [feedError, written] = await Promise.all([
      edits.length === 0 ? null : tellFeed(edits, deps, deadline),
      writeAll(forKv, { kv: deps.kv, deadline }),
      deps.budget.count(forKv.length),
    ]);
    logFailed(written.failed, deps);
    return feedError === null
      ? { ...written, done: [...changes.filter(({ isForKv }) => !isForKv), ...written.done] }
      : failAll(changes, feedError);
  } finally {
    deadline.clear();
  }
}

/** One line for each edit, and one for all mass changes. */
function logFailed(failed: readonly FailedChange[], { log }: PublisherDeps): void {
  const mass = failed.filter(({ change }) => change.kind === "publish-import");
  for (const { change, error } of failed.filter((one) => !mass.includes(one))) {
    const { linkId, version } = change;
    log({ event: "link.publish_failed", linkId, version, reason: error });
  }
  const [first] = mass;
  if (first !== undefined) {
    log({ event: "import.publish_failed", links: mass.length, reason: first.error });
  }
}

/** The name of the error; `null` if the feed has all of them. */
async function tellFeed(
  changes: readonly OutboxChange[],
  deps: PublisherDeps,
  deadline: Deadline,
): Promise<string | null> {
  try {
    await Promise.race([deps.feed.append(changes), deadline.passed]);
    return null;
  } catch (error) {
    const reason = nameOfError(error);
    deps.log({ event: "link.announce_failed", changes: changes.length, reason });
    return reason;
  }
}

async function writeAll(
  changes: readonly WaitingChange[],
  { kv, deadline }: { readonly kv: EdgeStore; readonly deadline: Deadline },
): Promise<Published> {
  const done: WaitingChange[] = [];
  const failed: FailedChange[] = [];
  const queue = changes.values();
  const write = async (change: WaitingChange): Promise<void> => {
    const isMass = change.kind === "publish-import";
    const rest = isMass ? new Promise((resolve) => setTimeout(resolve, MIN_MASS_WRITE_MS)) : null;
    await Promise.all([kv.write(change), rest]);
  };
  const work = async (): Promise<void> => {
    for (const change of queue) {
      try {
        // A write that starts after the lease could follow another publisher's.
        await Promise.race([deadline.hasPassed() ? deadline.passed : write(change), deadline.passed]);
        done.push(change);
      } catch (error) {
        failed.push({ change, error: nameOfError(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(WRITES_AT_ONCE, changes.length) }, work));
  return { done, failed };
}

type Deadline = {
  /** Rejects with a TimeoutError at the deadline. */
  readonly passed: Promise<never>;
  readonly hasPassed: () => boolean;
  readonly clear: () => void;
};

function startDeadline({ leaseSeconds }: PublisherDeps): Deadline {
  const { promise, reject } = Promise.withResolvers<never>();
  // There may be no handler when it rejects.
  promise.catch(() => undefined);
  let isOver = false;
  const timer = setTimeout(
    () => {
      isOver = true;
      reject(new DOMException("no answer in time", "TimeoutError"));
    },
    leaseSeconds * 1_000 * ROUND_SHARE_OF_LEASE,
  );
  return { passed: promise, hasPassed: () => isOver, clear: () => clearTimeout(timer) };
}

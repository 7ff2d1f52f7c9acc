/**
 * Publishes committed changes: to KV, and to every isolate through the change feed. Owns the order of the steps and what
 * happens when one fails. A failure never reaches the caller, because the link is committed and the outbox has the rest.
 */
import { isArrivalsKey } from "@hopline/core/feed/arrivals";
import { type Log, nameOfError } from "../log.ts";
import type { Database } from "../database.ts";
import type { ChangeSink, EdgeStore } from "./edge-ports.ts";
import {
  claimDue,
  type EnqueuedChange,
  findNextDueMs,
  type Lease,
  type FailedChange,
  type OutboxChange,
  type Published,
  settle,
  type WaitingChange,
} from "./outbox.ts";

export type PublisherDeps = {
  readonly database: Database;
  readonly kv: EdgeStore;
  readonly feed: ChangeSink;
  /** A new UUID. */
  readonly newLeaseId: () => string;
  /** After this long, another publisher may take over a publisher's rows. */
  readonly leaseSeconds: number;
  readonly log: Log;
};

export interface Publisher {
  /** A lease to enqueue a change with. */
  newLease(): Lease;
  /** Publishes what was enqueued with the lease. Never rejects: failures are logged and left to `republish`. */
  publish(changes: readonly EnqueuedChange[], lease: Lease): Promise<void>;
  /**
   * The scheduled job: publishes due rows until none is left or the time is up, and waits for rows whose publisher may still
   * be working. Rejects when the database can't be reached.
   */
  republish(limits: RepublishLimits): Promise<{ readonly published: number; readonly failed: number }>;
}

export type RepublishLimits = {
  /** KV allows 1,000 operations per invocation (Cloudflare, KV limits). */
  readonly maxChanges: number;
  readonly maxDurationMs: number;
  /** Milliseconds, of any monotonic clock. */
  readonly nowMs: () => number;
  readonly wait: (forMs: number) => Promise<unknown>;
};

export const LEASE_SECONDS = 15;

/** After this share of its lease, a round counts unfinished changes as failed. */
const ROUND_SHARE_OF_LEASE = 0.4;

/** KV and other bindings share a few open connections. */
const PARALLEL_WRITES = 6;

/** Constant edits of one link must not keep another request publishing for ever. */
const MAX_ROUNDS = 3;

const CLAIM_SIZE = 50;

export function createPublisher(deps: PublisherDeps): Publisher {
  return {
    newLease: () => ({ id: deps.newLeaseId(), seconds: deps.leaseSeconds }),
    async publish(changes, lease) {
      const held = changes.filter(({ isLeased }) => isLeased);
      // The feed compares versions itself, so it also gets what another publisher writes to KV.
      const others = changes.filter(({ isLeased }) => !isLeased);
      await Promise.all([publishRounds(held, lease, deps), announceOnly(others, deps)]);
    },
    republish: (limits) => republish(limits, deps),
  };
}

async function republish(limits: RepublishLimits, deps: PublisherDeps) {
  const endsAtMs = limits.nowMs() + limits.maxDurationMs;
  const total = { published: 0, failed: 0 };
  while (limits.nowMs() < endsAtMs && total.published + total.failed < limits.maxChanges) {
    const lease = { id: deps.newLeaseId(), seconds: deps.leaseSeconds };
    const claimed = await claimDue(deps.database, CLAIM_SIZE, lease);
    if (claimed.length === 0) {
      const dueInMs = await findNextDueMs(deps.database);
      if (dueInMs === null || limits.nowMs() + dueInMs > endsAtMs) {
        break;
      }
      // The publisher may finish long before its lease ends.
      await limits.wait(Math.min(Math.max(dueInMs, 100), 1_000));
    } else {
      const { done, failed } = await publishRounds(claimed, lease, deps);
      total.published += done.length;
      total.failed += failed.length;
    }
  }
  return total;
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
    const [feedError, written] = await Promise.all([
      tellFeed(changes, deps, deadline),
      writeAll(changes, deps, deadline),
    ]);
    return feedError === null ? written : failAll(changes, feedError);
  } finally {
    deadline.clear();
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
  deps: PublisherDeps,
  deadline: Deadline,
): Promise<Published> {
  const done: WaitingChange[] = changes.filter(({ key }) => isArrivalsKey(key));
  const failed: FailedChange[] = [];
  const queue = changes.filter((change) => !done.includes(change)).values();
  const work = async (): Promise<void> => {
    for (const change of queue) {
      try {
        // A write that starts after the lease could follow another publisher's.
        await Promise.race([deadline.hasPassed() ? deadline.passed : deps.kv.write(change), deadline.passed]);
        done.push(change);
      } catch (error) {
        const { linkId, version } = change;
        failed.push({ change, error: nameOfError(error) });
        deps.log({ event: "link.publish_failed", linkId, version, reason: nameOfError(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL_WRITES, changes.length) }, work));
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

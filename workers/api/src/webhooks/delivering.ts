/** What a run sends: each second it claims endpoints that have something due, as many as it has connections and requests for. */
import { kindOfError, runWork, type WorkHandler } from "@hopline/db/work/run-work";
import type { WorkItem } from "@hopline/db/work/work-item";
import { toRunTransaction } from "../database.ts";
import { requestsLeft } from "../invocation-budget.ts";
import { createClickTexts } from "./click-texts.ts";
import { deliver, type DeliverDeps } from "./deliver.ts";
import { enqueueDueEndpoints, findClicks } from "./delivery-store.ts";
import { createConnectionPool } from "./connection-pool.ts";

export type DeliveringLimits = {
  /** How long the run looks for more clicks, and for more to send; 0: once, and no run beside it is asked for. */
  readonly loopMs: number;
  /** Messages that it sends. */
  readonly maxMessages: number;
};

export const ROUND_MS = 1_000;
/** What is due later is found by the clock. */
export const SOON_SECONDS = 60;
/** Of a budget: five endpoints at work send one more each and settle it, and the run ends. */
const ENDS_WITH_REQUESTS = 20;
/** Of a Worker's six connections that wait for an answer at the same time; one is for the work table. */
const CONNECTIONS = 5;
/** Endpoints of a run that have a connection or wait for one: more than a workspace may have, so that none fills the line. */
const ENDPOINTS_AT_ONCE = 60;
/** A turn starts nothing after 15 s, an answer may take 10, and three statements follow. */
const TIME_LIMIT_MS = 45_000;

export type DeliveringDeps = Omit<DeliverDeps, "connections" | "group" | "readClicks" | "mayStart"> & {
  readonly newLeaseId: () => string;
  readonly limits: DeliveringLimits;
  /** It can't do all that is due; called once. */
  readonly onFull: () => Promise<void>;
};

/** Rounds overlap: an endpoint that hangs holds no later round back. */
export function createDelivering(deps: DeliveringDeps) {
  const { database, nowMs, newLeaseId, log, limits } = deps;
  const { maxMessages, loopMs } = limits;
  const connections = createConnectionPool(CONNECTIONS);
  const running = new Set<Promise<void>>();
  let messages = 0;
  /** Endpoints that have a connection or wait for one. */
  let endpoints = 0;
  /** Those that wait. */
  let outside = 0;
  let hasRoom = true;
  let isClaiming = true;
  const isSpent = (): boolean => messages >= maxMessages || requestsLeft() < ENDS_WITH_REQUESTS;
  const leaveToOthers = async (): Promise<void> => {
    if (hasRoom && loopMs > 0) {
      hasRoom = false;
      isClaiming = false;
      await deps.onFull();
    }
  };
  const deliverDeps = {
    ...deps,
    connections,
    readClicks: createClickTexts((workspaceId, wanted) => findClicks(database, workspaceId, wanted)),
    fetch: (url: string, init: RequestInit) => {
      messages += 1;
      return deps.fetch(url, init);
    },
    mayStart: () => !isSpent(),
  };
  const createHandler = (): WorkHandler => {
    let ofThisRound = 0;
    return {
      async run(item) {
        ofThisRound += 1;
        endpoints += 1;
        outside += 1;
        const group = groupOf(item);
        const deliverItem = async () => {
          outside -= 1;
          return { again: await deliver(item, { ...deliverDeps, group }) };
        };
        const done = await connections.enter(group, deliverItem, ROUND_MS).finally(() => {
          ofThisRound -= 1;
          endpoints -= 1;
        });
        if (done !== null) {
          return done.again;
        }
        outside -= 1;
        await leaveToOthers();
        return { againInSeconds: 0 };
      },
      timeLimitMs: TIME_LIMIT_MS,
      get atOnce() {
        const isOver = !isClaiming || isSpent();
        return ofThisRound + (isOver ? 0 : Math.max(0, ENDPOINTS_AT_ONCE - endpoints));
      },
      maxDelaySeconds: SOON_SECONDS,
    };
  };
  return {
    /** Resolves when it has started, to whether an endpoint waits that no run works on yet. */
    async start(forMs: number): Promise<boolean> {
      if (isSpent()) {
        return false;
      }
      const { waiting, late } = await enqueueDueEndpoints(database, ROUND_MS);
      const room = ENDPOINTS_AT_ONCE - endpoints;
      const run = runWork(forMs, {
        handlers: { webhook: createHandler() },
        runTransaction: toRunTransaction(database),
        newLeaseId,
        nowMs,
        onFailure: ({ kind, attempts }, error) =>
          log({ event: "work.failed", kind, attempts, reason: kindOfError(error) }),
      }).then(
        () => undefined,
        (error: unknown) => log({ event: "job.failed", job: "webhooks", reason: kindOfError(error) }),
      );
      running.add(run);
      void run.then(() => running.delete(run));
      if (late > room) {
        await leaveToOthers();
      }
      return waiting + outside > 0;
    },
    /** There is more than it may send, or has connections for. */
    isFull: (): boolean => !hasRoom || isSpent(),
    claimNoMore(): void {
      isClaiming = false;
    },
    async end(): Promise<void> {
      await Promise.all(running);
    },
  };
}

/** Endpoints that share connections: a workspace's, and those that have just failed, which are likely to hang again. */
function groupOf({ payload }: WorkItem): string {
  return Number(payload["failures"] ?? 0) > 0 ? "failing" : String(payload["workspace"]);
}

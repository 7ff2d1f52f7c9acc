/** Clicks that were deleted together with their link, domain or workspace, as items of the work table. The API enqueues them. */
import { linkSubtraction } from "@hopline/analytics/cube/subtract-link";
import { endRemoval, removeClicks, type RemovedClicks } from "@hopline/db/ledger/remove-clicks";
import type { RunTransaction } from "@hopline/db/neon-client";
import type { WorkHandler } from "@hopline/db/work/run-work";
import type { Payload } from "@hopline/db/work/work-item";

export type RemoveClicksDeps = {
  readonly runTransaction: RunTransaction;
  /** Deletes them from ClickHouse. Rejects if it does. `null`: there is no ClickHouse. */
  readonly deleteClicks: ((removed: RemovedClicks) => Promise<void>) | null;
  /** Whether there are requests left for another day of clicks. */
  readonly mayGoOn: () => boolean;
  /** A new UUID. */
  readonly newLeaseId: () => string;
  /** Milliseconds, of any monotonic clock. */
  readonly nowMs: () => number;
};

/** An item with many clicks is continued, so that others get their turn. */
const REMOVE_FOR_MS = 20_000;
/** Of one transaction. A slice takes a second at most; TimescaleDB may have to decompress a day of clicks for it. */
const TIMEOUT_MS = 60_000;
const TIME_LIMIT_MS = 240_000;
const CHECK_AGAIN_AFTER_SECONDS = 10;
const MAX_DELAY_SECONDS = 600;
/** A batch that had found the link is in ClickHouse by then: its statements take 15 seconds each at most. */
const DELETE_AGAIN_AFTER_SECONDS = 300;

export function removeClicksHandler(deps: RemoveClicksDeps): WorkHandler {
  return {
    timeLimitMs: TIME_LIMIT_MS,
    atOnce: 1,
    maxDelaySeconds: MAX_DELAY_SECONDS,
    async run({ payload }) {
      const removed = toRemoved(payload);
      const fromDay = payload["fromDay"];
      const removal = await removeClicks(deps.runTransaction, removed, {
        leaseId: deps.newLeaseId(),
        subtractLink: linkSubtraction(deps.runTransaction, TIMEOUT_MS),
        timeoutMs: TIMEOUT_MS,
        endsAtMs: deps.nowMs() + REMOVE_FOR_MS,
        nowMs: deps.nowMs,
        mayGoOn: deps.mayGoOn,
        fromDay: typeof fromDay === "string" ? fromDay : null,
      });
      if (removal.outcome === "done") {
        return undefined;
      }
      if (removal.outcome === "kept out") {
        if (deps.deleteClicks === null) {
          throw new Error("CLICKHOUSE_URL is missing: clicks can't be deleted there");
        }
        await deps.deleteClicks(removed);
        if (payload["isDeleted"] !== true) {
          return { againInSeconds: DELETE_AGAIN_AFTER_SECONDS, change: { isDeleted: true } };
        }
        await deps.runTransaction([endRemoval(removed)], TIMEOUT_MS);
        return undefined;
      }
      const againInSeconds = removal.outcome === "waiting" ? CHECK_AGAIN_AFTER_SECONDS : 0;
      return { againInSeconds, change: { fromDay: removal.fromDay } };
    },
  };
}

function toRemoved({ workspaceId, linkId, domainId }: Payload): RemovedClicks {
  return {
    workspaceId: String(workspaceId),
    ...(typeof linkId === "string" ? { linkId } : {}),
    ...(typeof domainId === "string" ? { domainId } : {}),
  };
}

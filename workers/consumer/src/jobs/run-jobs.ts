/**
 * The scheduled jobs, as leased work: the holder of the lease does it. So a job never runs twice at once, and one that fails or hangs
 * holds no other back. While the clock says that nothing is due, a run makes no statement.
 */
import { dayHandler, tagsHandler } from "@hopline/analytics/cube/day-work";
import { ClickHouseFailure } from "@hopline/clickhouse/clickhouse-client";
import { toDatabaseFailure } from "@hopline/db/database-failure";
import { compactHandler } from "@hopline/db/ledger/compact-ledger";
import { linkTotalsHandler } from "@hopline/db/ledger/count-link-totals";
import type { WorkClock } from "@hopline/db/work/ask-clock";
import { enqueueMissingWork } from "@hopline/db/work/enqueue-work";
import { findNextOfKinds, kindsDue, nextInMs, type NextOfKind } from "@hopline/db/work/find-next";
import { ENOUGH_FOR_AN_ITEM, type RequestBudget } from "@hopline/db/work/request-budget";
import { runWork, runWorkOneByOne, type WorkHandler } from "@hopline/db/work/run-work";
import type { WorkItem } from "@hopline/db/work/work-item";
import type { WorkKind } from "@hopline/db/work/work-kinds";
import { runWorkTransaction } from "@hopline/db/work/work-transaction";
import { applyRetention, type RetentionDeps } from "./apply-retention.ts";
import { drainSpill, type DrainDeps, type DrainElsewhere } from "./drain-spill.ts";
import { removeClicksHandler, type RemoveClicksDeps } from "./remove-clicks.ts";

/**
 * What a sweep looks for: clicks that were spilled, segments that came while the last compaction ended, and what is past its retention.
 * Days come with their clicks.
 */
const SPILL = { kind: "spill", key: "all" } as const;
const LEDGER = { kind: "ledger", key: "all" } as const;
const RETENTION = { kind: "retention", key: "all" } as const;
const RETENTION_EVERY_SECONDS = 3_600;
/** What is left belongs to the next minute's run. */
const SPILL_AGAIN_SECONDS = 30;

/** After this nothing is started; what runs is waited for. */
const MAX_START_MS = 45_000;
/** A failed job is not tried more often than the clock starts it. */
const MAX_DELAY_SECONDS = 300;

export type JobDeps = DrainDeps &
  RetentionDeps &
  Omit<RemoveClicksDeps, "mayGoOn"> & {
    readonly clock: Pick<WorkClock, "planRun" | "settle">;
    readonly budget: Pick<RequestBudget, "left">;
    /** An invocation may make few requests: work is done item by item. */
    readonly isFrugal: boolean;
    readonly drainShare: DrainElsewhere;
  };

/** Never rejects: without the database all jobs wait for the next run. */
export async function runJobs(retentionDays: number | null, deps: JobDeps): Promise<void> {
  const mode = await deps.clock.planRun();
  if (mode !== "rest") {
    await lookForWork(mode === "sweep", retentionDays, deps).catch((error: unknown) =>
      logFailure("work", error, deps),
    );
  }
}

async function lookForWork(isSweep: boolean, retentionDays: number | null, deps: JobDeps): Promise<void> {
  const { clock, runTransaction } = deps;
  const handlers = toHandlers(retentionDays, deps);
  const kinds = Object.keys(handlers);
  // Always there. It is done where runs look anyway.
  const find = findNextOfKinds(kinds, [RETENTION]);
  const looked = await runWorkTransaction(runTransaction, [
    ...(isSweep ? [enqueueMissingWork([SPILL, LEDGER, RETENTION])] : []),
    find,
  ]);
  let found = (looked.at(-1) ?? []) as readonly NextOfKind[];
  const due = kindsDue(found);
  if (due.size > 0) {
    const workDeps = {
      // Items may enqueue others, which are done at once where there are requests for them.
      handlers: deps.isFrugal
        ? Object.fromEntries(Object.entries(handlers).filter(([kind]) => due.has(kind)))
        : handlers,
      runTransaction,
      newLeaseId: deps.newLeaseId,
      nowMs: deps.nowMs,
      mayStart: () => deps.budget.left() >= ENOUGH_FOR_AN_ITEM,
      onFailure: ({ kind }: WorkItem, error: unknown) => logFailure(kind, error, deps),
    };
    await (deps.isFrugal ? runWorkOneByOne : runWork)(MAX_START_MS, workDeps);
    const [rows = []] = await runWorkTransaction(runTransaction, [find]);
    found = rows as readonly NextOfKind[];
  }
  await clock.settle({ nextInMs: nextInMs(found), hasSwept: isSweep });
}

function logFailure(job: string, error: unknown, { log }: JobDeps): void {
  const { reason, sqlState } = toDatabaseFailure(error);
  // ClickHouse's errors have names of their own.
  const name = error instanceof ClickHouseFailure ? error.name : reason;
  log({ event: "job.failed", job, reason: name, sqlState });
}

function toHandlers(
  retentionDays: number | null,
  deps: JobDeps,
): { readonly [kind in WorkKind]?: WorkHandler } {
  const one = { atOnce: 1, maxDelaySeconds: MAX_DELAY_SECONDS };
  const mayGoOn = () => deps.budget.left() >= ENOUGH_FOR_AN_ITEM / 2;
  return {
    spill: {
      ...one,
      run: async () =>
        (await drainSpill(deps.drainShare, deps)) ? { againInSeconds: SPILL_AGAIN_SECONDS } : undefined,
      timeLimitMs: 50_000,
    },
    summary: dayHandler(deps),
    tags: tagsHandler(deps.runTransaction),
    ledger: compactHandler({ ...deps, mayGoOn }),
    "link-totals": linkTotalsHandler(deps.runTransaction),
    "remove-clicks": removeClicksHandler({ ...deps, mayGoOn }),
    // Cloudflare ends a scheduled run after 15 minutes.
    retention: {
      ...one,
      async run() {
        await applyRetention(retentionDays, deps);
        return { againInSeconds: RETENTION_EVERY_SECONDS };
      },
      timeLimitMs: 600_000,
    },
  };
}

/**
 * The scheduled jobs, as leased work: the clock enqueues what is due, and whoever has the lease does it. So a job never
 * runs twice at once, and one that fails or hangs holds no other back.
 */
import { dayHandler, tagsHandler } from "@hopline/analytics/cube/day-work";
import { copyHandler, EVERY_DAY } from "@hopline/clickhouse/copy/copy-work";
import type { CopyDeps } from "@hopline/clickhouse/copy/copy-day";
import { markMadeDay } from "@hopline/clickhouse/copy/mark-days";
import { toDatabaseFailure } from "@hopline/db/database-failure";
import { compactHandler } from "@hopline/db/ledger/compact-ledger";
import { linkTotalsHandler } from "@hopline/db/ledger/count-link-totals";
import { enqueueMissingWork } from "@hopline/db/work/enqueue-work";
import { runWork, type WorkHandler } from "@hopline/db/work/run-work";
import type { WorkKind } from "@hopline/db/work/work-kinds";
import { runWorkTransaction } from "@hopline/db/work/work-transaction";
import { applyRetention, type RetentionDeps } from "./apply-retention.ts";
import { drainSpill, type DrainDeps, type DrainElsewhere } from "./drain-spill.ts";
import { removeClicksHandler, type RemoveClicksDeps } from "./remove-clicks.ts";

/** Of each hour: then the run of the minute enqueues what is due every hour. */
export const RETENTION_MINUTE = 23;

/** Days to pre-aggregate and the ledger are enqueued with clicks, and clicks to remove by the API. */
const EVERY_MINUTE = [{ kind: "spill", key: "all" }] as const;
const WITH_CLICKHOUSE = [...EVERY_MINUTE, EVERY_DAY] as const;
const EVERY_HOUR = [{ kind: "retention", key: "all" }] as const;

/** After this nothing is started; what runs is waited for. */
const MAX_START_MS = 45_000;
/** A failed job is not tried more often than the clock starts it. */
const MAX_DELAY_SECONDS = 300;

export type JobDeps = DrainDeps &
  RetentionDeps &
  RemoveClicksDeps & {
    readonly drainShare: DrainElsewhere;
    /** `null`: there is no ClickHouse. */
    readonly copy: CopyDeps | null;
  };

/**
 * Never rejects: without the database all jobs wait for the next run.
 * @param scheduledAtMs the minute that this run is for, epoch milliseconds
 */
export async function runJobs(
  scheduledAtMs: number,
  retentionDays: number | null,
  deps: JobDeps,
): Promise<void> {
  const fail = (job: string, error: unknown): void => {
    const { reason, sqlState } = toDatabaseFailure(error);
    // ClickHouse's errors have names of their own.
    const name = job === "clickhouse" && sqlState === null && error instanceof Error ? error.name : reason;
    deps.log({ event: "job.failed", job, reason: name, sqlState });
  };
  try {
    const everyMinute = deps.copy === null ? EVERY_MINUTE : WITH_CLICKHOUSE;
    const everyHour = new Date(scheduledAtMs).getUTCMinutes() === RETENTION_MINUTE ? EVERY_HOUR : [];
    await runWorkTransaction(deps.runTransaction, [enqueueMissingWork([...everyMinute, ...everyHour])]);
    await runWork(MAX_START_MS, {
      handlers: toHandlers(retentionDays, deps),
      runTransaction: deps.runTransaction,
      newLeaseId: deps.newLeaseId,
      nowMs: deps.nowMs,
      onFailure: ({ kind }, error) => fail(kind, error),
    });
  } catch (error) {
    fail("work", error);
  }
}

function toHandlers(
  retentionDays: number | null,
  deps: JobDeps,
): { readonly [kind in WorkKind]?: WorkHandler } {
  const one = { atOnce: 1, maxDelaySeconds: MAX_DELAY_SECONDS };
  const { copy, log } = deps;
  return {
    spill: { ...one, run: () => drainSpill(deps.drainShare, deps), timeLimitMs: 50_000 },
    // Copied once it is pre-aggregated: until then retention leaves it alone.
    summary: dayHandler(deps.runTransaction, async (day) => {
      await copy?.runSql(markMadeDay(day), copy.timeoutMs);
    }),
    tags: tagsHandler(deps.runTransaction),
    ledger: compactHandler(deps.runTransaction, deps.nowMs),
    "link-totals": linkTotalsHandler(deps.runTransaction),
    "remove-clicks": removeClicksHandler(deps),
    ...(copy === null
      ? {}
      : { clickhouse: copyHandler(copy, (report) => log({ event: "clickhouse.copied", ...report })) }),
    // Cloudflare ends a scheduled run after 15 minutes.
    retention: { ...one, run: () => applyRetention(retentionDays, deps), timeLimitMs: 600_000 },
  };
}

/** The scheduled jobs. A job that fails is logged and runs again at its next time; the others are not affected. */
import { toDatabaseFailure } from "@hopline/db/database-failure";
import { applyRetention, type RetentionDeps } from "./apply-retention.ts";
import { drainSpill, type DrainDeps } from "./drain-spill.ts";

/** The hourly one of the crons in wrangler.jsonc; the other runs every minute. */
export const RETENTION_CRON = "23 * * * *";

export type WorkJobDeps = {
  /** Does what is due in the work table. Rejects if the database does. */
  readonly doWork: () => Promise<void>;
};

export async function runJobs(
  cron: string,
  retentionDays: number | null,
  deps: DrainDeps & RetentionDeps & WorkJobDeps,
): Promise<void> {
  if (cron === RETENTION_CRON) {
    await runJob("retention", () => applyRetention(retentionDays, deps), deps);
  } else {
    await runJob("spill", () => drainSpill(deps), deps);
    await runJob("work", deps.doWork, deps);
  }
}

async function runJob(job: string, run: () => Promise<void>, deps: DrainDeps): Promise<void> {
  try {
    await run();
  } catch (error) {
    const { reason, sqlState } = toDatabaseFailure(error);
    deps.log({ event: "job.failed", job, reason, sqlState });
  }
}

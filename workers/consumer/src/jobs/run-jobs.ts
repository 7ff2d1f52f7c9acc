/** The scheduled jobs. A job that fails is logged and runs again at its next time; the others are not affected. */
import { toDatabaseFailure } from "@hopline/db/database-failure";
import { applyRetention, type RetentionDeps } from "./apply-retention.ts";
import { drainSpill, type DrainDeps } from "./drain-spill.ts";
import { summariseClicks, type SummariseDeps } from "./summarise-clicks.ts";

/** The hourly one of the crons in wrangler.jsonc; the other runs every minute. */
export const RETENTION_CRON = "23 * * * *";

export async function runJobs(
  cron: string,
  retentionDays: number | null,
  deps: DrainDeps & RetentionDeps & SummariseDeps,
): Promise<void> {
  if (cron === RETENTION_CRON) {
    await runJob("retention", () => applyRetention(retentionDays, deps), deps);
    await runJob("summaries", () => summariseClicks("all", deps), deps);
  } else {
    await runJob("spill", () => drainSpill(deps), deps);
    await runJob("summaries", () => summariseClicks("recent", deps), deps);
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

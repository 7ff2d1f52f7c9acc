/**
 * The scheduled run: asks the clock whether there is anything to do, then the database what, does that, and says when to look
 * again. While nothing happens it makes no statement.
 */
import type { WorkClock } from "@hopline/db/work/ask-clock";
import type { Database } from "../database.ts";
import type { ApiJob } from "../log.ts";
import {
  enqueueMissing,
  listWorkKinds,
  RESTING_WORK,
  runDueWork,
  runFewDue,
  type WorkDeps,
} from "../run-due-work.ts";
import { announceExpired, sweepDeliveries } from "../webhooks/sweep-deliveries.ts";
import { findDueJobs, type FindDeps } from "./find-due.ts";

export type JobsDeps = {
  readonly clock: WorkClock;
  readonly database: Database;
  readonly work: WorkDeps;
  readonly budget: FindDeps["budget"];
  /** Publishes what is due. Rejects when the database can't be reached. */
  readonly publish: () => Promise<void>;
  /** Cuts clicks and sends deliveries. Rejects when the database can't be reached. */
  readonly runWebhooks: () => Promise<void>;
  readonly maxDurationMs: number;
  /** An invocation may make few requests: work is done item by item, and the other two only start invocations of their own. */
  readonly isFrugal: boolean;
  readonly onFailure: (job: ApiJob, error: unknown) => void;
};

/** Never rejects: what fails is looked for again in a minute. */
export async function runJobs(deps: JobsDeps): Promise<void> {
  const mode = await deps.clock.planRun();
  if (mode !== "rest") {
    await lookForWork(mode === "sweep", deps).catch((error: unknown) => deps.onFailure("work", error));
  }
}

async function lookForWork(isSweep: boolean, deps: JobsDeps): Promise<void> {
  const { clock, database, work } = deps;
  const kinds = listWorkKinds(work);
  const look = () => findDueJobs(kinds, { ...deps, resting: RESTING_WORK, nowMs: work.nowMs });
  const due = await look();
  const isWorkDue = due.hasUsedUp || kinds.some((kind) => due.kinds.has(kind));
  const isAnythingDue = isSweep || isWorkDue || due.isPublishDue || due.isWebhookDue;
  let hasSwept = isSweep;
  const run = async (job: ApiJob, isDue: boolean, start: () => Promise<void>): Promise<void> => {
    if (isDue) {
      await start().catch((error: unknown) => {
        hasSwept = false;
        deps.onFailure(job, error);
      });
    }
  };
  const doWork = async (): Promise<void> => {
    if (isSweep || due.hasUsedUp) {
      await enqueueMissing(due.hasUsedUp, work);
    }
    const missing = [
      ...(due.hasUsedUp ? ["end-used-up"] : []),
      ...(isSweep ? RESTING_WORK.map(({ kind }) => kind) : []),
    ];
    await (deps.isFrugal
      ? runFewDue(new Set([...due.kinds, ...missing]), deps.maxDurationMs, work)
      : runDueWork(deps.maxDurationMs, work));
  };
  // None waits for another, and one that fails does not end the others.
  await Promise.all([
    run("publish", isSweep || due.isPublishDue, deps.publish),
    run("webhooks", isSweep || due.isWebhookDue, async () => {
      await announceExpired(database);
      if (isSweep && !(await sweepDeliveries(database))) {
        hasSwept = false;
      }
      await deps.runWebhooks();
    }),
    run("work", isSweep || isWorkDue, doWork),
  ]);
  const after = isAnythingDue ? await look() : due;
  await clock.settle({ nextInMs: after.nextInMs, hasSwept });
}

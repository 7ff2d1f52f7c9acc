/**
 * The verdict on a run that k6 made from elsewhere against a deployment: waits until its clicks are settled, reconciles, and gives
 * the same result as a run on this machine. All clicks of these quarters of an hour have to be the run's.
 */
import { readFile } from "node:fs/promises";

import { readCircumstances } from "@hopline/bench/circumstances";
import { readSecrets } from "@hopline/ops/deploy/secrets";
import { errorCode, Failure } from "@hopline/testkit/console/failure";
import type { Progress } from "@hopline/testkit/console/progress";
import { explainConnection, toClientConfig } from "@hopline/testkit/postgres/database-url";
import pg from "pg";

import { decodeSummary, type K6Summary, statisticOf } from "./k6-summary.ts";
import { toLoadResult, toUnseenResult, type UnseenResult } from "./load-result.ts";
import { mainSecondsOf } from "./measure-run.ts";
import type { RunPlan } from "./run-plan.ts";
import { type Period, settleClicks } from "./settle-clicks.ts";
import { countNumbered, judgeRun } from "./verdict.ts";

export type DeployedRun = {
  readonly environment: string;
  readonly period: Period & { readonly sinceMs: number };
  /** The file of k6's `--summary-export`; `null`: it was left elsewhere, and what only k6 has seen is not judged. */
  readonly summaryPath: string | null;
  readonly plan: RunPlan;
};

/** Resolves whether or not the run held. Rejects with a `Failure` without a database, or if the summary can't be read. */
export async function judgeDeployment(
  { environment, period, summaryPath, plan }: DeployedRun,
  { progress, signal }: { readonly progress: Progress; readonly signal: AbortSignal },
): Promise<UnseenResult> {
  const summary = summaryPath === null ? null : await readSummary(summaryPath);
  const databaseUrl = (await readSecrets(environment, ["DATABASE_URL"])).get("DATABASE_URL");
  if (databaseUrl === undefined) {
    throw new Failure(`DATABASE_URL is not set: set it to the database of ${environment}.`);
  }
  const { date: _date, ...circumstances } = readCircumstances("load");
  const database = new pg.Pool({ ...toClientConfig(databaseUrl), max: 1 });
  database.on("error", () => undefined);
  try {
    await database.query("SELECT 1").catch((error: unknown) => {
      throw explainConnection(databaseUrl, error);
    });
    const seen = summary === null ? null : statisticOf(summary, "redirects", "count");
    const stored = await progress.step("Clicks settled", () =>
      settleClicks({ runtime: null, database, before: null, period, expected: seen, signal }),
    );
    const redirects = seen ?? countNumbered(stored);
    const parts = {
      ...circumstances,
      startedAt: new Date(period.sinceMs).toISOString(),
      environment,
      plan,
      verdict: judgeRun(summary, { redirects, stored, database: null, tail: null }),
      imported: null,
      statements: null,
      stored,
      cpuOfOthers: null,
    };
    return summary === null
      ? toUnseenResult({ ...parts, redirects })
      : toLoadResult({ ...parts, mainSeconds: mainSecondsOf(plan), summary });
  } finally {
    await database.end();
  }
}

async function readSummary(path: string): Promise<K6Summary> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (errorCode(error) !== "ENOENT") {
      throw error;
    }
    throw new Failure(`${path} does not exist: k6 writes it with --summary-export=${path}.`);
  });
  try {
    return decodeSummary(text);
  } catch {
    throw new Failure(`${path} is not what k6 writes with --summary-export.`);
  }
}

/** The steps of `pnpm load`, in order, and the clean-up, in reverse, whatever happens. */
import { writeFile } from "node:fs/promises";

import { readCircumstances } from "@hopline/bench/circumstances";
import type { Progress } from "@hopline/testkit/console/progress";
import type { LocalLog } from "@hopline/testkit/runtime/worker-runtime";

import { formatNumber } from "./format-number.ts";
import { importLinks } from "./import-links.ts";
import { type StackOptions, startConstantWorker, startLoadStack } from "./load-stack.ts";
import { measureRun, type RunContext, type RunTarget } from "./measure-run.ts";
import { findK6 } from "./run-k6.ts";
import type { RunPlan, TargetName } from "./run-plan.ts";
import { searchRates } from "./run-search.ts";
import { describeSearch } from "./search-result.ts";
import { describeResult } from "./summary-text.ts";
import { withEndings } from "./with-endings.ts";

export type LoadPlan = RunPlan & {
  /** Find the highest rate that holds, of Hopline and of the constant Worker; `rate` is where the search begins. */
  readonly isSearch: boolean;
  /** Where the machine-readable result goes, and k6's report; `null`: nowhere. */
  readonly jsonPath: string | null;
  readonly htmlPath: string | null;
};

type Surroundings = Pick<RunContext, "progress" | "signal">;

/** Resolves to whether the run held. Rejects with a `Failure` when it could not be made. */
export function runLoad(plan: LoadPlan, { progress, signal }: Surroundings): Promise<boolean> {
  return withEndings({ progress, signal }, async (endings) => {
    const stackOptions: StackOptions = { progress, signal, endings, onLog: createLogFilter(progress) };
    const start = (name: TargetName) => startTarget(name, plan, stackOptions);
    const context: RunContext = {
      circumstances: readCircumstances("load"),
      k6: await findK6(),
      htmlPath: plan.htmlPath,
      progress,
      signal,
    };
    if (plan.isSearch) {
      const targets = { hopline: await start("hopline"), constant: await start("constant") };
      const result = await searchRates(context, plan, targets);
      await reportRun(plan, progress, { result, lines: describeSearch(result) });
      return result.ratio !== null;
    }
    const result = await measureRun(context, await start(plan.target), plan);
    await reportRun(plan, progress, { result, lines: describeResult(result) });
    return result.verdict.isOk;
  });
}

async function startTarget(name: TargetName, plan: RunPlan, options: StackOptions): Promise<RunTarget> {
  if (name === "constant") {
    return { baseUrl: await startConstantWorker(options), stack: null, imported: null };
  }
  const { progress, signal } = options;
  const stack = await startLoadStack(options, plan);
  signal.throwIfAborted();
  const { linkCount, isCold } = plan;
  if (isCold) {
    return { baseUrl: stack.baseUrl, stack, imported: null };
  }
  const imported = await progress.step(`${formatNumber(linkCount)} links through the API`, () =>
    importLinks({ ...stack, linkCount, signal }),
  );
  return { baseUrl: stack.baseUrl, stack, imported };
}

export async function reportRun(
  { jsonPath, htmlPath }: Pick<LoadPlan, "jsonPath" | "htmlPath">,
  progress: Progress,
  { result, lines }: { readonly result: object; readonly lines: readonly string[] },
): Promise<void> {
  lines.forEach((line) => progress.line(line));
  if (jsonPath !== null) {
    await writeFile(jsonPath, `${JSON.stringify(result, null, 2)}\n`);
    progress.line(`  Result: ${jsonPath}`);
  }
  if (htmlPath !== null) {
    progress.line(`  Report: ${htmlPath}`);
  }
}

/** A line for each batch would be thousands; of what went wrong, the first few lines are printed. */
function createLogFilter(progress: Progress) {
  const MAX_LINES = 20;
  let lines = 0;
  return ({ message }: LocalLog): void => {
    if (/"event":"(batch\.inserted|spill\.drained)"/.test(message) || lines >= MAX_LINES) {
      return;
    }
    lines += 1;
    progress.line(`    ${message.slice(0, 300)}`);
  };
}

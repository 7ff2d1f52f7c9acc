/** The steps of `pnpm load`, in order, and the way back, in reverse, whatever happens. */
import { writeFile } from "node:fs/promises";

import { describeError } from "@hopline/testkit/console/failure";
import type { Progress } from "@hopline/testkit/console/progress";

import { formatNumber } from "./axis.ts";
import { findK6 } from "./find-k6.ts";
import { importLinks } from "./import-links.ts";
import type { LoadPlan, TargetName } from "./load-plan.ts";
import { type Ending, type StackOptions, startConstantWorker, startLoadStack } from "./load-stack.ts";
import { describeMachine } from "./machine.ts";
import { measureRun, type RunContext, type RunTarget } from "./measure-run.ts";
import { renderReport } from "./report-page.ts";
import { searchRates } from "./run-search.ts";
import { describeSearch } from "./search-result.ts";
import { describeResult } from "./summary-text.ts";

export type LoadOptions = {
  readonly plan: LoadPlan;
  readonly command: string;
  readonly progress: Progress;
  /** Aborted by Ctrl-C, SIGTERM or the end of the terminal. */
  readonly signal: AbortSignal;
};

/** Resolves to whether the run held. Rejects with a `Failure` when it could not be made. */
export async function runLoad(options: LoadOptions): Promise<boolean> {
  const { plan, progress, signal } = options;
  const endings: Ending[] = [];
  try {
    return await (plan.isSearch ? search(options, endings) : runOnce(options, endings));
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
    progress.line("Stopped before its end: no verdict.");
    return false;
  } finally {
    for (const end of endings.toReversed()) {
      await end().catch((error: unknown) => progress.line(`  ${describeError(error)}`));
    }
  }
}

async function runOnce(options: LoadOptions, endings: Ending[]): Promise<boolean> {
  const { plan, progress } = options;
  const context = await readContext(options);
  const target = await startTarget(plan.target, options, endings);
  const { result, series } = await measureRun(context, target, plan);
  describeResult(result).forEach((line) => progress.line(line));
  await write(plan.jsonPath, "Result", progress, () => `${JSON.stringify(result, null, 2)}\n`);
  await write(plan.htmlPath, "Report", progress, () => renderReport(result, series));
  return result.verdict.isOk;
}

async function search(options: LoadOptions, endings: Ending[]): Promise<boolean> {
  const { plan, progress } = options;
  const context = await readContext(options);
  const result = await searchRates(context, plan, {
    hopline: await startTarget("hopline", options, endings),
    constant: await startTarget("constant", options, endings),
  });
  describeSearch(result).forEach((line) => progress.line(line));
  await write(plan.jsonPath, "Result", progress, () => `${JSON.stringify(result, null, 2)}\n`);
  return result.ratio !== null;
}

async function readContext({ command, progress, signal }: LoadOptions): Promise<RunContext> {
  return { command, machine: describeMachine(), k6: await findK6(), progress, signal };
}

async function startTarget(
  name: TargetName,
  { plan, progress, signal }: LoadOptions,
  endings: Ending[],
): Promise<RunTarget> {
  const stackOptions: StackOptions = { progress, signal, endings, onLog: createLogFilter(progress) };
  if (name === "constant") {
    return { baseUrl: await startConstantWorker(stackOptions), stack: null, imported: null };
  }
  const stack = await startLoadStack(stackOptions);
  signal.throwIfAborted();
  const { linkCount } = plan;
  const imported = await progress.step(`${formatNumber(linkCount)} links through the API`, () =>
    importLinks({ ...stack, linkCount, signal }),
  );
  return { baseUrl: stack.baseUrl, stack, imported };
}

async function write(
  path: string | null,
  what: string,
  progress: Progress,
  render: () => string,
): Promise<void> {
  if (path !== null) {
    await writeFile(path, render());
    progress.line(`  ${what}: ${path}`);
  }
}

/** A line for each batch would be thousands; what went wrong is told, the first few times. */
function createLogFilter(progress: Progress) {
  const MAX_LINES = 20;
  let lines = 0;
  return ({ message }: { readonly level: string; readonly message: string }): void => {
    if (/"event":"(batch\.inserted|spill\.drained)"/.test(message) || lines >= MAX_LINES) {
      return;
    }
    lines += 1;
    progress.line(`    ${message.slice(0, 300)}`);
  };
}

/**
 * `pnpm check`: everything that can be said about the code without running it. Reports every fault, not only the first.
 *
 * Each step is one run of a tool. oxlint finds each file's tsconfig.json, and reads the types once for its rules and for
 * TypeScript's own faults, of all files. Only what `isolatedDeclarations` asks for it does not report: tsc does.
 */
import { glob, readFile } from "node:fs/promises";

import { consoleProgress } from "@hopline/testkit/console/progress";
import { runTool, type ToolRun } from "@hopline/testkit/console/run-tool";
import { inWorkspace, WORKSPACE_ROOT } from "@hopline/testkit/workspace/workspace";
import { defineCommand } from "citty";

/** CI has two cores, and most of the tools use more than one thread. */
const STEPS_AT_ONCE = 2;

type CheckStep = { readonly name: string; readonly run: () => Promise<ToolRun> };

export const example = "pnpm check";
export const exitCodes = { 1: "a check failed" };

export default defineCommand({
  meta: { name: "pnpm check", description: "Types, lint, import rules, format, unused code, bundle budget" },
  async run() {
    const progress = consoleProgress();
    const startedAtMs = performance.now();
    const waiting = [...(await listCheckSteps())];
    const total = waiting.length;
    let failures = 0;
    const work = async (): Promise<void> => {
      for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
        const stepStartedAtMs = performance.now();
        const { exitCode, output } = await progress.during(step.name, step.run);
        const durationMs = performance.now() - stepStartedAtMs;
        if (exitCode === 0) {
          progress.done(step.name, durationMs);
        } else {
          failures += 1;
          progress.failed(step.name, durationMs);
          progress.line(`\n${output}\n`);
        }
      }
    };
    await Promise.all(Array.from({ length: STEPS_AT_ONCE }, work));

    const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
    progress.line(
      failures === 0
        ? `All ${total} checks passed in ${seconds} s.`
        : `✗ ${failures} of ${total} checks failed.`,
    );
    return failures === 0 ? 0 : 1;
  },
});

/** All steps, the slow ones first: they run two at a time. */
async function listCheckSteps(): Promise<readonly CheckStep[]> {
  const main = "packages/ops/src/main.ts";
  const tsconfigs: string[] = [];
  const exclude = (name: string) => name.endsWith("node_modules") || name.endsWith(".hopline");
  for await (const path of glob("**/tsconfig.json", { cwd: WORKSPACE_ROOT, exclude })) {
    if ((await readFile(inWorkspace(path), "utf8")).includes("isolatedDeclarations")) {
      tsconfigs.push(path);
    }
  }
  return [
    step("types, lint and import rules", "oxlint", "--type-aware", "--type-check", "--deny-warnings"),
    step("generated types are up to date", "node", main, "types", "--check"),
    step("bundles and the producer's budget", "node", main, "build"),
    step("unused files, exports, dependencies", "knip", "--no-progress", "--no-config-hints"),
    ...tsconfigs.toSorted().map((path) => step(`declarations of ${path}`, "tsc", "--project", path)),
    step("format", "oxfmt", "--check", "."),
    // The version is in `engines`: a packageManager field makes pnpm 12 fetch itself from the registry.
    step("package manifests", "sherif", "--ignore-rule", "root-package-manager-field"),
  ];
}

function step(name: string, tool: string, ...toolArguments: readonly string[]): CheckStep {
  return { name, run: () => runTool(tool, toolArguments) };
}

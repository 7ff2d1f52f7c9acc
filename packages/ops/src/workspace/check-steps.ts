/**
 * What `pnpm check` checks. Each step is one tool run; the list is built from what is in the workspace, so that a new
 * tsconfig is checked without being written down anywhere.
 */
import { glob } from "node:fs/promises";

import type { ToolRun } from "@hopline/testkit/console/run-tool";
import { runTool } from "@hopline/testkit/console/run-tool";
import { WORKSPACE_ROOT } from "@hopline/testkit/workspace/workspace";

export type CheckStep = { readonly name: string; readonly run: () => Promise<ToolRun> };

const COMMANDS = "packages/ops/src/commands";

/** All steps, the slow ones first: they run two at a time. */
export async function listCheckSteps(): Promise<readonly CheckStep[]> {
  return [
    step("bundles and the producer's budget", "node", `${COMMANDS}/build.ts`),
    step("env types are those of the configurations", "node", `${COMMANDS}/types.ts`, "--check"),
    step("lint and import rules", "oxlint", "--type-aware", "--deny-warnings"),
    step("unused files, exports, dependencies", "knip", "--no-progress", "--no-config-hints"),
    ...(await findTsconfigs()).map((path) => step(`types of ${path}`, "tsc", "--project", path)),
    step("format", "oxfmt", "--check", "."),
    // The version stands in engines: a packageManager field makes pnpm 12 fetch itself from the registry.
    step("package manifests", "sherif", "--ignore-rule", "root-package-manager-field"),
  ];
}

/** Every tsconfig.json of the workspace, relative to its root. */
async function findTsconfigs(): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const path of glob("**/tsconfig.json", {
    cwd: WORKSPACE_ROOT,
    exclude: (name) => name.endsWith("node_modules") || name.endsWith(".hopline"),
  })) {
    paths.push(path);
  }
  return paths.toSorted();
}

function step(name: string, tool: string, ...toolArguments: readonly string[]): CheckStep {
  return { name, run: () => runTool(tool, toolArguments) };
}

/**
 * `pnpm run lines [--at <revision>]`: lines of code by folder, source and tests apart, blank lines and comments left out.
 *
 * Counts what git tracks: TypeScript, JavaScript and SQL, without generated types and without golden files.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

import { inWorkspace, WORKSPACE_ROOT } from "@hopline/testkit/workspace/workspace";
import { runCommand } from "@hopline/testkit/console/progress";
import { readFlags } from "@hopline/testkit/console/read-flags";

const CODE = /\.(?:ts|tsx|js|mjs|sql)$/;
const GENERATED = /worker-configuration\.d\.ts$/;
/** A package, a Worker, or a folder of the root; the API's analytics stand apart from the rest of it. */
const FOLDER = /^workers\/api\/(?:src|test|bench)\/analytics(?=\/)|^(?:packages|workers)\/[^/]+|^[^/]+(?=\/)/;
const TEST = /(?:^|\/)test\//;
/** A line that is only a comment, also one inside of a block. Code before or after a comment counts. */
const COMMENT = /^(?:\/\/|\/\*|\*\/|\*(?:\s|$)|--)/;

await runCommand(() => {
  const { at } = readFlags({ at: { type: "string" } }, "pnpm run lines [--at <revision>]").values;
  const folders = new Map<string, { source: number; tests: number }>();
  for (const path of listFiles(at)) {
    if (!CODE.test(path) || GENERATED.test(path)) {
      continue;
    }
    const folder = FOLDER.exec(path)?.[0] ?? ".";
    const counts = folders.get(folder) ?? { source: 0, tests: 0 };
    counts[TEST.test(path) ? "tests" : "source"] += countLines(readText(path, at));
    folders.set(folder, counts);
  }
  const rows = [...folders].toSorted(([a], [b]) => a.localeCompare(b));
  const total = { source: 0, tests: 0 };
  for (const [folder, { source, tests }] of rows) {
    total.source += source;
    total.tests += tests;
    print(folder, source, tests);
  }
  print("all", total.source, total.tests);
  return Promise.resolve(0);
});

function countLines(text: string): number {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !COMMENT.test(line)).length;
}

function listFiles(at: string | undefined): readonly string[] {
  return at === undefined
    ? git("ls-files").split("\n").filter(Boolean)
    : git("ls-tree", "-r", "--name-only", at).split("\n").filter(Boolean);
}

function readText(path: string, at: string | undefined): string {
  return at === undefined ? readFileSync(inWorkspace(path), "utf8") : git("show", `${at}:${path}`);
}

function git(...gitArguments: readonly string[]): string {
  return execFileSync("git", gitArguments, {
    cwd: WORKSPACE_ROOT,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
}

function print(folder: string, source: number, tests: number): void {
  console.log(`${folder.padEnd(24)} ${String(source).padStart(6)} source ${String(tests).padStart(6)} tests`);
}

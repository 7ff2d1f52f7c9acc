/**
 * `pnpm run lines`: lines of code by folder, source and tests apart, without blank lines and comments.
 *
 * Counts what git tracks: TypeScript, JavaScript and SQL, without migrations, generated types, the generated client and golden files.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

import { consoleProgress } from "@hopline/testkit/console/progress";
import { inWorkspace, WORKSPACE_ROOT } from "@hopline/testkit/workspace/workspace";
import { defineCommand } from "citty";

const CODE = /\.(?:ts|tsx|js|mjs|sql)$/;
/** The reference's script is a link into its package. */
const LEFT_OUT =
  /worker-configuration\.d\.ts$|^packages\/client\/src\/openapi\.ts$|^migrations\/|^workers\/api\/reference\//;
/** A package, a Worker, or a folder of the root; the API's analytics are counted apart from the rest of it. */
const FOLDER = /^workers\/api\/(?:src|test|bench)\/analytics(?=\/)|^(?:packages|workers)\/[^/]+|^[^/]+(?=\/)/;
/** Text that people read is counted apart from the dashboard's code. */
const CATALOGUE = /^workers\/dashboard\/app\/(?:.*[/-])?words\.ts$/;
const TEST = /(?:^|\/)test\//;
/** A line that is only a comment, also inside a block. A line with code and a comment counts. */
const COMMENT = /^(?:\/\/|\/\*|\*\/|\*(?:\s|$)|--)/;

export const example = "pnpm run lines --at main";

export default defineCommand({
  meta: { name: "pnpm run lines", description: "Counts lines of code by folder, source and tests" },
  args: { at: { type: "string", description: "A revision; the working tree without it" } },
  run({ args }) {
    const at: string | undefined = args.at;
    const total = { source: 0, tests: 0 };
    const folders = new Map<string, { source: number; tests: number }>();
    for (const path of listFiles(at)) {
      if (!CODE.test(path) || LEFT_OUT.test(path)) {
        continue;
      }
      const folder = CATALOGUE.test(path) ? "workers/dashboard (words)" : (FOLDER.exec(path)?.[0] ?? ".");
      const counts = folders.get(folder) ?? { source: 0, tests: 0 };
      const kind = TEST.test(path) ? "tests" : "source";
      const lines = countLines(readText(path, at));
      counts[kind] += lines;
      total[kind] += lines;
      folders.set(folder, counts);
    }
    const progress = consoleProgress();
    const rows = [...folders].toSorted(([a], [b]) => a.localeCompare(b));
    for (const [folder, { source, tests }] of [...rows, ["all", total] as const]) {
      progress.line(
        `${folder.padEnd(26)} ${String(source).padStart(6)} source ${String(tests).padStart(6)} tests`,
      );
    }
  },
});

function countLines(text: string): number {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !COMMENT.test(line)).length;
}

function listFiles(at: string | undefined): readonly string[] {
  const listed = at === undefined ? git("ls-files") : git("ls-tree", "-r", "--name-only", at);
  return listed.split("\n").filter(Boolean);
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

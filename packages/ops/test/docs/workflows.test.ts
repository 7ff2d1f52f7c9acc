/** What the workflows may run and see: actions pinned to a commit, a token that only reads, secrets for single steps. */
import { readdirSync, readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { inWorkspace } from "@hopline/testkit/workspace/workspace";

const workflows = readdirSync(inWorkspace(".github/workflows")).map((name) => `.github/workflows/${name}`);
const actions = readdirSync(inWorkspace(".github/actions")).map(
  (name) => `.github/actions/${name}/action.yml`,
);
const read = (path: string) => readFileSync(inWorkspace(path), "utf8").split("\n");

const indentOf = (line: string) => line.search(/\S/);

/** The keys that a line stands under, innermost first. */
function findParents(lines: readonly string[], index: number): readonly string[] {
  const parents: string[] = [];
  let indent = indentOf(lines[index] ?? "");
  for (const line of lines.slice(0, index).toReversed()) {
    if (indentOf(line) >= 0 && indentOf(line) < indent) {
      indent = indentOf(line);
      parents.push(line.trim());
    }
  }
  return parents;
}

describe.each([...workflows, ...actions])("%s", (path) => {
  const lines = read(path);

  it("pins every action to a commit, and says which version that is", () => {
    const uses = lines.filter((line) => /\buses:/.test(line) && !/uses: \.\//.test(line));
    expect(uses.filter((line) => !/uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it("gives secrets to steps, not to jobs", () => {
    const outside = lines.filter(
      (line, index) =>
        /\bsecrets\.[A-Z]|\bsecrets: inherit/.test(line) && !findParents(lines, index).includes("steps:"),
    );
    expect(outside).toEqual([]);
  });
});

describe.each(workflows)("%s", (path) => {
  it("has a token that can only read the repository, and leaves none behind", () => {
    const text = read(path).join("\n");
    expect([...text.matchAll(/^ *permissions:(.*\n {2,}.*)$/gm)].map((match) => match[1])).toEqual([
      "\n  contents: read",
    ]);
    expect(text.match(/persist-credentials: false/g)?.length ?? 0).toBe(
      text.match(/uses: actions\/checkout@/g)?.length ?? 0,
    );
  });
});

/** Each test file runs once: exactly one project of vitest.config.ts includes it. */
import { existsSync, globSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, matchesGlob } from "node:path";

import { emptyOldCaches } from "@hopline/testkit/test-run/empty-old-caches";
import { WORKSPACE_ROOT } from "@hopline/testkit/workspace/workspace";
import { expect, it } from "vitest";

import config from "../../../vitest.config.ts";

type Project = {
  readonly name: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
};

/** A Worker's own project, a vitest.config.ts in its folder, includes what its suffix says. */
const WORKERD: Project = { name: "workerd", include: ["workers/*/test/**/*.worker.test.ts"], exclude: [] };

const projects = (config.test?.projects ?? []).flatMap((project): readonly Project[] => {
  const test = typeof project === "object" && "test" in project ? project.test : undefined;
  return test === undefined
    ? []
    : [{ name: String(test.name), include: test.include ?? [], exclude: test.exclude ?? [] }];
});

it("every test file is in exactly one project", () => {
  const files = globSync("{packages,workers,load-tests}/**/*.test.ts", {
    cwd: WORKSPACE_ROOT,
    exclude: (name) => name === "node_modules",
  });
  expect(files.length).toBeGreaterThan(150);
  const misplaced = files.flatMap((file) => {
    const isIn = (globs: readonly string[]) => globs.some((glob) => matchesGlob(file, glob));
    const names = [...projects, WORKERD].flatMap(({ name, include, exclude }) =>
      isIn(include) && !isIn(exclude) ? [name] : [],
    );
    return names.length === 1 ? [] : [[file, names]];
  });
  expect(misplaced).toEqual([]);
});

it("what test runs keep compiled is a week old at most", () => {
  const cache = mkdtempSync(join(tmpdir(), "hopline-test-"));
  const isKeptAfter = (days: number) => {
    emptyOldCaches([cache, join(cache, "missing")], Date.now() + days * 86_400_000);
    return existsSync(cache);
  };
  expect([isKeptAfter(6.9), isKeptAfter(7.1), isKeptAfter(8)]).toEqual([true, false, false]);
});

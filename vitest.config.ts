/**
 * All tests, in projects that say what a test needs. A test's folder decides its project; only what runs in workerd has
 * a suffix of its own, `*.worker.test.ts`. packages/ops/test/test-projects.test.ts checks that each test file is in
 * exactly one project.
 */
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Starts the run's one database server and migrates the template that test files copy. */
const DATABASE = "packages/testkit/src/test-run/provide-database.ts";
/** What a test file's API or jobs ask their database goes without a socket. */
const IN_PROCESS = "packages/testkit/src/test-run/answer-in-process.ts";
/** Bounds against hanging, not measures of speed: machines are shared, and most of these start real servers. */
const PATIENT = { testTimeout: 300_000, hookTimeout: 300_000 };
const PATIENT_POLL = { timeout: 60_000 };
/** Test files at once, on two cores and on more: most wait for a server as often as they compute. On two cores 280 s, with three 316. */
const MAX_WORKERS = 4;

/** What takes minutes comes first, what waits runs beside what computes, and files that take a moment fill the end: parts of their paths. */
const ORDER = [
  "/e2e/test/dashboard.",
  "/e2e/test/visitors.",
  "/api/test/",
  "/e2e/",
  "/simulation/",
  "/ops/test/dev/",
  "/db/test/",
  "/analytics/test/",
  "/clickhouse/test/",
  "/testkit/",
  "/ops/",
  ".worker.",
  "", // All others.
];

/** Vitest's own order among files of the same rank: long files first, as the last run here had them. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => ORDER.findIndex((part) => moduleId.includes(part));
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  test: {
    maxWorkers: MAX_WORKERS,
    sequence: { sequencer: LongFilesFirst },
    // A module is transformed once for all projects, and again when it has changed.
    experimental: { fsModuleCache: true },
    projects: [
      project("unit", {
        include: [
          "packages/{client,core,edge-cache,sealing,bench}/test/**/*.test.ts",
          "workers/{producer,consumer,dashboard}/test/**/*.test.ts",
          "load-tests/test/**/*.test.ts",
        ],
        exclude: ["**/*.worker.test.ts"],
        pool: "threads",
        isolate: false,
        ...PATIENT,
      }),
      project("contract", {
        include: ["packages/{analytics,clickhouse,db}/test/**/*.test.ts", "workers/api/test/**/*.test.ts"],
        exclude: ["**/*.worker.test.ts"],
        globalSetup: [DATABASE],
        setupFiles: [IN_PROCESS],
        isolate: false,
        ...PATIENT,
      }),
      project("tooling", {
        include: ["packages/{testkit,ops,simulation}/test/**/*.test.ts"],
        globalSetup: [DATABASE],
        isolate: false,
        ...PATIENT,
      }),
      project("rehearsal", {
        include: ["packages/rehearsal/test/**/*.test.ts"],
        globalSetup: [DATABASE],
        ...PATIENT,
      }),
      "workers/*/vitest.config.ts",
      project("system", {
        include: ["packages/e2e/test/**/*.test.ts"],
        globalSetup: [DATABASE, "packages/testkit/src/test-run/provide-bundles.ts"],
        ...PATIENT,
      }),
    ],
  },
});

function project(
  name: string,
  test: NonNullable<TestProjectInlineConfiguration["test"]>,
): TestProjectInlineConfiguration {
  const exclude = ["**/node_modules/**", ...(test.exclude ?? [])];
  return { test: { name, ...test, exclude, expect: { poll: PATIENT_POLL } } };
}

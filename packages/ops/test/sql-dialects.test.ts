/**
 * Statements are written in one of two ways: with drizzle in the API's CRUD, with the tag of packages/db/src/sql.ts everywhere else.
 * Which of them a folder speaks is an import rule (.oxlintrc.json, import-rules.test.ts). Here: nothing is a plain text, so nothing
 * is put together from texts.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { inWorkspace, WORKSPACE_ROOT } from "@hopline/testkit/workspace/workspace";

/** Statements for other databases, which have parameters of their own: ClickHouse, and SQLite. */
const OF_OTHER_DATABASES = [
  "packages/analytics/src/clickhouse/",
  "packages/clickhouse/src/clickhouse-client.ts",
  "packages/clickhouse/src/compare-stores.ts",
  "packages/clickhouse/src/move/",
  "packages/clickhouse/src/schema/",
  "packages/clickhouse/src/store/",
  "packages/ops/src/dev/dev-lock.ts",
  "packages/ops/src/doctor/judge-clickhouse.ts",
  "workers/api/src/publishing/change-log.ts",
];
/** What prepares and checks databases for tests and measurements. */
const OF_TESTS = ["packages/testkit/src/", "packages/bench/src/", "packages/simulation/src/"];
/** Where drizzle gets what the tag has made. */
const BRIDGE = "workers/api/src/to-sql.ts";

const PLAIN_STATEMENT =
  /(?<!sql|sql<[^>`]*>)["'`]\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|LOCK TABLE|SET|TRUNCATE|BEGIN|COMMIT)\b.*/g;

const files = execFileSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard", "*/*/src/*.ts"],
  {
    cwd: WORKSPACE_ROOT,
    encoding: "utf8",
  },
)
  .split("\n")
  .filter((path) => path !== "" && !OF_TESTS.some((folder) => path.startsWith(folder)));

function findIn(path: string, pattern: RegExp): readonly string[] {
  const code = readFileSync(inWorkspace(path), "utf8").replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*/gm, "");
  return [...code.matchAll(pattern)].map(([found]) => `${path}: ${found}`);
}

it("no statement for Postgres is a plain text", () => {
  const ours = files.filter((path) => !OF_OTHER_DATABASES.some((other) => path.startsWith(other)));
  expect(ours.length).toBeGreaterThan(300);
  expect(ours.flatMap((path) => findIn(path, PLAIN_STATEMENT))).toEqual([]);
});

it("no text is put into a statement but by the bridge between the two ways", () => {
  expect(
    files.filter((path) => path !== BRIDGE).flatMap((path) => findIn(path, /sql\.raw\(.*|sql\.unsafe\(.*/g)),
  ).toEqual([]);
});

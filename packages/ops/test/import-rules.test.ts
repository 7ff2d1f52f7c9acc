/** Runs the real lint configuration over files that break a rule, laid out as the workspace is. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { runTool } from "@hopline/testkit/console/run-tool";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";

const CASES = [
  ["packages/core/src/platform.ts", `import { readFileSync } from "node:fs";`],
  ["packages/core/src/package.ts", `import { z } from "zod";`],
  ["packages/core/src/sibling.ts", `import { x } from "../../db/src/schema.ts";`],
  ["packages/edge-cache/src/database.ts", `import { x } from "@hopline/db/links/find-link-records";`],
  ["packages/edge-cache/src/worker.ts", `import { x } from "../../../workers/producer/src/handle.ts";`],
  ["packages/db/src/worker.ts", `import { x } from "@hopline/api/app";`],
  ["packages/db/src/driver.ts", `import { neon } from "@neondatabase/serverless";`],
  ["packages/db/src/drizzle.ts", `import { x } from "drizzle-orm";`],
  ["packages/db/src/tables.ts", `import { x } from "./schema.ts";`],
  ["packages/analytics/src/drizzle.ts", `import { x } from "drizzle-orm";`],
  ["packages/clickhouse/src/drizzle.ts", `import { x } from "drizzle-orm";`],
  ["packages/ops/src/drizzle.ts", `import { x } from "drizzle-orm";`],
  ["packages/clickhouse/src/worker.ts", `import { x } from "@hopline/api/app";`],
  ["packages/clickhouse/src/client.ts", `import { createClient } from "@clickhouse/client-web";`],
  ["workers/producer/src/zod.ts", `import { z } from "zod";`],
  ["workers/producer/src/zod-mini.ts", `import { z } from "zod/mini";`],
  ["workers/producer/src/hono.ts", `import { Hono } from "hono";`],
  ["workers/producer/src/tables.ts", `import { x } from "@hopline/db/schema";`],
  ["workers/producer/src/agents.ts", `import { x } from "bowser";`],
  ["workers/producer/src/driver.ts", `import { neon } from "@neondatabase/serverless";`],
  ["workers/producer/src/adapters/other-worker.ts", `import { x } from "../../../api/src/app.ts";`],
  ["workers/consumer/src/other-worker.ts", `import { x } from "../../producer/src/handle.ts";`],
  ["workers/consumer/src/tables.ts", `import { x } from "drizzle-orm";`],
  ["workers/api/src/mcp/eager-sdk.ts", `import { x } from "@modelcontextprotocol/server";`],
  ["workers/api/src/eager-mcp.ts", `import { x } from "./mcp/create-mcp.ts";`],
  ["workers/api/src/mcp/create-mcp.ts", `import { x } from "@hopline/db/schema";`],
  ["workers/api/src/links/tag.ts", `import { x } from "@hopline/db/sql";`],
  ["workers/api/src/analytics/drizzle.ts", `import { x } from "drizzle-orm";`],
  ["workers/api/src/metrics/tables.ts", `import { x } from "@hopline/db/schema";`],
  ["workers/api/src/other-worker.ts", `import { x } from "@hopline/producer/handle";`],
  ["packages/e2e/test/source.ts", `import { x } from "../../../workers/api/src/app.ts";`],
  ["packages/e2e/test/inside.ts", `import { x } from "@hopline/api/app";`],
  ["packages/client/src/inside.ts", `import type { x } from "@hopline/api/app";`],
  ["packages/client/src/node.ts", `import { x } from "node:crypto";`],
] as const;

const ALLOWED = [
  ["packages/core/src/neighbour.ts", `import { x } from "./result.ts";`],
  ["packages/edge-cache/src/core.ts", `import { x } from "@hopline/core/decode/result";`],
  ["packages/db/src/lazy.ts", `export const load = () => import("@neondatabase/serverless");`],
  ["packages/db/src/types.ts", `import type { NeonQueryFunction as x } from "@neondatabase/serverless";`],
  ["packages/clickhouse/src/lazy.ts", `export const load = () => import("@clickhouse/client-web");`],
  ["workers/producer/src/core.ts", `import { x } from "@hopline/core/link/outcome";`],
  ["packages/db/src/schema.ts", `import { x } from "drizzle-orm";`],
  ["packages/analytics/src/tag.ts", `import { x } from "@hopline/db/sql";`],
  ["workers/consumer/src/tag.ts", `import { x } from "@hopline/db/sql";`],
  ["workers/api/src/tables.ts", `import { x } from "@hopline/db/schema";`],
  ["workers/api/src/drizzle.ts", `import { x } from "drizzle-orm";`],
  ["workers/api/src/analytics/tag.ts", `import { x } from "@hopline/db/sql";`],
  ["workers/api/src/to-sql.ts", `import { x } from "@hopline/db/sql";`],
  ["workers/api/src/lazy-mcp.ts", `export const load = () => import("./mcp/create-mcp.ts");`],
  ["packages/e2e/test/client.ts", `import { x } from "@hopline/client/client";`],
] as const;

let root: string;
let output: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "hopline-lint-"));
  copyFileSync(inWorkspace(".oxlintrc.json"), join(root, ".oxlintrc.json"));
  for (const [path, source] of [...CASES, ...ALLOWED]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(
      join(root, path),
      `${source}\nexport const use: unknown = ${source.includes("{ x }") ? "x" : "0"};\n`,
    );
  }
  const run = await runTool("oxlint", ["--config", join(root, ".oxlintrc.json"), "--format", "unix", root]);
  output = run.output;
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function complaintsAbout(path: string): readonly string[] {
  return output.split("\n").filter((line) => line.includes(path) && line.includes("no-restricted-imports"));
}

describe("the import rules", () => {
  it.each(CASES)("refuse in %s: %s", (path) => {
    expect(complaintsAbout(path)).toHaveLength(1);
  });

  it.each(ALLOWED)("allow in %s: %s", (path) => {
    expect(complaintsAbout(path)).toEqual([]);
  });
});

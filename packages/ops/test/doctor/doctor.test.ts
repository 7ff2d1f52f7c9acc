/** The command itself, with what it can reach and without. */
import { afterAll, beforeAll, expect, it } from "vitest";

import { readDatabase } from "../../src/doctor/read-database.ts";
import { migrate } from "@hopline/testkit/postgres/migrate";
import { runTool } from "@hopline/testkit/console/run-tool";
import { createScratchDatabase, type ScratchDatabase } from "@hopline/testkit/postgres/scratch-database";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";

/** A bound against hanging: wrangler starts twice, on a machine that may be busy with other tests. */
const BOUND_MS = 120_000;

const COMMAND = "packages/ops/src/commands/doctor.ts";
let database: ScratchDatabase;
const kept = { ...process.env };

beforeAll(async () => {
  database = await createScratchDatabase(process.env["DATABASE_URL"] ?? "");
  process.env["CLOUDFLARE_API_TOKEN"] = "";
  // Nobody listens on port 1: no test reaches an account, whatever login this machine has.
  process.env["CLOUDFLARE_API_BASE_URL"] = "http://127.0.0.1:1/client/v4";
});
afterAll(async () => {
  process.env = kept;
  await database.drop();
});

it(
  "ends well offline, and says what it could not look at",
  async () => {
    process.env["DATABASE_URL"] = "";
    const { exitCode, output } = await runTool("node", [COMMAND]);
    expect(output).toMatch(/\? schema +database: not looked at/);
    expect(output).toMatch(/\? account /);
    expect(output).toContain("staging: 0 errors");
    expect(exitCode).toBe(0);
  },
  BOUND_MS,
);

it(
  "fails for a database without the schema, and prints JSON where it is asked to",
  async () => {
    process.env["DATABASE_URL"] = database.url;
    const { exitCode, output } = await runTool("node", [COMMAND, "--json", "--env", "production"]);
    expect(exitCode).toBe(1);
    expect(JSON.parse(output)).toMatchObject({
      environment: "production",
      findings: expect.arrayContaining([expect.objectContaining({ level: "error", area: "schema" })]),
    });
  },
  BOUND_MS,
);

it("reads what was applied from the database that the migrations wrote to", async () => {
  expect((await readDatabase(database.url)).applied.size).toBe(0);
  await migrate(database.url, { directory: inWorkspace("migrations"), onProgress: () => undefined });
  const facts = await readDatabase(database.url);
  expect(facts.applied.get(1)).toMatch(/^[0-9a-f]{64}$/);
  expect(facts.isHypertable).toBe(facts.capabilities.timescale !== null);
});

/** The command itself, with what it can reach and without. */
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";

import { migrate } from "@hopline/testkit/postgres/migrate";
import { createScratchDatabase, type ScratchDatabase } from "@hopline/testkit/postgres/scratch-database";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { readDatabase } from "../../src/doctor/judge-database.ts";
import { startStage } from "../fixtures/stage.ts";

let database: ScratchDatabase;

beforeAll(async () => {
  database = await createScratchDatabase(process.env["DATABASE_URL"] ?? "");
});
afterAll(() => database.drop());
afterEach(() => vi.unstubAllEnvs());

it("ends well without a database and a login, and says what it could not check", async () => {
  const { run } = await startStage();
  vi.stubEnv("DATABASE_URL", "");
  vi.stubEnv("CLOUDFLARE_API_TOKEN", "");
  const [exitCode, output] = await run("doctor");
  expect(output).toMatch(/\? schema +database: not checked/);
  expect(output).toMatch(/\? account +account: Not logged in to Cloudflare: set CLOUDFLARE_API_TOKEN/);
  expect(output).toContain("staging: 0 errors");
  expect(exitCode).toBe(0);
});

it("fails for a database without the schema, and prints JSON on request", async () => {
  const { run } = await startStage();
  vi.stubEnv("DATABASE_URL", database.url);
  const [exitCode, output] = await run("doctor --json --env production");
  expect(exitCode).toBe(1);
  expect(JSON.parse(output)).toMatchObject({
    environment: "production",
    findings: expect.arrayContaining([expect.objectContaining({ level: "error", area: "schema" })]),
  });
});

it("reads what was applied from the database that the migrations wrote to", async () => {
  expect((await readDatabase(database.url)).applied.size).toBe(0);
  await migrate(database.url, { directory: inWorkspace("migrations"), onProgress: () => undefined });
  const facts = await readDatabase(database.url);
  expect(facts.applied.get(1)).toMatch(/^[0-9a-f]{64}$/);
  expect(facts.isHypertable).toBe(facts.capabilities.timescale !== null);
});

/** What the deployment commands do without an account. What they do with one is rehearsed in packages/rehearsal. */
import { existsSync } from "node:fs";

import { createScratchDatabase } from "@hopline/testkit/postgres/scratch-database";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { runInProcess } from "../fixtures/run-in-process.ts";

beforeEach(() => {
  vi.stubEnv("CLOUDFLARE_API_BASE_URL", "http://127.0.0.1:1/client/v4");
  vi.stubEnv("CLOUDFLARE_API_TOKEN", "");
  onTestFinished(() => void vi.unstubAllEnvs());
});

it.each(["deploy --dry-run", "deploy --dry-run --percent 10"])(
  "uploads nothing with %s, asks no account, and says both orders",
  async (line) => {
    const order =
      "Order: consumer, producer, api, dashboard; in an empty account: api, consumer, dashboard, producer.";
    const { exitCode, output, started } = await runInProcess(line);
    expect([exitCode, output]).toEqual([0, expect.stringContaining(order)]);
    // A clean clone has no bundles yet, nor the web app, without which wrangler refuses the dashboard.
    expect(output).toContain("Bundle of the dashboard");
    expect(existsSync(inWorkspace("dist/web/index.html"))).toBe(true);
    expect(started).toHaveLength(4);
    expect(started.filter((command) => !command.includes("--dry-run"))).toEqual([]);
  },
);

it.each(["rollout", "rollout --back --list", "deploy --worker api --percent 10"])(
  "is refused for %s, which says too little or too much",
  async (line) => {
    expect(await runInProcess(line)).toMatchObject({
      exitCode: 1,
      output: expect.stringMatching(/^✗ Give /),
    });
  },
);

describe("the doctor", () => {
  it("ends well without a database and a login, and says what it could not check", async () => {
    vi.stubEnv("DATABASE_URL", "");
    const { exitCode, output } = await runInProcess("doctor");
    expect(output).toMatch(/\? schema +database: not checked/);
    expect(output).toMatch(/\? account +account: Not logged in to Cloudflare: set CLOUDFLARE_API_TOKEN/);
    expect(output).toContain("staging: 0 errors");
    expect(exitCode).toBe(0);
  });

  it("fails for a database without the schema, and prints JSON on request", async () => {
    const empty = await createScratchDatabase(process.env["DATABASE_URL"] ?? "");
    onTestFinished(() => empty.drop());
    vi.stubEnv("DATABASE_URL", empty.url);
    const { exitCode, output } = await runInProcess("doctor --json --env production");
    expect(exitCode).toBe(1);
    expect(JSON.parse(output)).toMatchObject({
      environment: "production",
      findings: expect.arrayContaining([expect.objectContaining({ level: "error", area: "schema" })]),
    });
  });
});

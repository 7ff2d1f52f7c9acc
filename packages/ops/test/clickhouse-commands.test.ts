/** `pnpm migrate`, `doctor`, `reconcile` and `clickhouse` with a real ClickHouse, as a person meets them. */
import { findCopyState } from "@hopline/clickhouse/copy/find-copy-state";
import type { CommandModule } from "@hopline/testkit/console/command-line";
import { CLICKHOUSE_HINT, HAS_CLICKHOUSE } from "@hopline/testkit/clickhouse/engine-cache";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { DAY_MS, TIMEOUT_MS } from "../../db/test/db-stage.ts";
import { toDay, useClickHouseStage, YESTERDAY_MS } from "../../clickhouse/test/clickhouse-stage.ts";
import { callCommand } from "../../testkit/test/call-command.ts";
import * as clickHouseCommand from "../src/commands/clickhouse.ts";
import * as migrateCommand from "../src/commands/migrate.ts";
import * as reconcileCommand from "../src/commands/reconcile.ts";
import { describeFinding } from "../src/doctor/finding.ts";
import { judgeClickHouse, readClickHouse } from "../src/doctor/judge-clickhouse.ts";
import { readClickHouseMigrations } from "../src/operate/clickhouse.ts";

describe.skipIf(!HAS_CLICKHOUSE)(`With CLICKHOUSE_URL${CLICKHOUSE_HINT}`, () => {
  const stage = useClickHouseStage();
  const call = (module: CommandModule, ...commandArguments: readonly string[]) =>
    callCommand(module, commandArguments);
  const repair = (...commandArguments: readonly string[]) =>
    call(clickHouseCommand, "repair", ...commandArguments);
  const doctor = async () => {
    const copy = await findCopyState(stage.runAs("hopline_reader"), TIMEOUT_MS);
    const findings = judgeClickHouse(
      await readClickHouse(stage.server.url),
      copy,
      readClickHouseMigrations(),
    );
    return findings.map(describeFinding).join("\n");
  };
  const insert = () =>
    stage.insert([{ count: 10, row: (index) => ({ clickedAtMs: YESTERDAY_MS + index * 60_000 }) }]);

  beforeEach(() => {
    vi.stubEnv("DATABASE_URL", stage.databaseUrl());
    vi.stubEnv("CLICKHOUSE_URL", HAS_CLICKHOUSE ? stage.server.url : "");
    return () => vi.unstubAllEnvs();
  });

  it("migrate applies its migrations too, once", async () => {
    const { exitCode, output } = await call(migrateCommand);
    expect(output).toContain("ClickHouse up to date: 1 migrations, 0 new");
    expect(exitCode).toBe(0);
  });

  it("migrate refuses a layout that it does not know", async () => {
    vi.stubEnv("CLICKHOUSE_CLUSTER", "main");
    expect((await call(migrateCommand)).output).toContain(
      "CLICKHOUSE_CLUSTER is empty, or reads replicated:NAME",
    );
  });

  it("doctor says how the copy stands, and what to do", async () => {
    expect(await doctor()).toContain("nothing was copied yet. Set the secret CLICKHOUSE_URL of the consumer");
    await insert();
    await stage.copy();
    expect(await doctor()).toMatch(/✓ clickhouse .*1 days of workspaces are alike in both stores/);
    await repair("--day", toDay(YESTERDAY_MS));
    expect(await doctor()).toContain(
      `1 days of workspaces are not alike in both stores yet, the first ${toDay(YESTERDAY_MS)}`,
    );
  });

  it("doctor finds a version that is too old, and tables that are missing or were changed", async () => {
    const facts = await readClickHouse(stage.server.url);
    const migrations = readClickHouseMigrations();
    const judge = (difference: Partial<typeof facts>) =>
      judgeClickHouse({ ...facts, ...difference }, null, migrations)
        .map(describeFinding)
        .join("\n");
    expect(judge({})).toContain(`ClickHouse ${facts.version}`);
    expect(judge({})).not.toMatch(/too old|not applied|changed after/);
    expect(judge({ version: "26.2.1.1" })).toContain("ClickHouse 26.2.1.1 is too old. Use 26.3 or newer.");
    expect(judge({ applied: null })).toContain("not applied: 0001_clicks.sql");
    const changed = new Map(migrations.map(({ version }) => [version, "other"]));
    expect(judge({ applied: changed })).toContain("changed after they were applied: 0001_clicks.sql");
  });

  it("doctor names ClickHouse without its password when it cannot be reached", async () => {
    const url = "http://hopline:sekret@127.0.0.1:1/default";
    const failure = await readClickHouse(url).catch((error: unknown) => String(error));
    expect(failure).toContain("ClickHouse at 127.0.0.1:1/default");
    expect(failure).not.toContain("sekret");
  });

  it("reconcile finds a sealed day that changed, and repair mends it", async () => {
    // The stage's days have no cells, which would be drift.
    const reconcile = async () => {
      await stage.select("TRUNCATE cube_days");
      return call(reconcileCommand);
    };
    await insert();
    await stage.copy();
    const alike = await reconcile();
    expect(alike.output).toContain(
      "✓ ClickHouse: 1 of 1 days of workspaces are sealed, and alike in both stores.",
    );
    expect(alike.exitCode).toBe(0);
    await stage.execute("DELETE FROM clicks WHERE event_id = (SELECT max(event_id) FROM clicks)");
    await stage.execute(
      "INSERT INTO clicks SELECT * REPLACE(generateUUIDv4() AS event_id) FROM clicks LIMIT 1",
    );
    const wrong = await reconcile();
    expect(wrong.output).toContain("✗ ClickHouse: sealed days differ from Postgres by 0, and 1 have changed");
    expect(wrong.exitCode).toBe(1);
    expect((await repair()).output).toContain("All days will be compared by the consumer");
    await stage.copy();
    expect((await reconcile()).exitCode).toBe(0);
  });

  it("repair copies a day again that is named, and no other", async () => {
    await insert();
    await stage.copy();
    await repair("--day", toDay(YESTERDAY_MS - DAY_MS));
    expect(await stage.days()).toEqual([expect.objectContaining({ sealed: 10 })]);
    await repair("--day", toDay(YESTERDAY_MS));
    expect(await stage.days()).toEqual([expect.objectContaining({ sealed: null })]);
  });

  it("repair says what is wrong", async () => {
    expect(await repair("--day", "yesterday")).toEqual({
      exitCode: 2,
      output: expect.stringContaining('--day must be a day such as 2026-11-21, not "yesterday".'),
    });
  });
});

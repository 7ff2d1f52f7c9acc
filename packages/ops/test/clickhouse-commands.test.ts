/** `pnpm migrate`, `doctor`, `reconcile` and `clickhouse` with a real ClickHouse, as a person meets them. */
import { eventIdOf } from "@hopline/core/click/event-id";
import { readMode } from "@hopline/clickhouse/move/counting-mode";
import type { CommandModule } from "@hopline/testkit/console/command-line";
import { CLICKHOUSE_HINT, HAS_CLICKHOUSE } from "@hopline/testkit/clickhouse/engine-cache";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { DAY_MS, TIMEOUT_MS } from "../../db/test/db-stage.ts";
import { useClickHouseStage } from "../../clickhouse/test/clickhouse-stage.ts";
import { callCommand } from "../../testkit/test/call-command.ts";
import * as clickHouseCommand from "../src/commands/clickhouse.ts";
import * as migrateCommand from "../src/commands/migrate.ts";
import * as reconcileCommand from "../src/commands/reconcile.ts";
import { describeFinding } from "../src/doctor/finding.ts";
import { judgeClickHouse, readClickHouse } from "../src/doctor/judge-clickhouse.ts";
import { readClickHouseMigrations } from "../src/operate/clickhouse.ts";

/** Noon of a day that is over. */
const YESTERDAY_MS = (Math.floor(Date.now() / DAY_MS) - 1) * DAY_MS + DAY_MS / 2;

describe.skipIf(!HAS_CLICKHOUSE)(`With CLICKHOUSE_URL${CLICKHOUSE_HINT}`, () => {
  const stage = useClickHouseStage("postgres");
  const call = (module: CommandModule, ...commandArguments: readonly string[]) =>
    callCommand(module, commandArguments);
  const doctor = async () => {
    const mode = await readMode(stage.runAs("hopline_reader"), TIMEOUT_MS);
    const facts = await readClickHouse(stage.server.url);
    return judgeClickHouse(facts, mode, readClickHouseMigrations()).map(describeFinding).join("\n");
  };
  const shape = (first: number, count: number) => ({
    first,
    count,
    row: (index: number) => ({ clickedAtMs: YESTERDAY_MS + (first + index) * 60_000 }),
  });

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

  it("doctor finds a version that is too old, and tables that are missing or were changed", async () => {
    const facts = await readClickHouse(stage.server.url);
    const migrations = readClickHouseMigrations();
    const judge = (difference: Partial<typeof facts>) =>
      judgeClickHouse({ ...facts, ...difference }, "clickhouse", migrations)
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

  it("on and off move where clicks are counted, with clicks arriving, and reconcile agrees before, between and after", async () => {
    const reconcile = async (says: string, exitCode = 0) =>
      expect(await call(reconcileCommand)).toEqual({ exitCode, output: expect.stringContaining(says) });
    await stage.insert([shape(1, 10)]);
    expect(await doctor()).toContain("it is not used: clicks are counted in Postgres");
    await reconcile("✓ Everything adds up.");
    const moved = await call(clickHouseCommand, "on");
    expect(moved.output).toContain("✓ Clicks are counted in ClickHouse: 1 quarters of an hour");
    expect(await doctor()).toMatch(/✓ clickhouse .*clicks are counted here/);
    expect(await stage.count([shape(1, 10), shape(11, 20)])).toBe(20);
    await stage.select("TRUNCATE click_events");
    await reconcile("✓ ClickHouse: 3 quarters of an hour of workspaces are alike in both stores.");
    await stage.execute("INSERT INTO clicks SELECT * FROM clicks LIMIT 4");
    await reconcile("are alike in both stores. 4 rows repeat others");
    // As a delivery leaves them that is cut off before it counts.
    const uncounted = { isolateId: "00c0ffee00000002", first: 1, count: 1, row: shape(1, 1).row };
    await stage.execute(
      `INSERT INTO clicks SELECT * REPLACE ('${eventIdOf("00c0ffee00000002", 1)}' AS event_id) FROM clicks LIMIT 1`,
    );
    const back = await call(clickHouseCommand, "off");
    expect(back.output).toContain("✓ Clicks are counted in Postgres, and every day is there.");
    await reconcile("✓ Everything adds up.");
    expect(await stage.insert([shape(1, 10), shape(11, 20), uncounted])).toBe(1);
    expect(await stage.select("SELECT count(*)::int AS clicks FROM click_events")).toEqual([{ clicks: 31 }]);
  });

  it("reconcile and on find a click that ClickHouse has lost, and off finds that Postgres does not get it", async () => {
    await call(clickHouseCommand, "on");
    await stage.count([shape(1, 10)]);
    await stage.execute("DELETE FROM clicks WHERE event_id = (SELECT max(event_id) FROM clicks)");
    const { exitCode, output } = await call(reconcileCommand);
    expect(output).toContain(
      "✗ ClickHouse: 1 of 1 quarters of an hour differ from what was counted, by 1 clicks",
    );
    expect(exitCode).toBe(1);
    expect((await call(clickHouseCommand, "on")).output).toContain("it has not what Postgres counted");
    expect((await call(clickHouseCommand, "off")).output).toContain("Postgres, but it has not all of");
  });

  it("on and off say what is missing", async () => {
    vi.stubEnv("CLICKHOUSE_URL", "");
    for (const command of ["on", "off"]) {
      expect((await call(clickHouseCommand, command)).output).toContain("CLICKHOUSE_URL is not set");
    }
  });
});

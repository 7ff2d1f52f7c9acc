/** Releases and restores: the version's section, and a dump that comes back whole. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createMigratedDatabase, createScratchDatabase } from "@hopline/testkit/postgres/scratch-database";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { execa } from "execa";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import { callCommand } from "../../testkit/test/call-command.ts";
import { queryOnce } from "../../testkit/test/query-once.ts";
import * as restoreCommand from "../src/commands/restore.ts";
import { dumpDatabase } from "../src/operate/restore-dump.ts";
import { planRelease } from "../src/operate/plan-release.ts";

describe("a release", () => {
  const text =
    "# Changelog\n\n## 0.2.0, unreleased\n\n- Something.\n\n## 0.1.0, 2026-11-25\n\n- All of it.\n";

  it("dates the version's section", () => {
    const planned = planRelease(text, "0.2.0", "2026-12-24");
    expect(planned).toEqual({ ok: true, value: text.replace("unreleased", "2026-12-24") });
  });

  it.each([
    ["a version in another form", text, "v0.2", '"v0.2" is not a version'],
    ["another version than the newest section's", text, "0.3.0", 'begins with "## 0.2.0, unreleased"'],
    ["one that has been released", text, "0.1.0", 'not with "## 0.1.0, unreleased"'],
    ["a section without an entry", text.replace("- Something.\n", ""), "0.2.0", "has no entry"],
  ])("is refused for %s", (_what, changelog, version, why) => {
    expect(planRelease(changelog, version, "2026-12-24")).toEqual({
      ok: false,
      error: expect.stringContaining(why),
    });
  });

  it("is possible of this repository's changelog as it is", async () => {
    const changelog = await readFile(inWorkspace("CHANGELOG.md"), "utf8");
    const [, version = ""] = /^## (\S+), unreleased$/m.exec(changelog) ?? [];
    expect(planRelease(changelog, version, "2026-12-24").ok).toBe(true);
  });
});

/** pg_dump refuses a server that is newer than itself; the weekly workflow brings one that is not. */
const serverMajor =
  Number(
    (await queryOnce(process.env["DATABASE_URL"] ?? "", "SHOW server_version_num"))[0]?.[
      "server_version_num"
    ],
  ) / 10_000;
const found = await execa("pg_dump", ["--version"], { reject: false });
const toolMajor = Number(/ (\d+)/.exec(found.stdout ?? "")?.[1] ?? 0);

it("finds the programs that the workflow has installed", () => {
  expect(toolMajor).toBeGreaterThanOrEqual(Number(process.env["EXPECTED_POSTGRES_CLIENT"] ?? 0));
});

describe.runIf(toolMajor >= Math.floor(serverMajor))("a dump", () => {
  it("comes back into an empty database, is of this release, and adds up; one that is not empty is left alone", async () => {
    const source = await createMigratedDatabase(process.env["DATABASE_URL"] ?? "");
    onTestFinished(() => source.drop());
    const target = await createScratchDatabase(process.env["DATABASE_URL"] ?? "");
    onTestFinished(() => target.drop());
    const folder = await mkdtemp(join(tmpdir(), "hopline-dump-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    vi.stubEnv("DATABASE_URL", source.url);
    onTestFinished(() => void vi.unstubAllEnvs());
    await queryOnce(source.url, "INSERT INTO workspaces (id, name) VALUES (gen_random_uuid(), 'Kept')");
    const file = join(folder, "hopline.dump");
    await dumpDatabase(source.url, file);

    const restored = await callCommand(restoreCommand, ["--into", target.url, file]);
    expect([restored.exitCode, restored.output]).toEqual([0, expect.stringContaining("Everything adds up.")]);
    expect(restored.output).toContain(", 0 new;");
    expect(await queryOnce(target.url, "SELECT name FROM workspaces")).toEqual([{ name: "Kept" }]);
    const again = await callCommand(restoreCommand, ["--into", target.url, file]);
    expect([again.exitCode, again.output]).toEqual([
      1,
      expect.stringContaining("is not empty: nothing was restored"),
    ]);
  });
});

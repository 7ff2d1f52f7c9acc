/** The commands as a person or a script meets them: what they print, and how they end. */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { DatabaseServer } from "@hopline/testkit/postgres/database-server";
import { isPortFree } from "@hopline/testkit/postgres/free-port";
import { callCommand } from "../../testkit/test/call-command.ts";
import { openTestServer } from "../../testkit/test/test-server.ts";
import { waitUntil } from "../../testkit/test/wait-until.ts";
import * as migrateCommand from "../src/commands/migrate.ts";
import * as withDatabaseCommand from "../src/commands/with-database.ts";

const MAIN = join(import.meta.dirname, "../src/main.ts");

/** Runs `with-database` in a process of its own. */
function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  let output = "";
  const child = execa(process.execPath, [MAIN, "with-database", ...args], {
    env: { DATABASE_URL: "", ...environment },
    stdin: "ignore",
    all: true,
    stripFinalNewline: false,
    reject: false,
  });
  child.all.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return { child, output: () => output };
}

let server: DatabaseServer;
beforeAll(async () => {
  server = await openTestServer();
});
afterAll(() => server.stop());

describe("with-database", () => {
  const script = join(import.meta.dirname, "fixtures/ask-database.mjs");

  it("gives the command a database of its own, its exit code back, and ends the server", async () => {
    const { exitCode, all: output } = await run(["node", script]).child;
    expect(output).toMatch(
      /^(?:The user postgres cannot enter .*\n)?Postgres 18\.\d+ on 127\.0\.0\.1:\d+\nanswer 42\n$/,
    );
    expect(exitCode).toBe(7);
    const port = Number(/:(\d+)\n/.exec(output)?.[1]);
    expect(await isPortFree(port)).toBe(true);
  });

  it("uses the database that DATABASE_URL names", async () => {
    const { exitCode, all: output } = await run(["node", script], { DATABASE_URL: server.url }).child;
    expect(output).toMatch(/^Postgres .* \(DATABASE_URL\)\nanswer 42\n$/);
    expect(exitCode).toBe(7);
  });

  it("runs commands on the pinned Node, whatever is first on the PATH", async () => {
    const { all } = await run(["node", "--version"], { DATABASE_URL: server.url }).child;
    expect(all).toMatch(/\nv24\./);
  });

  it.each(["SIGTERM", "SIGINT"] as const)("hands %s on and ends the server", async (signal) => {
    const { child, output } = run(["sh", "-c", "echo running; exec sleep 600"]);
    await waitUntil("the command runs", () => output().includes("running"));
    const port = Number(/:(\d+)\n/.exec(output())?.[1]);
    child.kill(signal);
    expect((await child).exitCode).toBe(signal === "SIGTERM" ? 143 : 130);
    expect(await isPortFree(port)).toBe(true);
  });

  it("leaves nothing behind when a signal comes while the server is being made", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hopline-test-"));
    chmodSync(folder, 0o755);
    const { child } = run(["sleep", "600"], { TMPDIR: folder });
    await waitUntil("it is being made", () => readdirSync(folder).length > 0);
    child.kill("SIGTERM");
    expect((await child).exitCode).toBe(143);
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  it("says that there is no such command", async () => {
    const environment = { DATABASE_URL: server.url };
    expect(await callCommand(withDatabaseCommand, ["no-such-command"], environment)).toEqual({
      exitCode: 1,
      output: expect.stringMatching(/\n✗ no-such-command did not start: there is no such command\.\n$/),
    });
  });
});

describe("migrate", () => {
  it.each([
    ["an address that is not one", "sekret", /^✗ DATABASE_URL is not a Postgres address: .*\n$/],
    [
      "a server that is not there",
      "postgresql://u:sekret@127.0.0.1:1/x",
      /^✗ The database at .* cannot be reached: .*\n$/,
    ],
  ])("says what is wrong with %s in one line", async (_, url, message) => {
    const { exitCode, output } = await callCommand(migrateCommand, [], { DATABASE_URL: url });
    expect(output).toMatch(message);
    expect(output).not.toContain("sekret");
    expect(exitCode).toBe(1);
  });

  it("says that the database does not exist", async () => {
    const url = new URL(server.url);
    url.pathname = "/not_there";
    expect(await callCommand(migrateCommand, [], { DATABASE_URL: url.href })).toEqual({
      exitCode: 1,
      output: expect.stringMatching(/^✗ There is no database at .*\/not_there: .*\n$/),
    });
  });
});

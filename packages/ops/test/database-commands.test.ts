/** The commands as a person or a script meets them: what they print, and how they end. */
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { DatabaseServer } from "@hopline/testkit/postgres/database-server";
import { isPortFree } from "@hopline/testkit/postgres/free-port";
import { openTestServer } from "../../testkit/test/test-server.ts";
import { waitUntil } from "../../testkit/test/wait-until.ts";

const COMMANDS = join(import.meta.dirname, "../src/commands");

type Run = {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>;
  readonly output: () => string;
};

function run(
  command: string,
  args: readonly string[],
  databaseUrl?: string,
  more?: Record<string, string>,
): Run {
  const { DATABASE_URL: _, ...rest } = process.env;
  const env = { ...rest, ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }), ...more };
  const child = spawn(process.execPath, [join(COMMANDS, command), ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
    child.once("close", (code) => resolve({ code, output }));
  });
  return { child, ended, output: () => output };
}

let server: DatabaseServer;
beforeAll(async () => {
  server = await openTestServer();
});
afterAll(() => server.stop());

describe("with-database", () => {
  const script = join(import.meta.dirname, "fixtures/ask-database.mjs");

  it("gives the command a database of its own, its exit code back, and ends the server", async () => {
    const { code, output } = await run("with-database.ts", ["node", script]).ended;
    expect(output).toMatch(
      /^(?:The user postgres cannot enter .*\n)?Postgres 18\.\d+ on 127\.0\.0\.1:\d+\nanswer 42\n$/,
    );
    expect(code).toBe(7);
    const port = Number(/:(\d+)\n/.exec(output)?.[1]);
    expect(await isPortFree(port)).toBe(true);
  });

  it("uses the database that DATABASE_URL names", async () => {
    const { code, output } = await run("with-database.ts", ["node", script], server.url).ended;
    expect(output).toMatch(/^Postgres .* \(DATABASE_URL\)\nanswer 42\n$/);
    expect(code).toBe(7);
  });

  it("runs commands on the pinned Node, whatever is first on the PATH", async () => {
    const { output } = await run("with-database.ts", ["node", "--version"], server.url).ended;
    expect(output).toMatch(/\nv24\./);
  });

  it.each(["SIGTERM", "SIGINT"] as const)("hands %s on and ends the server", async (signal) => {
    const { child, ended, output } = run("with-database.ts", ["sh", "-c", "echo running; exec sleep 600"]);
    await waitUntil("the command runs", () => output().includes("running"));
    const port = Number(/:(\d+)\n/.exec(output())?.[1]);
    child.kill(signal);
    expect((await ended).code).toBe(signal === "SIGTERM" ? 143 : 130);
    expect(await isPortFree(port)).toBe(true);
  });

  it("leaves nothing behind when a signal comes while the server is being made", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hopline-test-"));
    chmodSync(folder, 0o755);
    const { child, ended } = run("with-database.ts", ["sleep", "600"], undefined, { TMPDIR: folder });
    await waitUntil("it is being made", () => readdirSync(folder).length > 0);
    child.kill("SIGTERM");
    expect((await ended).code).toBe(143);
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  it.each([
    ["no command", [], /^Say what to run: /],
    [
      "an unknown one",
      ["no-such-command"],
      /no-such-command did not start: there is no such command to run\.\n$/,
    ],
  ])("says what is wrong with %s", async (_, args, message) => {
    const { code, output } = await run("with-database.ts", args, server.url).ended;
    expect(output).toMatch(message);
    expect(code).toBe(1);
  });
});

describe("migrate", () => {
  it.each([
    ["no DATABASE_URL", undefined, /^DATABASE_URL is not set: .*\n$/],
    ["an address out of form", "sekret", /^DATABASE_URL is not a Postgres address: .*\n$/],
    [
      "a server that is not there",
      "postgresql://u:sekret@127.0.0.1:1/x",
      /^The database at .* cannot be reached: .*\n$/,
    ],
  ])("says what is wrong with %s in one line", async (_, url, message) => {
    const { code, output } = await run("migrate.ts", [], url).ended;
    expect(output).toMatch(message);
    expect(output).not.toContain("sekret");
    expect(code).toBe(1);
  });

  it("says that the database does not exist", async () => {
    const url = new URL(server.url);
    url.pathname = "/not_there";
    const { code, output } = await run("migrate.ts", [], url.href).ended;
    expect(output).toMatch(/^There is no database at .*\/not_there: .*\n$/);
    expect(code).toBe(1);
  });
});

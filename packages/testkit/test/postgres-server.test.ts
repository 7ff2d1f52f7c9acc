import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { isPortFree } from "../src/postgres/free-port.ts";
import {
  type PostgresOptions,
  type PostgresServer,
  removePostgresData,
  startPostgres,
} from "../src/postgres/postgres-server.ts";
import { findProcess } from "../src/postgres/process-identity.ts";
import { queryOnce } from "./query-once.ts";
import { waitUntil } from "./wait-until.ts";

const servers: PostgresServer[] = [];
let log: string[] = [];

async function start(options: Partial<PostgresOptions> = {}): Promise<PostgresServer> {
  const server = await startPostgres({ durable: false, onLog: (line) => log.push(line), ...options });
  servers.push(server);
  return server;
}

/** Fit for the user that root runs Postgres as. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hopline-test-"));
  chmodSync(folder, 0o755);
  return folder;
}

beforeEach(() => {
  log = [];
});

afterEach(async () => {
  for (const server of servers.splice(0)) {
    await server.stop();
  }
});

describe("a throw-away server", () => {
  it("answers on 127.0.0.1 in UTC and Unicode, and leaves nothing behind", async () => {
    const server = await start();
    const [row] = await queryOnce(
      server.url,
      "SELECT host(inet_server_addr()) AS host, current_setting('TimeZone') AS zone, upper('é') AS upper",
    );
    expect(row).toEqual({ host: "127.0.0.1", zone: "UTC", upper: "É" });
    expect(existsSync(server.dataDirectory)).toBe(true);
    await server.stop();
    expect(existsSync(dirname(server.dataDirectory))).toBe(false);
    expect(await isPortFree(server.port)).toBe(true);
  });

  it("refuses a connection without the password", async () => {
    const server = await start();
    const url = new URL(server.url);
    url.password = "guess";
    await expect(queryOnce(url.href, "SELECT 1")).rejects.toThrow(/password authentication failed/);
  });

  it.each(["fast", "crash"] as const)("comes back on its port with its data after a %s halt", async (how) => {
    const server = await start();
    await queryOnce(server.url, "CREATE TABLE kept AS SELECT 42 AS n");
    await server.halt(how);
    await expect(queryOnce(server.url, "SELECT 1")).rejects.toThrow(/ECONNREFUSED/);
    await server.start();
    expect(await queryOnce(server.url, "SELECT n FROM kept")).toEqual([{ n: 42 }]);
  });

  it("tells when it ended without being asked to, and only then", async () => {
    const reasons: string[] = [];
    const server = await start({ onUnexpectedEnd: (reason) => reasons.push(reason) });
    await server.restart("crash");
    expect(reasons).toEqual([]);
    const pid = Number.parseInt(readFileSync(join(server.dataDirectory, "postmaster.pid"), "utf8"), 10);
    process.kill(pid, "SIGQUIT");
    await waitUntil("the end was told", () => reasons.length === 1);
    expect(reasons[0]).toMatch(/shut down/);
  });

  it("ends, data and all, when the process that started it is killed", async () => {
    const script = join(import.meta.dirname, "fixtures/start-throw-away.ts");
    const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
    const line = await new Promise<string>((resolve) =>
      createInterface({ input: child.stdout }).once("line", resolve),
    );
    const { port, directory } = JSON.parse(line) as { port: number; directory: string };
    expect(existsSync(directory)).toBe(true);
    child.kill("SIGKILL");
    await waitUntil("the port is free", () => isPortFree(port));
    await waitUntil("the data is gone", () => !existsSync(dirname(directory)));
  });
});

/** One folder after the other's: each test finds the cluster that the one before has left stopped. */
describe("a durable server", () => {
  let home = "";
  const startAgain = () => start({ durable: true, dataDirectory: join(home, "postgres") });

  beforeAll(() => {
    home = makeFolder();
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it("keeps data and password from run to run", async () => {
    const first = await startAgain();
    await queryOnce(first.url, "CREATE TABLE kept AS SELECT 7 AS n");
    await first.stop();
    const second = await startAgain();
    expect(new URL(second.url).password).toBe(new URL(first.url).password);
    expect(await queryOnce(second.url, "SELECT n FROM kept")).toEqual([{ n: 7 }]);
  });

  it("refuses a second run on the same folder and names the first", async () => {
    await startAgain();
    await expect(startAgain()).rejects.toThrow(`is in use by process ${process.pid}`);
    await expect(removePostgresData(join(home, "postgres"), () => undefined)).rejects.toThrow(
      /is in use by process/,
    );
  });

  it("takes over from a run that died and left its server behind", async () => {
    const first = await startAgain();
    const ownerFile = join(dirname(first.dataDirectory), "owner.json");
    writeFileSync(ownerFile, JSON.stringify({ pid: process.pid, startedAt: "in another life" }));
    const second = await startAgain();
    expect(log.at(-1)).toMatch(/Stopped a Postgres that an earlier run had left behind/);
    expect(await queryOnce(second.url, "SELECT 1 AS n")).toEqual([{ n: 1 }]);
  });

  it("starts over a lock file whose process number went to another process", async () => {
    const first = await startAgain();
    const lockFile = join(first.dataDirectory, "postmaster.pid");
    const lock = readFileSync(lockFile, "utf8");
    await first.stop();
    writeFileSync(lockFile, lock.replace(/^\d+/, String(process.pid)));
    const second = await startAgain();
    expect(await queryOnce(second.url, "SELECT 1 AS n")).toEqual([{ n: 1 }]);
  });

  it("refuses the data of another major version, and replaces a half-made cluster", async () => {
    const first = await startAgain();
    await first.stop();
    writeFileSync(join(first.dataDirectory, "PG_VERSION"), "17\n");
    await expect(startAgain()).rejects.toThrow(/made by Postgres 17 and this is 18; `pnpm dev --reset`/);
    rmSync(first.dataDirectory, { recursive: true });
    writeFileSync(join(dirname(first.dataDirectory), "data.new"), "half a cluster");
    const second = await startAgain();
    expect(await queryOnce(second.url, "SELECT 1 AS n")).toEqual([{ n: 1 }]);
    await second.stop();
    await removePostgresData(join(home, "postgres"), () => undefined);
    expect(existsSync(second.dataDirectory)).toBe(false);
  });
});

it.runIf(process.getuid?.() === 0)(
  "moves the data out of a folder that only root may enter, and says so",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "hopline-test-"));
    const startDurable = () => start({ durable: true, dataDirectory: join(folder, "postgres") });
    const server = await startDurable();
    expect(log.at(-1)).toMatch(/^The user postgres cannot enter this checkout: its database runs from \//);
    expect(server.dataDirectory.startsWith(folder)).toBe(false);
    await queryOnce(server.url, "CREATE TABLE kept AS SELECT 7 AS n");
    await server.stop();
    const second = await startDurable();
    expect(await queryOnce(second.url, "SELECT n FROM kept")).toEqual([{ n: 7 }]);
    await second.stop();
    await removePostgresData(join(folder, "postgres"), () => undefined);
    expect(existsSync(dirname(second.dataDirectory))).toBe(false);
    rmSync(folder, { recursive: true });
  },
);

it("says that a port is taken", async () => {
  const squatter = createServer();
  const port = await new Promise<number>((resolve) => {
    squatter.listen(0, "127.0.0.1", () => {
      const address = squatter.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
  await expect(start({ port })).rejects.toThrow(`Port ${port} of 127.0.0.1 is taken`);
  squatter.close();
});

it("says why Postgres itself refused to start", async () => {
  await expect(start({ settings: { shared_buffers: "minus one" } })).rejects.toThrow(
    /Postgres did not start: .*shared_buffers/,
  );
});

describe("the identity of a process", () => {
  it("is stable while it lives and absent afterwards", async () => {
    const child = spawn("sleep", ["60"]);
    await new Promise((resolve) => child.once("spawn", resolve));
    const pid = child.pid ?? 0;
    const before = findProcess(pid);
    expect(before?.command).toContain("sleep 60");
    expect(findProcess(pid)).toEqual(before);
    child.kill();
    await waitUntil("it is gone", () => findProcess(pid) === null);
  });
});

import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { execa } from "execa";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { isPortFree } from "../src/postgres/free-port.ts";
import { type PostgresOptions, type PostgresServer, startPostgres } from "../src/postgres/postgres-server.ts";
import { queryOnce } from "./query-once.ts";
import { waitUntil } from "./wait-until.ts";

const servers: PostgresServer[] = [];
let log: string[] = [];

async function start(options: PostgresOptions = {}): Promise<PostgresServer> {
  const server = await startPostgres({ onLog: (line) => log.push(line), ...options });
  servers.push(server);
  return server;
}

const portOf = ({ url }: { readonly url: string }) => Number(new URL(url).port);
const lockFileOf = (server: PostgresServer) => join(server.dataDirectory, "postmaster.pid");
const processOf = (server: PostgresServer) => Number.parseInt(readFileSync(lockFileOf(server), "utf8"), 10);

beforeEach(() => {
  log = [];
});

afterEach(async () => {
  for (const server of servers.splice(0)) {
    await server.stop();
  }
});

describe("a throw-away server", () => {
  it("answers here in UTC and Unicode, to its password only; keeps data when halted; reports only an end that was not asked for, and starts after it; leaves nothing behind", async () => {
    const reasons: string[] = [];
    const server = await start({ onUnexpectedEnd: (reason) => reasons.push(reason) });
    const [row] = await queryOnce(
      server.url,
      "SELECT host(inet_server_addr()) AS host, current_setting('TimeZone') AS zone, upper('é') AS upper",
    );
    expect(row).toEqual({ host: "127.0.0.1", zone: "UTC", upper: "É" });
    const url = new URL(server.url);
    url.password = "guess";
    await expect(queryOnce(url.href, "SELECT 1")).rejects.toThrow(/password authentication failed/);
    await queryOnce(server.url, "CREATE TABLE kept AS SELECT 42 AS n");
    for (const how of ["fast", "crash"] as const) {
      await server.halt(how);
      await expect(queryOnce(server.url, "SELECT 1")).rejects.toThrow(/ECONNREFUSED/);
      await server.start();
      expect(await queryOnce(server.url, "SELECT n FROM kept")).toEqual([{ n: 42 }]);
    }
    expect(reasons).toEqual([]);
    process.kill(processOf(server), "SIGQUIT");
    await waitUntil("the end was reported", () => reasons.length === 1);
    expect(reasons[0]).toMatch(/shut down/);
    await server.start();
    expect(await queryOnce(server.url, "SELECT n FROM kept")).toEqual([{ n: 42 }]);
    await server.stop();
    expect(existsSync(dirname(server.dataDirectory))).toBe(false);
    expect(await isPortFree(portOf(server))).toBe(true);
  });

  it("ends, data and all, when the process that started it is killed", async () => {
    const child = execa(process.execPath, [join(import.meta.dirname, "fixtures/start-throw-away.ts")], {
      reject: false,
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await waitUntil("it has started", () => output.endsWith("\n"));
    const server = JSON.parse(output) as { url: string; directory: string };
    expect(existsSync(server.directory)).toBe(true);
    child.kill("SIGKILL");
    await waitUntil("the port is free", () => isPortFree(portOf(server)));
    await waitUntil("the data is gone", () => !existsSync(dirname(server.directory)));
  });
});

/** One folder after the other's: each test finds the cluster that the one before has left stopped. */
describe("a durable server", () => {
  let home = "";
  const startAgain = () => start({ dataDirectory: join(home, "postgres") });

  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), "hopline-test-"));
    // Fit for the user that root runs Postgres as.
    chmodSync(home, 0o755);
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it("keeps data and password, and ends a server that an earlier run left behind", async () => {
    const first = await startAgain();
    await queryOnce(first.url, "CREATE TABLE kept AS SELECT 7 AS n");
    const second = await startAgain();
    expect(log).toEqual([expect.stringMatching(/^Stopped a Postgres that an earlier run had left behind/)]);
    expect(await isPortFree(portOf(first))).toBe(true);
    expect(new URL(second.url).password).toBe(new URL(first.url).password);
    expect(await queryOnce(second.url, "SELECT n FROM kept")).toEqual([{ n: 7 }]);
  });

  it("says why Postgres refused to start", async () => {
    const settings = { shared_buffers: "minus one" };
    await expect(start({ dataDirectory: join(home, "postgres"), settings })).rejects.toThrow(
      /^Postgres did not start: .*shared_buffers/,
    );
  });

  it("starts over a lock file whose process number went to another process", async () => {
    const first = await startAgain();
    const lock = readFileSync(lockFileOf(first), "utf8");
    await first.stop();
    writeFileSync(lockFileOf(first), lock.replace(/^\d+/, String(process.pid)));
    const second = await startAgain();
    expect(await queryOnce(second.url, "SELECT 1 AS n")).toEqual([{ n: 1 }]);
    expect(log).toEqual([]);
  });

  it("refuses the data of another major version, and replaces a half-made cluster", async () => {
    const first = await startAgain();
    await first.stop();
    writeFileSync(join(first.dataDirectory, "PG_VERSION"), "17\n");
    await expect(startAgain()).rejects.toThrow(/by PostgreSQL version 17, .*18.*`pnpm dev --reset`/);
    rmSync(first.dataDirectory, { recursive: true });
    writeFileSync(join(dirname(first.dataDirectory), "data.new"), "half a cluster");
    const second = await startAgain();
    expect(await queryOnce(second.url, "SELECT 1 AS n")).toEqual([{ n: 1 }]);
  });
});

it.runIf(process.getuid?.() === 0)(
  "moves the data out of a folder that only root may enter, says so, and drops it after a reset",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "hopline-test-"));
    const dataDirectory = join(folder, "postgres");
    const server = await start({ dataDirectory });
    expect(log.at(-1)).toMatch(/^The user postgres cannot enter this checkout: its database runs from \//);
    expect(server.dataDirectory.startsWith(folder)).toBe(false);
    await queryOnce(server.url, "CREATE TABLE kept AS SELECT 7 AS n");
    await server.stop();
    const second = await start({ dataDirectory });
    expect(await queryOnce(second.url, "SELECT n FROM kept")).toEqual([{ n: 7 }]);
    await second.stop();
    rmSync(dataDirectory, { recursive: true });
    const third = await start({ dataDirectory });
    expect(await queryOnce(third.url, "SELECT to_regclass('kept') AS kept")).toEqual([{ kept: null }]);
    await third.stop();
    rmSync(dirname(third.dataDirectory), { recursive: true });
    rmSync(folder, { recursive: true });
  },
);

/**
 * The embedded Postgres: starts it, knows its address, stops it, and lets chaos tests take it down and up again.
 *
 * Listens on 127.0.0.1 only, with a random password kept beside the data. The steps are here; the user it runs as is in
 * postgres-account.ts, the cluster in postgres-cluster.ts, the process in postgres-process.ts.
 */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { findFreePort } from "./free-port.ts";
import { findMemoryFolder } from "./memory-folder.ts";
import { choosePostgresAccount, findEnterable } from "./postgres-account.ts";
import { createCluster, endLeftover } from "./postgres-cluster.ts";
import { launchPostgres, type PostgresProcess } from "./postgres-process.ts";
import { findPostgresPrograms } from "./postgres-programs.ts";

export type PostgresOptions = {
  /**
   * Where the data stays between runs; the caller makes sure that no other run uses it. Without it the server is for
   * tests: no fsync, and a folder that is removed by `stop`.
   */
  readonly dataDirectory?: string;
  /** Throw-away data in memory, if there is enough of it. Not for what is measured. */
  readonly isInMemory?: boolean;
  /** More server settings, `name: value`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The folder of another server's `initdb` and `postgres`, which its account can enter. */
  readonly programs?: string;
  /** More variables of the server's processes. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly onLog?: (line: string) => void;
  /** The server ended without being asked to; the argument is the signal, or the last line of its log. */
  readonly onUnexpectedEnd?: (reason: string) => void;
};

export type PostgresServer = AsyncDisposable & {
  /** Superuser on the database `postgres`. Holds the password: not for logs. */
  readonly url: string;
  /** Where the data really lies; as root that may not be where it was asked for. */
  readonly dataDirectory: string;
  /** Takes the server down and keeps its data: "crash" is what a power cut looks like to clients. */
  halt(how?: "fast" | "crash"): Promise<void>;
  /** Brings a server that was halted, or ended by itself, back on the same port and data; nothing to do while it runs. */
  start(): Promise<void>;
  /** Ends the server for good; throw-away data goes with it. May be called twice. */
  stop(): Promise<void>;
};

/** Postgres's default of 100 connections is little for parallel test files with a pool each. */
const BASE_SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  timezone: "UTC",
  log_timezone: "UTC",
  lc_messages: "C",
  logging_collector: "off",
  log_destination: "stderr",
  // `log` hides errors of single statements, which belong to their client, and keeps start, stop and crashes.
  log_min_messages: "log",
};

/**
 * What a test database may lose: everything, when the machine goes down. Not when the server does: commits stay
 * synchronous, or a chaos test that crashes the server would miss rows that were reported as written.
 */
const THROW_AWAY_SETTINGS = { fsync: "off", full_page_writes: "off" };

/** For `settings` of a throw-away server that commits to disk as Neon would: what that costs belongs in a figure. */
export const DURABLE: Readonly<Record<string, string>> = { fsync: "on", full_page_writes: "on" };

/** Starts a server; what stands in the way (rights, other version, missing programs) is a Failure in one line. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const { onLog = () => undefined, onUnexpectedEnd = () => undefined } = options;
  const isDurable = options.dataDirectory !== undefined;
  const folder = (options.isInMemory === true ? findMemoryFolder() : null) ?? tmpdir();
  const wanted = options.dataDirectory ?? join(folder, `hopline-postgres-${randomBytes(8).toString("hex")}`);
  const account = choosePostgresAccount(onLog);
  const home = {
    account,
    isDurable,
    directory: findEnterable(account, wanted),
    programs: options.programs ?? findPostgresPrograms(account),
  };
  const dataDirectory = join(home.directory, "data");
  const cleanUp = () => isDurable || rmSync(home.directory, { recursive: true, force: true });
  let running: PostgresProcess | null = null;
  try {
    if (isDurable) {
      await prepareDurableHome(home, wanted, onLog);
    }
    const password = await createCluster(home);
    const port = await findFreePort();
    const settings = { ...BASE_SETTINGS, ...(isDurable ? {} : THROW_AWAY_SETTINGS), ...options.settings };
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const start = async () => {
      running ??= await launchPostgres({
        program: join(home.programs, "postgres"),
        args: ["-D", dataDirectory, "-p", String(port), ...flags],
        dataDirectory,
        account,
        environment: options.environment ?? {},
        throwAwayDirectory: isDurable ? null : home.directory,
        onUnexpectedEnd: (reason) => {
          running = null;
          onUnexpectedEnd(reason);
        },
      });
    };
    const halt = async (how: "fast" | "crash" = "fast") => {
      const ending = running;
      running = null;
      await ending?.end(how);
    };
    await start();
    const stop = async () => {
      await halt();
      cleanUp();
    };
    return {
      url: `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`,
      dataDirectory,
      halt,
      start,
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    cleanUp();
    throw error;
  }
}

/** Where the data lies elsewhere, the folder that was asked for is kept empty: `pnpm dev --reset` removes it. */
async function prepareDurableHome(
  home: Parameters<typeof endLeftover>[0],
  wanted: string,
  onLog: (line: string) => void,
): Promise<void> {
  await endLeftover(home, onLog);
  if (home.directory === resolve(wanted)) {
    return;
  }
  onLog(`The user postgres cannot enter this checkout: its database runs from ${home.directory}`);
  if (!existsSync(wanted)) {
    rmSync(home.directory, { recursive: true, force: true });
    mkdirSync(wanted);
  }
}

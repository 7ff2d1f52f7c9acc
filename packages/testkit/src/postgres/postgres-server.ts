/**
 * The embedded Postgres: starts it, knows its address, stops it, and lets chaos tests take it down and up again.
 *
 * Listens on 127.0.0.1 only, with a random password kept beside the data. The steps are here; where things live is in
 * postgres-home.ts, the cluster in postgres-cluster.ts, the process in postgres-process.ts.
 */
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";

import type { Account } from "./enterable-folder.ts";
import { describeError, Failure } from "../console/failure.ts";
import { findFreePort, isPortFree } from "./free-port.ts";
import { choosePostgresAccount } from "./postgres-account.ts";
import { findPostgresBinaries, programIn } from "./postgres-binaries.ts";
import {
  claimHome,
  copyCluster,
  createCluster,
  readServerVersion,
  releaseHome,
  settleLeftover,
} from "./postgres-cluster.ts";
import {
  locateHome,
  openHome,
  openThrowAwayHome,
  placeBinaries,
  type PostgresHome,
} from "./postgres-home.ts";
import { type LaunchOptions, launchPostgres, type PostgresProcess } from "./postgres-process.ts";

export type PostgresOptions = {
  /** Where the data stays between runs; not used (and not needed) when `durable` is false. */
  readonly dataDirectory?: string;
  /** Without it a free port is found. */
  readonly port?: number;
  /** false: no fsync, and a folder that is removed by `stop`; for tests. */
  readonly durable: boolean;
  /** More server settings, `name: value`. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly onLog: (line: string) => void;
  /** The server ended without being asked to; the argument is the last line of its log. */
  readonly onUnexpectedEnd?: (reason: string) => void;
};

export type PostgresServer = {
  /** Superuser on the database `postgres`. Holds the password: not for logs. */
  readonly url: string;
  readonly port: number;
  /** Where the data really lies; as root that may not be where it was asked for. */
  readonly dataDirectory: string;
  /** `18.4` */
  readonly version: string;
  /** Takes the server down and keeps its data: "crash" is what a power cut looks like to clients. */
  halt(how?: "fast" | "crash"): Promise<void>;
  /** Brings a halted server back on the same port and data; nothing to do while it runs. */
  start(): Promise<void>;
  restart(how?: "fast" | "crash"): Promise<void>;
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
 * synchronous, or a chaos test that crashes the server would miss rows it was told were there.
 */
const THROW_AWAY_SETTINGS = { fsync: "off", full_page_writes: "off" };

const PORT_ATTEMPTS = 5;

/** Starts a server; what prevents it (port, rights, other version, other run) is a Failure in one line. */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const place = choosePlace(options);
  const { home } = place;
  const cleanUp = () => {
    if (!options.durable) {
      rmSync(home.directory, { recursive: true, force: true });
    }
  };
  try {
    const password = await prepareCluster(place, options);
    const version = await readServerVersion(place.binariesDirectory, place.account);
    const launch = (port: number) => launchPostgres(launchOptions(place, options, port));
    const { port, running } = await launchOnPort(launch, options.port);
    claimHome(home);
    const lifecycle = createLifecycle(
      running,
      () => launch(port),
      options.onUnexpectedEnd ?? (() => undefined),
    );
    return {
      url: `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`,
      port,
      dataDirectory: home.dataDirectory,
      version,
      ...lifecycle,
      async stop() {
        await lifecycle.halt("fast");
        releaseHome(home);
        cleanUp();
      },
    };
  } catch (error) {
    cleanUp();
    throw error;
  }
}

type Place = {
  readonly account: Account | null;
  readonly binariesDirectory: string;
  readonly label: string;
  readonly home: PostgresHome;
};

function choosePlace(options: PostgresOptions): Place {
  const account = choosePostgresAccount(options.onLog);
  const binaries = findPostgresBinaries();
  const binariesDirectory = placeBinaries(binaries, account);
  const wanted = options.durable ? requireDataDirectory(options) : null;
  const home = wanted === null ? openThrowAwayHome(account) : openHome(locateHome(wanted, account), account);
  const isMoved = wanted !== null && home.directory !== resolve(wanted);
  if (isMoved || binariesDirectory !== binaries.directory) {
    options.onLog(`The user postgres cannot enter this checkout: its database runs from ${home.directory}`);
  }
  return { account, binariesDirectory, label: binaries.label, home };
}

/** Resolves with the password of a cluster that no other run uses. */
async function prepareCluster(place: Place, options: PostgresOptions): Promise<string> {
  const cluster = { ...place, isDurable: options.durable };
  if (!options.durable) {
    return copyCluster(cluster);
  }
  await settleLeftover(place.home, options.onLog);
  return createCluster(cluster);
}

function launchOptions(place: Place, options: PostgresOptions, port: number): LaunchOptions {
  const { dataDirectory, directory } = place.home;
  return {
    program: programIn(place.binariesDirectory, "postgres"),
    args: ["-D", dataDirectory, "-p", String(port), ...settingFlags(options)],
    dataDirectory,
    account: place.account,
    throwAwayDirectory: options.durable ? null : directory,
  };
}

/** Removes the data that `startPostgres` keeps for this folder, wherever it really lies; a live server is a Failure. */
export async function removePostgresData(
  dataDirectory: string,
  onLog: (line: string) => void,
): Promise<void> {
  const directory = locateHome(dataDirectory, choosePostgresAccount(onLog));
  const files = { ownerFile: join(directory, "owner.json"), passwordFile: join(directory, "password") };
  await settleLeftover({ directory, dataDirectory: join(directory, "data"), ...files }, onLog);
  rmSync(directory, { recursive: true, force: true });
}

type Lifecycle = Pick<PostgresServer, "halt" | "start" | "restart">;

/** Keeps halt and start in order, and tells a wanted end from an unwanted one. */
function createLifecycle(
  first: PostgresProcess,
  launch: () => Promise<PostgresProcess>,
  onUnexpectedEnd: (reason: string) => void,
): Lifecycle {
  let running: PostgresProcess | null = null;
  let previous: Promise<unknown> = Promise.resolve();
  const inOrder = <T>(step: () => Promise<T>): Promise<T> => {
    const next = previous.then(step, step);
    previous = next.catch(() => undefined);
    return next;
  };
  const adopt = (process: PostgresProcess) => {
    running = process;
    void process.ended.then((lines) => {
      if (running === process) {
        running = null;
        onUnexpectedEnd(lines.at(-1) ?? "no last word");
      }
    });
  };
  const halt = async (how: "fast" | "crash") => {
    const ending = running;
    running = null;
    await ending?.end(how);
  };
  const start = async () => {
    if (running === null) {
      adopt(await launch());
    }
  };
  adopt(first);
  return {
    halt: (how = "fast") => inOrder(() => halt(how)),
    start: () => inOrder(start),
    restart: (how = "fast") => inOrder(() => halt(how).then(start)),
  };
}

async function launchOnPort(
  launch: (port: number) => Promise<PostgresProcess>,
  wantedPort: number | undefined,
): Promise<{ readonly port: number; readonly running: PostgresProcess }> {
  if (wantedPort !== undefined) {
    if (!(await isPortFree(wantedPort))) {
      throw new Failure(
        `Port ${wantedPort} of 127.0.0.1 is taken; choose another for the database, or free it.`,
      );
    }
    return { port: wantedPort, running: await launch(wantedPort) };
  }
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort();
    try {
      return { port, running: await launch(port) };
    } catch (error) {
      // The port may have been taken since it was found free; a retry helps nothing else.
      if (attempt === PORT_ATTEMPTS || !describeError(error).includes("could not bind")) {
        throw error;
      }
    }
  }
}

function settingFlags(options: PostgresOptions): string[] {
  const settings = { ...BASE_SETTINGS, ...(options.durable ? {} : THROW_AWAY_SETTINGS), ...options.settings };
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

function requireDataDirectory(options: PostgresOptions): string {
  if (options.dataDirectory === undefined) {
    throw new Error("invariant: a durable Postgres needs a data directory");
  }
  return options.dataDirectory;
}

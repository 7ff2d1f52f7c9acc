/** Runs the ClickHouse of tests and of `pnpm dev --clickhouse`: http-front.ts in a process that ends with ours. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { execa } from "execa";

import { Failure } from "../console/failure.ts";
import { findFreePort } from "../postgres/free-port.ts";
import { findMemoryFolder } from "../postgres/memory-folder.ts";
import { findClickHouseEngine, HOW_TO_FETCH } from "./engine-cache.ts";

export type ClickHouseServer = AsyncDisposable & {
  /** `http://user:password@127.0.0.1:port/database`, as CLICKHOUSE_URL has it. Holds the password: not for logs. */
  readonly url: string;
  /** Ends the process in the middle of whatever it does. Its data stay, and so does the URL. */
  kill(): Promise<void>;
  /** Starts it again after `kill`. */
  restart(): Promise<void>;
  /** Ends it, and removes its data unless the folder was given. */
  stop(): Promise<void>;
};

const START_TIMEOUT_MS = 60_000;
const USER = "hopline";
const PASSWORD = "local";
const DATABASE = "default";

export type ClickHouseOptions = {
  /** Kept by `stop`; without it, a folder that `stop` removes. */
  readonly dataDirectory?: string;
  /** That folder is in memory, where there is enough: the engine makes and removes files all the time. */
  readonly isInMemory?: boolean;
};

export async function startClickHouse(options: ClickHouseOptions = {}): Promise<ClickHouseServer> {
  const engine = findClickHouseEngine();
  if (engine === null) {
    throw new Failure(`ClickHouse's engine is not on this machine: ${HOW_TO_FETCH}.`);
  }
  const folder = (options.isInMemory === true ? findMemoryFolder() : null) ?? tmpdir();
  const dataDirectory = options.dataDirectory ?? mkdtempSync(join(folder, "hopline-clickhouse-"));
  const port = await findFreePort();
  const launch = () => launchFront([engine, dataDirectory, `${port}`, USER, PASSWORD]);
  let front = await launch();
  const stop = async () => {
    await front.end("SIGTERM");
    if (options.dataDirectory === undefined) {
      rmSync(dataDirectory, { recursive: true, force: true });
    }
  };
  return {
    url: `http://${USER}:${PASSWORD}@127.0.0.1:${port}/${DATABASE}`,
    kill: () => front.end("SIGKILL"),
    restart: async () => {
      front = await launch();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

type Front = { end(signal: "SIGKILL" | "SIGTERM"): Promise<void> };

async function launchFront(programArguments: readonly string[]): Promise<Front> {
  const program = join(import.meta.dirname, "http-front.ts");
  const child = execa(process.execPath, [program, ...programArguments], {
    all: true,
    buffer: false,
    reject: false,
    forceKillAfterDelay: START_TIMEOUT_MS,
  });
  const lastLines: string[] = [];
  const ready = Promise.withResolvers<"ready">();
  const follow = async (): Promise<void> => {
    for await (const line of child.iterable({ from: "all" })) {
      if (line === "ready") {
        ready.resolve("ready");
      }
      lastLines.push(line);
      lastLines.splice(0, lastLines.length - 5);
    }
  };
  const ended = follow();
  const timer = setTimeout(() => child.kill("SIGKILL"), START_TIMEOUT_MS);
  const first = await Promise.race([ready.promise, ended]);
  clearTimeout(timer);
  if (first !== "ready") {
    throw new Failure(`ClickHouse did not start: ${lastLines.join(" ") || (await child).shortMessage}`);
  }
  return {
    end: async (signal) => {
      if (signal === "SIGKILL") {
        child.kill("SIGKILL");
      } else {
        child.stdin.end();
      }
      await ended;
    },
  };
}

/**
 * One `workerd serve` of its own for each target, so that a process's CPU time is that target's alone. Owns the process:
 * it is ended by its id when the bench ends, also when the bench fails.
 */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

import { Failure } from "@hopline/testkit/console/failure";

import { endWithUs } from "./child-process.ts";
import { readCpuMicroseconds } from "./cpu-time.ts";

const START_TIMEOUT_MS = 10_000;

type PlatformCounts = {
  readonly kvReads: number;
  readonly kvWrites: number;
  readonly queueMessages: number;
  readonly sqlQueries: number;
  readonly cacheCalls: number;
  readonly serviceCalls: number;
  readonly feedReads: number;
};

export type WorkerdProcess = {
  readonly pid: number;
  /** Where the target listens on 127.0.0.1. */
  readonly port: number;
  /** User and system time of the whole process since it began. */
  cpuMicroseconds(): number;
  counts(): Promise<PlatformCounts>;
  /** The texts of the messages that the queues took since the last call. */
  takeMessages(): Promise<readonly string[]>;
  /** What the target and workerd have printed so far. */
  printed(): string;
  stop(): void;
};

/** Starts workerd on free ports. Rejects with a `Failure` that carries workerd's own message. */
export async function startWorkerd(configPath: string): Promise<WorkerdProcess> {
  const child = spawn(findWorkerd(), ["serve", "--experimental", configPath, "config", "--control-fd=3"], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const said: string[] = [];
  const keep = (chunk: Buffer): void => {
    said.push(chunk.toString("utf8"));
  };
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
  const stop = endWithUs(child);
  try {
    const ports = await readPorts(child.stdio[3] as Readable, ["http", "control"]);
    const { pid } = child;
    if (pid === undefined) {
      throw new Failure("workerd could not be started.");
    }
    return createHandle({
      pid,
      stop,
      printed: () => said.join("").trim(),
      httpPort: ports["http"] ?? 0,
      controlPort: ports["control"] ?? 0,
    });
  } catch {
    stop();
    throw new Failure(
      `workerd did not start with ${configPath}: ${said.join("").trim() || "it said nothing"}`,
    );
  }
}

type Handle = {
  readonly pid: number;
  readonly stop: () => void;
  readonly printed: () => string;
  readonly httpPort: number;
  readonly controlPort: number;
};

function createHandle({ pid, stop, printed, httpPort, controlPort }: Handle): WorkerdProcess {
  const ask = async (path: string): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${controlPort}/${path}`);
    return response.json();
  };
  return {
    pid,
    port: httpPort,
    cpuMicroseconds: () => readCpuMicroseconds(pid),
    counts: async () => (await ask("counts")) as PlatformCounts,
    takeMessages: async () => (await ask("messages")) as readonly string[],
    printed,
    stop,
  };
}

/** The package exports its binary's path, as the `default` of a CommonJS module without types. */
function findWorkerd(): string {
  const require = createRequire(import.meta.url);
  const exported: unknown = require("workerd");
  if (typeof exported === "object" && exported !== null && "default" in exported) {
    return String(exported.default);
  }
  throw new Failure("The workerd package no longer exports the path of its binary.");
}

/** workerd says `{"event":"listen","socket":"http","port":41234}` for each socket. */
function readPorts(control: Readable, sockets: readonly string[]): Promise<Record<string, number>> {
  const ports: Record<string, number> = {};
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("workerd did not listen in time")), START_TIMEOUT_MS);
    const lines = createInterface({ input: control });
    lines.on("line", (line) => {
      const event = JSON.parse(line) as { readonly socket?: string; readonly port?: number };
      if (event.socket !== undefined && event.port !== undefined) {
        ports[event.socket] = event.port;
      }
      if (sockets.every((name) => name in ports)) {
        clearTimeout(timer);
        resolve(ports);
      }
    });
    lines.once("close", () => {
      clearTimeout(timer);
      reject(new Error("workerd ended"));
    });
  });
}

/**
 * One `workerd serve` of its own for each target, so that a process's CPU time is that target's alone. It ends with this
 * process, however that ends: a forgotten workerd would disturb the next run.
 */
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

import { Failure } from "@hopline/testkit/console/failure";
import { execa } from "execa";

const START_TIMEOUT_MS = 10_000;

export type Profiled = {
  /** A program with its arguments that runs workerd: a profiler. */
  readonly under: readonly [string, ...string[]];
  /** Such a program takes its time. */
  readonly startTimeoutMs: number;
};

export type WorkerdProcess = {
  readonly pid: number;
  /** Where the target listens on 127.0.0.1. */
  readonly port: number;
  /** How often KV and the database were asked, and how many messages the queues took, since the start. */
  counts(): Promise<{ readonly lookUps: number; readonly queueMessages: number }>;
  /** The texts of the messages that the queues took since the last call. */
  takeMessages(): Promise<readonly string[]>;
  /** What the target and workerd have printed so far. */
  printed(): string;
  stop(): void;
};

/** Starts workerd on free ports. Rejects with a `Failure` that carries workerd's own message. */
export async function startWorkerd(configPath: string, profiled?: Profiled): Promise<WorkerdProcess> {
  const serve = [findWorkerd(), "serve", "--experimental", configPath, "config", "--control-fd=3"];
  const [program = "", ...programArguments] = [...(profiled?.under ?? []), ...serve];
  const child = execa(program, programArguments, {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    buffer: false,
    reject: false,
  });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => printed.push(chunk.toString("utf8")));
  }
  const ports = await readPorts(child.stdio[3] as Readable, profiled?.startTimeoutMs);
  const [port, control] = [ports.get("http"), ports.get("control")];
  if (child.pid === undefined || port === undefined || control === undefined) {
    child.kill("SIGKILL");
    throw new Failure(`workerd did not start with ${configPath}: ${printed.join("").trim() || "no output"}`);
  }
  const ask = async (path: string): Promise<unknown> =>
    (await fetch(`http://127.0.0.1:${control}/${path}`)).json();
  return {
    pid: child.pid,
    port,
    counts: async () => (await ask("counts")) as { lookUps: number; queueMessages: number },
    takeMessages: async () => (await ask("messages")) as readonly string[],
    printed: () => printed.join("").trim(),
    stop: () => void child.kill("SIGKILL"),
  };
}

/** The package exports its binary's path, as the `default` of a CommonJS module without types. */
function findWorkerd(): string {
  const require = createRequire(import.meta.url);
  return (require("workerd") as { readonly default: string }).default;
}

/** By socket. workerd prints `{"event":"listen","socket":"http","port":41234}` for each; fewer when it ends or hangs. */
async function readPorts(
  control: Readable,
  timeoutMs = START_TIMEOUT_MS,
): Promise<ReadonlyMap<string, number>> {
  const ports = new Map<string, number>();
  const signal = AbortSignal.timeout(timeoutMs);
  for await (const line of createInterface({ input: control, signal })) {
    const { socket, port } = JSON.parse(line) as { readonly socket: string; readonly port: number };
    ports.set(socket, port);
    if (ports.size === 2) {
      break;
    }
  }
  return ports;
}

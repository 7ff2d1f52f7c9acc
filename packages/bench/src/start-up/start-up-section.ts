/**
 * CPU time of a workerd from its beginning to the first answer of a Worker, less that with an empty Worker in the same round: what an
 * isolate costs before it is of use. Cloudflare allows a second of it. What is bound is there and does nothing: the answer may be a 404
 * or a 503, or none of a Worker that takes no requests. A slow or busy machine takes longer for everything, so each round also starts a
 * generated script of fixed size, and times are given for a machine that takes `REFERENCE_MS` for it.
 */
import { readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";

import { buildWorkers } from "@hopline/testkit/workspace/build-workers";
import { listModules } from "@hopline/testkit/workspace/bundle-worker";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { inWorkspace, WORKERS, type WorkerSource } from "@hopline/testkit/workspace/workspace";

import { readCpuMicroseconds } from "../cpu-meter.ts";
import { quote, secretOf, type WranglerConfig } from "../redirect/workerd-config.ts";
import { startWorkerd } from "../redirect/workerd-process.ts";
import type { Figure, Section } from "../section.ts";
import { median } from "../statistics.ts";
import { formatTable } from "../table.ts";

const DIRECTORY = "dist/bench/start-up";
const ROUNDS = 7;
const EMPTY = "empty";
const REFERENCE = "reference";
/**
 * Chosen, so that figures stay comparable with older ones: the API took 2.2 times as long as the generated script (2026-11-26), and had
 * taken some 200 ms before times were relative.
 */
const REFERENCE_MS = 95;
const REFERENCE_FUNCTIONS = 6_000;

export const startUpSection: Section = {
  title:
    "Start-up: CPU time of workerd to a Worker's first answer, over that of an empty Worker, and its memory",
  async run({ rounds, say }) {
    await buildWorkers(consoleProgress());
    const measured = await measureStartUp(rounds ?? ROUNDS, say);
    const sizes = await Promise.all(
      WORKERS.map(async ({ name, bundleDirectory }): Promise<Figure> => {
        const value = await weighCompressed(inWorkspace(bundleDirectory));
        return { name: `start-up.${name}.compressed`, value, unit: "B" };
      }),
    );
    const figures = [...measured].flatMap(([name, { cpuMs, memoryMb }]): readonly Figure[] => [
      { name: `start-up.${name}`, value: median(cpuMs), unit: "ms", samples: cpuMs },
      { name: `start-up.${name}.worst`, value: Math.max(...cpuMs), unit: "ms" },
      { name: `start-up.${name}.memory`, value: median(memoryMb), unit: "MB" },
    ]);
    const lines = [...measured].map(([name, { cpuMs, memoryMb }]) => [
      name,
      `${median(cpuMs).toFixed(0)} ms`,
      `worst of ${cpuMs.length}: ${Math.max(...cpuMs).toFixed(0)} ms`,
      `${median(memoryMb).toFixed(0)} MB`,
    ]);
    return { figures: [...figures, ...sizes], lines: formatTable(lines) };
  },
};

/** A sample a round: CPU to the first answer, at the reference's speed, and most memory, each less the empty Worker's in the same round. */
export type StartUp = { readonly cpuMs: number[]; readonly memoryMb: number[] };

/** By Worker, of the bundles that have been built. */
export async function measureStartUp(
  rounds: number,
  say: (where: string) => void,
): Promise<ReadonlyMap<WorkerSource["name"], StartUp>> {
  await rm(inWorkspace(DIRECTORY), { recursive: true, force: true });
  const emptyPath = await writeScript(EMPTY, "");
  const referencePath = await writeScript(REFERENCE, listFunctions(REFERENCE_FUNCTIONS));
  const measured = new Map(
    WORKERS.map(({ name }): [typeof name, StartUp] => [name, { cpuMs: [], memoryMb: [] }]),
  );
  const paths = new Map<string, string>();
  for (const worker of WORKERS) {
    paths.set(worker.name, await writeConfig(worker));
  }
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round}`);
    const empty = await startOnce(emptyPath);
    const before = await startOnce(referencePath);
    const owns = new Map<WorkerSource["name"], Started>();
    for (const name of measured.keys()) {
      owns.set(name, await startOnce(paths.get(name) ?? ""));
    }
    const after = await startOnce(referencePath);
    const speed = REFERENCE_MS / ((before.cpuMs + after.cpuMs) / 2 - empty.cpuMs);
    for (const [name, own] of owns) {
      measured.get(name)?.cpuMs.push((own.cpuMs - empty.cpuMs) * speed);
      measured.get(name)?.memoryMb.push(own.memoryMb - empty.memoryMb);
    }
  }
  return measured;
}

/** Bytes of a bundle's modules as Cloudflare counts them: each compressed. */
async function weighCompressed(directory: string): Promise<number> {
  const modules = await listModules(directory);
  return modules.reduce((sum, name) => sum + gzipSync(readFileSync(join(directory, name))).byteLength, 0);
}

type Started = { readonly cpuMs: number; readonly memoryMb: number };

async function startOnce(configPath: string): Promise<Started> {
  const workerd = await startWorkerd(configPath);
  try {
    const answer = await fetch(`http://127.0.0.1:${workerd.port}/nothing`);
    await answer.arrayBuffer();
    const [, peakKb = ""] =
      /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${workerd.pid}/status`, "utf8")) ?? [];
    return { cpuMs: readCpuMicroseconds(workerd.pid) / 1_000, memoryMb: Number(peakKb) / 1024 };
  } finally {
    workerd.stop();
  }
}

/** Source that compiles, runs and allocates as a Worker's first evaluation does: every function once. */
function listFunctions(count: number): string {
  const lines = Array.from(
    { length: count },
    (_, at) =>
      `const make${at} = (from) => ({ name: "name${at}", from, parts: [from, ${at}].map((part) => part * 2) }); made.push(make${at}(${at}));`,
  );
  return ["const made = [];", ...lines, ""].join("\n");
}

async function writeScript(name: string, source: string): Promise<string> {
  const directory = join(inWorkspace(DIRECTORY), name);
  await mkdir(directory, { recursive: true });
  await writeFile(
    join(directory, "index.js"),
    `${source}export default { fetch: () => new Response("") };\n`,
  );
  return write(name, { directory, bound: [], flags: [], vars: {} });
}

async function writeConfig({ name, configPath, bundleDirectory }: WorkerSource): Promise<string> {
  process.env["WRANGLER_LOG"] ??= "error";
  const { unstable_readConfig } = await import("wrangler");
  const config: WranglerConfig = unstable_readConfig({ config: inWorkspace(configPath) });
  const secrets = Object.fromEntries(
    (config.secrets?.required ?? []).map((secret) => [secret, secretOf(secret)]),
  );
  const { vars, compatibility_flags: flags } = config;
  const bound = [
    ...[...config.kv_namespaces, ...(config.queues.producers ?? []), ...(config.services ?? [])].map(
      ({ binding }) => binding,
    ),
    ...[...config.durable_objects.bindings, ...(config.ratelimits ?? [])].map(({ name }) => name),
  ];
  return write(name, {
    directory: inWorkspace(bundleDirectory),
    bound,
    flags,
    vars: { ...vars, ...secrets },
  });
}

type Served = {
  readonly bound: readonly string[];
  readonly directory: string;
  readonly flags: readonly string[];
  readonly vars: Readonly<Record<string, unknown>>;
};

async function write(name: string, { directory, bound, flags, vars }: Served): Promise<string> {
  const home = inWorkspace(DIRECTORY);
  const modules = (await listModules(directory)).map(
    (module) =>
      `(name = ${quote(module)}, esModule = embed ${quote(relative(home, join(directory, module)))})`,
  );
  const bindings = [
    ...Object.entries(vars).map(([key, value]) => `(name = ${quote(key)}, text = ${quote(String(value))})`),
    ...bound.map((key) => `(name = ${quote(key)}, service = "target")`),
  ];
  const path = join(home, `${name}.capnp`);
  await writeFile(
    path,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "target", worker = .target)],
  sockets = [
    (name = "http", address = "127.0.0.1:0", service = "target", http = ()),
    (name = "control", address = "127.0.0.1:0", service = "target", http = ()),
  ],
);
const target :Workerd.Worker = (
  modules = [${modules.join(", ")}],
  compatibilityDate = "2026-10-20",
  compatibilityFlags = [${flags.map(quote).join(", ")}],
  bindings = [${bindings.join(", ")}],
);
`,
  );
  return path;
}

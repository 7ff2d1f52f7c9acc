/**
 * CPU time of a workerd from its beginning to the first answer of a Worker, less that with an empty Worker in the same round: what an
 * isolate costs before it is of use. Cloudflare allows a second of it. What is
 * bound is there and does nothing: the answer may be a 404 or a 503, or none of a Worker that takes no requests.
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";

import { buildWorkers } from "@hopline/testkit/workspace/build-workers";
import { listModules } from "@hopline/testkit/workspace/bundle-worker";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { inWorkspace, WORKERS, type WorkerSource } from "@hopline/testkit/workspace/workspace";

import { readCpuMicroseconds } from "../cpu-meter.ts";
import { quote, secretOf, type WranglerConfig } from "../redirect/workerd-config.ts";
import { startWorkerd } from "../redirect/workerd-process.ts";
import type { Section } from "../section.ts";
import { median } from "../statistics.ts";
import { formatTable } from "../table.ts";

const DIRECTORY = "dist/bench/start-up";
const ROUNDS = 7;
const EMPTY = "empty";

export const startUpSection: Section = {
  title: "Start-up: CPU time of workerd to a Worker's first answer, over that of an empty Worker",
  async run({ rounds, say }) {
    await buildWorkers(consoleProgress());
    await rm(inWorkspace(DIRECTORY), { recursive: true, force: true });
    const configs = new Map([[EMPTY, await writeEmpty()]]);
    for (const worker of WORKERS) {
      configs.set(worker.name, await writeConfig(worker));
    }
    const samples = new Map<string, number[]>(WORKERS.map(({ name }) => [name, []]));
    for (let round = 1; round <= (rounds ?? ROUNDS); round += 1) {
      say(`round ${round}`);
      const emptyMs = await startOnce(configs.get(EMPTY) ?? "");
      for (const [name, measured] of samples) {
        measured.push((await startOnce(configs.get(name) ?? "")) - emptyMs);
      }
    }
    const figures = [...samples].map(([name, measured]) => ({
      name: `start-up.${name}`,
      value: median(measured),
      unit: "ms" as const,
      samples: measured,
    }));
    return {
      figures,
      lines: formatTable(figures.map(({ name, value }) => [name, `${value.toFixed(0)} ms`])),
    };
  },
};

async function startOnce(configPath: string): Promise<number> {
  const workerd = await startWorkerd(configPath);
  try {
    const answer = await fetch(`http://127.0.0.1:${workerd.port}/nothing`);
    await answer.arrayBuffer();
    return readCpuMicroseconds(workerd.pid) / 1_000;
  } finally {
    workerd.stop();
  }
}

async function writeEmpty(): Promise<string> {
  const source = join(inWorkspace(DIRECTORY), EMPTY, "index.js");
  await mkdir(join(source, ".."), { recursive: true });
  await writeFile(source, 'export default { fetch: () => new Response("") };\n');
  return write(EMPTY, { directory: join(source, ".."), bound: [], flags: [], vars: {} });
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

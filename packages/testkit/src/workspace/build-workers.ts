/** Bundles the Workers as they are deployed, into dist/<name>: for `pnpm build`, deployments and the whole-system tests. */
import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";

import type { Metafile } from "./bundle-budget.ts";
import { Failure } from "../console/failure.ts";
import type { Progress } from "../console/progress.ts";
import { runTool } from "../console/run-tool.ts";
import { buildWeb } from "./build-web.ts";
import { bundleWorker } from "./bundle-worker.ts";
import { inWorkspace, WORKERS, type WorkerSource } from "./workspace.ts";

/** Bundles all of them at once. Rejects with a `Failure` that names the Worker and the place of its first error. */
export async function buildWorkers(progress: Progress): Promise<void> {
  const builds = WORKERS.map((worker) =>
    progress.step(`Bundle of the ${worker.name}`, () => buildWorker(worker)),
  );
  const settled = await Promise.allSettled(builds);
  for (const build of settled) {
    if (build.status === "rejected") {
      throw build.reason;
    }
  }
}

/** Bundles one Worker, unless nothing that went into its last bundle has changed since. */
export async function buildWorker(worker: WorkerSource): Promise<void> {
  if (worker.web !== undefined) {
    await buildWeb(worker.web);
  }
  const keyPath = inWorkspace(`${worker.bundleDirectory}/inputs.sha256`);
  const key = await hashInputs(worker);
  if (key !== null && key === (await readFile(keyPath, "utf8").catch(() => null))) {
    return;
  }
  await rm(keyPath, { force: true });
  await bundle(worker);
  await writeFile(keyPath, (await hashInputs(worker)) ?? "");
}

/**
 * A hash over what decides the bundle: its sources as the last metafile lists them, the versions of its packages, and the
 * configurations. `null` when there is no bundle, or when a source is gone.
 */
async function hashInputs(worker: WorkerSource): Promise<string | null> {
  const configPath = inWorkspace(worker.configPath);
  try {
    const { inputs } = await readMetafile(worker);
    // What a package contains follows from the lock file.
    const sources = Object.keys(inputs).filter(
      (path) => /\.(?:[jt]s|json)$/.test(path) && !path.includes("node_modules/"),
    );
    const paths = [
      ...sources.map((path) => resolve(dirname(configPath), path)),
      ...["pnpm-lock.yaml", "tsconfig.base.json", `${worker.bundleDirectory}/index.js`].map(inWorkspace),
      configPath,
    ];
    const hash = createHash("sha256");
    for (const path of paths.toSorted()) {
      hash.update(path).update(await readFile(path));
    }
    return hash.digest("hex");
  } catch {
    return null;
  }
}

async function bundle(worker: WorkerSource): Promise<void> {
  const directory = inWorkspace(worker.bundleDirectory);
  const configPath = inWorkspace(worker.configPath);
  const document = worker.documentPath === undefined ? null : await printDocument(worker.documentPath);
  const constants = document === null ? {} : { BUILT_OPENAPI: JSON.stringify(document) };
  const metafile = await bundleWorker({ name: worker.name, configPath, constants }, directory);
  await writeFile(`${directory}/${METAFILE}`, JSON.stringify(metafile));
}

async function printDocument(path: string): Promise<string> {
  const { exitCode, output } = await runTool("node", [path]);
  if (exitCode !== 0) {
    throw new Failure(`${path} could not print the document: ${output}`);
  }
  return output.trim();
}

const METAFILE = "bundle-meta.json";

/** What esbuild recorded about the last bundle of a Worker. Rejects with a `Failure` when there is none. */
export async function readMetafile(worker: WorkerSource): Promise<Metafile> {
  const path = `${worker.bundleDirectory}/${METAFILE}`;
  const text = await readFile(inWorkspace(path), "utf8").catch(() => null);
  const value: unknown = text === null ? null : JSON.parse(text);
  if (typeof value !== "object" || value === null || !("inputs" in value) || !("outputs" in value)) {
    throw new Failure(`${path} is missing or not esbuild's metafile. Run \`pnpm build\`.`);
  }
  return value as Metafile;
}

/**
 * Wrangler's message in one line: its errors without decoration, "Build failed with n errors" left out where the
 * errors themselves follow, each with its `file:line:column`. The whole output when it has no error in a known form, or
 * one that ends in a colon: the next lines say what it is.
 */
export function summariseWranglerError(output: string): string {
  const lines = output.split("\n").map((line) => line.trim());
  const errors: string[] = [];
  for (const [index, line] of lines.entries()) {
    const message = /\[ERROR\] (.+)$/.exec(line)?.[1];
    if (message === undefined || /^Build failed with \d+ errors?:$/.test(message)) {
      continue;
    }
    const place = lines.slice(index + 1, index + 4).find((candidate) => /^\S+:\d+:\d+:$/.test(candidate));
    const reason = isRefused(message)
      ? lines.slice(index + 1).find((line) => /\[code: \d+\]$/.test(line))
      : undefined;
    const why = reason === undefined ? message : `${message} ${reason}`;
    errors.push(place === undefined ? why : `${why} (${place.slice(0, -1)})`);
  }
  return errors.length === 0 || errors.some((error) => error.endsWith(":")) ? output : errors.join("; ");
}

/** Wrangler says what Cloudflare's API said in a line of its own. */
function isRefused(message: string): boolean {
  return message.startsWith("A request to the Cloudflare API");
}

/**
 * Where things stand in this workspace: its root, and the four Workers with what differs between them.
 *
 * Everything else about a Worker (bindings, queues, crons, variables) is in its own wrangler.jsonc and read from there.
 */
import { resolve } from "node:path";

export const WORKSPACE_ROOT: string = resolve(import.meta.dirname, "../../../..");

/** Names another folder for what `pnpm dev` keeps. A test run sets it: what a developer runs beside it is none of its business. */
export const STATE_VARIABLE = "HOPLINE_STATE_DIRECTORY";

/** What the local stack keeps between two runs: the database's files, KV, the demo key. Never committed. */
export const STATE_DIRECTORY: string = resolve(WORKSPACE_ROOT, process.env[STATE_VARIABLE] ?? ".hopline");

export type WorkerSource = {
  readonly name: "producer" | "consumer" | "api" | "dashboard";
  /** Relative to the root, as are the other paths. */
  readonly configPath: string;
  readonly bundleDirectory: string;
  readonly envTypesPath: string;
  readonly envInterface: string;
  /** Prints the OpenAPI document that it serves. */
  readonly documentPath?: string;
  /** The web app that it serves: where its sources are, and where its files go. */
  readonly web?: { readonly root: string; readonly directory: string };
};

/** The producer comes first: it owns the public port. */
export const WORKERS: readonly WorkerSource[] = [
  {
    name: "producer",
    // At the root, because the producer is the front door.
    configPath: "wrangler.jsonc",
    bundleDirectory: "dist/producer",
    envTypesPath: "workers/producer/worker-configuration.d.ts",
    envInterface: "ProducerEnv",
  },
  {
    name: "consumer",
    configPath: "workers/consumer/wrangler.jsonc",
    bundleDirectory: "dist/consumer",
    envTypesPath: "workers/consumer/worker-configuration.d.ts",
    envInterface: "ConsumerEnv",
  },
  {
    name: "api",
    configPath: "workers/api/wrangler.jsonc",
    bundleDirectory: "dist/api",
    envTypesPath: "workers/api/worker-configuration.d.ts",
    envInterface: "ApiEnv",
    documentPath: "workers/api/src/print-document.ts",
  },
  {
    name: "dashboard",
    configPath: "workers/dashboard/wrangler.jsonc",
    bundleDirectory: "dist/dashboard",
    envTypesPath: "workers/dashboard/worker-configuration.d.ts",
    envInterface: "DashboardEnv",
    web: { root: "workers/dashboard", directory: "dist/web" },
  },
];

/** What `startWorkers` runs of each: the bundles that are deployed, where `buildWorkers` puts them. */
export const BUNDLES: readonly { readonly configPath: string; readonly scriptPath: string }[] = WORKERS.map(
  ({ configPath, bundleDirectory }) => ({
    configPath: inWorkspace(configPath),
    scriptPath: inWorkspace(`${bundleDirectory}/index.js`),
  }),
);

/** Absolute form of a path that is relative to the root. */
export function inWorkspace(path: string): string {
  return resolve(WORKSPACE_ROOT, path);
}

/**
 * Where things stand in this workspace: its root, and the three Workers with what differs between them.
 *
 * Everything else about a Worker (bindings, queues, crons, variables) is in its own wrangler.jsonc and read from there.
 */
import { resolve } from "node:path";

export const WORKSPACE_ROOT: string = resolve(import.meta.dirname, "../../../..");

/** What the local stack keeps between two runs: the database's files, KV, the demo key. Never committed. */
export const STATE_DIRECTORY: string = resolve(WORKSPACE_ROOT, ".hopline");

export type WorkerSource = {
  readonly name: "producer" | "consumer" | "api";
  /** Relative to the root, as are the other paths. */
  readonly configPath: string;
  readonly bundleDirectory: string;
  readonly envTypesPath: string;
  readonly envInterface: string;
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
  },
];

/** Absolute form of a path that is relative to the root. */
export function inWorkspace(path: string): string {
  return resolve(WORKSPACE_ROOT, path);
}

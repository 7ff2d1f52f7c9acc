/**
 * Tells when a source file changed, so that `pnpm dev` can rebuild: once a burst, never while a rebuild runs.
 *
 * Watches workers/, packages/<name>/src and the configurations; leaves out what tools write there themselves.
 */
import { watch } from "node:fs";
import { readdir } from "node:fs/promises";

import { inWorkspace, WORKERS } from "@hopline/testkit/workspace/workspace";

/** Editors save in several steps, and a branch switch changes hundreds of files. */
const BURST_MS = 200;

/** True for a path, relative to a watched folder, whose change can alter a bundle. */
export function isSource(path: string): boolean {
  const parts = path.split(/[\\/]/);
  const isGenerated = parts.some(
    (part) => part === "node_modules" || part === "dist" || part === ".wrangler",
  );
  const isTest = parts.includes("test") || path.endsWith(".test.ts");
  return (
    !isGenerated && !isTest && !path.endsWith(".d.ts") && /\.(ts|js|mjs|json|jsonc|html|txt|sql)$/.test(path)
  );
}

/**
 * Calls `onChange` with the path of a changed file. Changes during a call lead to one more call. Returns how to stop,
 * which waits for a call that is under way.
 */
export async function watchSources(onChange: (path: string) => Promise<void>): Promise<() => Promise<void>> {
  const packages = await readdir(inWorkspace("packages"), { withFileTypes: true });
  const folders = packages
    .filter((entry) => entry.isDirectory() && entry.name !== "local" && entry.name !== "e2e")
    .map((entry) => `packages/${entry.name}/src`);
  const gate = createBurstGate(onChange, BURST_MS);
  const watchers = ["workers", ...folders].map((folder) =>
    watch(inWorkspace(folder), { recursive: true }, (_event, name) => {
      if (name !== null && isSource(name)) {
        gate.notify(`${folder}/${name}`);
      }
    }),
  );
  // The producer's configuration is the only one outside of workers/.
  const rootWatcher = watch(inWorkspace("."), (_event, name) => {
    if (name === WORKERS[0]?.configPath) {
      gate.notify(name);
    }
  });
  return () => {
    for (const watcher of [...watchers, rootWatcher]) {
      watcher.close();
    }
    return gate.stop();
  };
}

export type BurstGate = { notify(path: string): void; stop(): Promise<void> };

/** Gathers calls for `burstMs`, and keeps at most one running and one waiting. `run` must not reject. */
export function createBurstGate(run: (path: string) => Promise<void>, burstMs: number): BurstGate {
  let waiting: string | null = null;
  let running: Promise<void> | null = null;
  let isStopped = false;
  const work = async (): Promise<void> => {
    while (waiting !== null && !isStopped) {
      await new Promise((resolve) => setTimeout(resolve, burstMs));
      const path = waiting;
      waiting = null;
      await run(path);
    }
    running = null;
  };
  return {
    notify: (path) => {
      waiting = path;
      running ??= work();
    },
    stop: async () => {
      isStopped = true;
      await running;
    },
  };
}

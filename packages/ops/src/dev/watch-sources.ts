/** Says which files were saved, so that `pnpm dev` can bundle again: once for a burst, never while a call is running. */
import { watch } from "node:fs";
import { glob } from "node:fs/promises";
import { join } from "node:path";

import { WORKSPACE_ROOT } from "@hopline/testkit/workspace/workspace";

/** Editors save in several steps, and a branch switch changes hundreds of files. */
const BURST_MS = 200;

export type OnSaved = (paths: readonly string[]) => Promise<void>;

/**
 * Calls `onSaved`, which must not reject, with the absolute paths of changed files in workers/, packages/<name>/src and
 * the root itself. Returns how to stop, which waits for a call that is running.
 */
export async function watchSources(onSaved: OnSaved): Promise<() => Promise<void>> {
  const gate = createBurstGate(onSaved, BURST_MS);
  const folders = ["workers"];
  for await (const folder of glob("packages/*/src", { cwd: WORKSPACE_ROOT })) {
    folders.push(folder);
  }
  const watchers = [".", ...folders].map((folder) => {
    const path = join(WORKSPACE_ROOT, folder);
    return watch(path, { recursive: folder !== "." }, (_event, name) => {
      if (name !== null) {
        gate.notify(join(path, name));
      }
    });
  });
  return () => {
    watchers.forEach((watcher) => watcher.close());
    return gate.stop();
  };
}

export type BurstGate = { notify(path: string): void; stop(): Promise<void> };

/** Collects paths for `burstMs`; at most one call is running, and what changes meanwhile is the next one's. */
export function createBurstGate(onSaved: OnSaved, burstMs: number): BurstGate {
  const waiting = new Set<string>();
  let running: Promise<void> | null = null;
  let isStopped = false;
  const work = async (): Promise<void> => {
    while (waiting.size > 0 && !isStopped) {
      await new Promise((resolve) => setTimeout(resolve, burstMs));
      const paths = [...waiting];
      waiting.clear();
      await onSaved(paths);
    }
    running = null;
  };
  return {
    notify: (path) => {
      waiting.add(path);
      running ??= work();
    },
    stop: async () => {
      isStopped = true;
      await running;
    },
  };
}

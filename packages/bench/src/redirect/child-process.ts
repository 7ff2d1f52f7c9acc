/** Ends what the bench started, however the bench ends: a forgotten workerd would disturb the next run. */
import type { ChildProcess } from "node:child_process";

const running = new Set<ChildProcess>();

process.once("exit", () => {
  for (const child of running) {
    child.kill("SIGKILL");
  }
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  // Without a listener a signal ends this process without its `exit` event.
  process.once(signal, () => process.exit(1));
}

/** Ends `child` with this process at the latest. Returns what ends it sooner; nothing in it is worth saving. */
export function endWithUs(child: ChildProcess): () => void {
  running.add(child);
  child.once("exit", () => running.delete(child));
  return () => {
    child.kill("SIGKILL");
  };
}

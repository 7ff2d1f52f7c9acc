/** What only grows: whatever a changed file was compiled to stays beside what it is compiled to now. */
import { rmSync, statSync } from "node:fs";

/** A whole run writes 18 MB, and two days of changes ten more. */
const MAX_AGE_MS = 7 * 86_400_000;

/** Removes those of the directories that were made more than a week ago; the next to write there makes them again. */
export function emptyOldCaches(directories: readonly string[], nowMs: number): void {
  for (const directory of directories) {
    const madeAtMs = statSync(directory, { throwIfNoEntry: false })?.birthtimeMs ?? nowMs;
    if (nowMs - madeAtMs > MAX_AGE_MS) {
      rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
    }
  }
}

/** What a run has started ends with it, the last thing first, whatever happens. */
import { describeError } from "@hopline/testkit/console/failure";
import type { Progress } from "@hopline/testkit/console/progress";
import type { Ending } from "./load-stack.ts";

/** @param run adds how each thing ends before it starts the next. Resolves to whether it held; false as well where it was stopped. */
export async function withEndings(
  { progress, signal }: { readonly progress: Progress; readonly signal: AbortSignal },
  run: (endings: Ending[]) => Promise<boolean>,
): Promise<boolean> {
  const endings: Ending[] = [];
  try {
    return await run(endings);
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
    progress.line("Stopped before its end: no verdict.");
    return false;
  } finally {
    for (const end of endings.toReversed()) {
      await end().catch((error: unknown) => progress.line(`  ${describeError(error)}`));
    }
  }
}

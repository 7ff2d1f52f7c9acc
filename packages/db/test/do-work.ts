import type { RunTransaction } from "../src/neon-client.ts";
import { runWork, type WorkDeps } from "../src/work/run-work.ts";

/** Does all work that is due, as the consumer does. Resolves to what failed. */
export async function doWork(
  runTransaction: RunTransaction,
  handlers: WorkDeps["handlers"],
): Promise<readonly unknown[]> {
  const errors: unknown[] = [];
  await runWork(30_000, {
    handlers,
    runTransaction,
    newLeaseId: () => crypto.randomUUID(),
    nowMs: () => performance.now(),
    onFailure: (_item, error) => void errors.push(error),
  });
  return errors;
}

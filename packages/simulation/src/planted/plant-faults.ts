/** Puts faults of the past back, one after the other, and sees which of them lives find. */
import { loadWorker } from "../runtime/load-worker.ts";
import { openSimulatedDatabase } from "../platform/postgres.ts";
import { runLife } from "../life/run-life.ts";
import { liveSeeds, loadCode } from "../simulator.ts";
import { PLANTED_FAULTS } from "./planted-faults.ts";

/** Prints a line each. Resolves to 1 where one was not found in time. @param limit of each fault; `only`: a part of its name. */
export async function plantFaults(
  limit: { readonly ms: number; readonly lives: number; readonly only: string },
  print: (line: string) => void,
): Promise<number> {
  const [database, code] = await Promise.all([openSimulatedDatabase(), loadCode()]);
  let missed = 0;
  try {
    for (const fault of PLANTED_FAULTS.filter(({ name }) => name.includes(limit.only))) {
      const planted =
        "worker" in fault ? { ...code, [fault.worker]: await loadWorker(fault.worker, [fault]) } : code;
      const takeBack =
        "dbFunction" in fault
          ? await database.patchFunction(fault.dbFunction, fault.find, fault.replace)
          : async () => undefined;
      const startedAtMs = performance.now();
      let lives = 0;
      const failed = await liveSeeds(
        { live: (plan) => runLife(plan, { code: planted, database }) },
        seedsFor(startedAtMs + limit.ms, limit.lives),
        () => (lives += 1),
      );
      await takeBack();
      // A life that fails without the fault as well has not found it.
      const alone = failed === null ? null : await runLife(failed.plan, { code, database });
      const isFound = alone !== null && alone.faults.length === 0;
      missed += isFound ? 0 : 1;
      const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(0);
      const verdict = isFound ? "found" : failed === null ? "missed" : "the life fails without it, too";
      print(`${fault.name}\n  ${lives} lives, ${seconds} s, ${verdict}: ${failed?.life.faults[0] ?? ""}`);
    }
  } finally {
    await database.close();
  }
  print(`${missed} missed`);
  return missed === 0 ? 0 : 1;
}

function* seedsFor(endsAtMs: number, lives: number): Generator<number> {
  for (let seed = 1; seed <= lives && performance.now() < endsAtMs; seed += 1) {
    yield seed;
  }
}

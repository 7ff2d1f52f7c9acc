/** Puts faults of the past back, one after the other, and sees which of them lives find. */
import { planLife } from "../../src/life/life-plan.ts";
import { type Life, runLife } from "../../src/life/run-life.ts";
import type { SimulatedDatabase } from "../../src/platform/postgres.ts";
import { loadWorker } from "../../src/runtime/load-worker.ts";
import { openStage } from "../../src/simulator.ts";
import { PLANTED_FAULTS, type PlantedFault } from "./planted-faults.ts";

/** Prints a line each. Resolves to 1 where one was not found in time. @param limit of each fault; `only`: parts of names. */
export async function plantFaults(
  limit: { readonly ms: number; readonly lives: number; readonly only: readonly string[] },
  print: (line: string) => void,
): Promise<number> {
  const { close, ...stage } = await openStage();
  const { database, code } = stage;
  let missed = 0;
  try {
    for (const fault of PLANTED_FAULTS.filter(({ name }) => limit.only.some((part) => name.includes(part)))) {
      const planted =
        "worker" in fault ? { ...code, [fault.worker]: await loadWorker(fault.worker, [fault]) } : code;
      const startedAtMs = performance.now();
      const before = process.cpuUsage();
      const excused: number[] = [];
      let [lives, found] = [0, ""];
      while (found === "" && lives < limit.lives && performance.now() < startedAtMs + limit.ms) {
        lives += 1;
        const plan = planLife(lives);
        const [broken] = (
          await whilePlanted(database, fault, () => runLife(plan, { ...stage, code: planted }))
        ).faults;
        // A life that fails without the fault as well has not found it.
        if (broken !== undefined && (await runLife(plan, stage)).faults.length > 0) {
          excused.push(lives);
        } else {
          found = broken ?? "";
        }
      }
      missed += found === "" ? 1 : 0;
      const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(0);
      const { user, system } = process.cpuUsage(before);
      const cpu = ((user + system) / 1_000_000).toFixed(0);
      const others = excused.length === 0 ? "" : `; without it fail, too: seeds ${excused.join(", ")}`;
      print(
        `${found === "" ? "MISSED" : "found"}, ${lives} lives, ${seconds} s (CPU ${cpu} s): ${fault.name}: ${found}${others}`,
      );
    }
  } finally {
    await close();
  }
  print(`${missed} missed`);
  return missed === 0 ? 0 : 1;
}

async function whilePlanted(
  database: SimulatedDatabase,
  fault: PlantedFault,
  live: () => Promise<Life>,
): Promise<Life> {
  if (!("dbFunction" in fault)) {
    return live();
  }
  const takeBack = await database.patchFunction(fault.dbFunction, fault.find, fault.replace);
  try {
    return await live();
  } finally {
    await takeBack();
  }
}

/** `pnpm plant`: puts faults of the past back, one after the other, and sees which of them lives find. */
import { runCommandLine } from "@hopline/testkit/console/command-line";
import { readWholeNumber } from "@hopline/testkit/console/read-whole-number";
import { defineCommand } from "citty";
import { type LifePlan, planLife } from "../../src/life/life-plan.ts";
import { type Life, runLife, type Stage } from "../../src/life/run-life.ts";
import type { SimulatedDatabase } from "../../src/platform/postgres.ts";
import { loadWorker } from "../../src/runtime/load-worker.ts";
import { openStage } from "../../src/simulator.ts";
import { PLANTED_FAULTS, type PlantedFault } from "./planted-faults.ts";

const command = defineCommand({
  meta: {
    name: "pnpm plant",
    description: "Puts faults of the past back, and sees which of them lives find",
  },
  args: {
    only: { type: "string", description: "Those with this in their name, or one of these: a,b" },
    minutes: { type: "string", description: "For each fault; 5 unless told otherwise" },
    from: { type: "string", description: "The first seed; 1 unless told otherwise" },
  },
  async run({ args }) {
    const read = (name: "minutes" | "from", otherwise: string, max: number): number =>
      readWholeNumber(args[name] ?? otherwise, { name: `--${name}`, min: 1, max });
    const [ms, from] = [read("minutes", "5", 1_000) * 60_000, read("from", "1", 900_000_000)];
    const only = (args.only ?? "").split(",");
    const faults = PLANTED_FAULTS.filter(({ name }) => only.some((part) => name.includes(part)));
    const { close, ...stage } = await openStage();
    let missed = 0;
    try {
      for (const fault of faults) {
        missed += (await isFound(fault, { stage, ms, from })) ? 0 : 1;
      }
    } finally {
      await close();
    }
    print(`${missed} of ${faults.length} missed`);
    return missed === 0 ? 0 : 1;
  },
});

const SEEDS = 400;

/** Lives whose plan has what the fault needs, those with the fewest events first: they cost least. Prints a line. */
async function isFound(
  fault: PlantedFault,
  { stage, ms, from }: { readonly stage: Stage; readonly ms: number; readonly from: number },
): Promise<boolean> {
  const { code, database } = stage;
  const planted =
    "worker" in fault ? { ...code, [fault.worker]: await loadWorker(fault.worker, [fault]) } : code;
  const startedAtMs = performance.now();
  const before = process.cpuUsage();
  const seeds: number[] = [];
  const failing: number[] = [];
  let found = "";
  const plans = Array.from({ length: SEEDS }, (_, index) => planLife(from + index))
    .filter((plan) => fault.needs.every((need) => has(plan, need)))
    .toSorted((one, other) => one.events.length - other.events.length);
  for (const plan of plans) {
    if (found !== "" || performance.now() > startedAtMs + ms) {
      break;
    }
    seeds.push(plan.seed);
    const life = await whilePlanted(database, fault, () => runLife(plan, { ...stage, code: planted }));
    const [broken] = life.faults;
    // A life that fails without the fault as well has not found it.
    if (broken !== undefined && (await runLife(plan, stage)).faults.length > 0) {
      failing.push(plan.seed);
    } else {
      found = broken ?? "";
    }
  }
  const { user, system } = process.cpuUsage(before);
  const cpu = ((user + system) / 1_000_000).toFixed(0);
  const others = failing.length === 0 ? "" : `; without it fail, too: ${failing.join(", ")}`;
  const verdict = found === "" ? "MISSED" : "found";
  print(`${verdict}, seeds ${seeds.join(", ")}, CPU ${cpu} s: ${fault.name}: ${found}${others}`);
  return found !== "";
}

/** An event of that kind, or with that fault or end; a file of links, a rush to one, nights, or a store that counts. */
function has({ events, nights, countsIn }: LifePlan, need: string): boolean {
  if (need === "rush") {
    const visited = events.flatMap((event) =>
      event.kind === "visit" ? [`${event.host}/${event.slug}`] : [],
    );
    return Object.values(Object.groupBy(visited, (key) => key)).some((visits = []) => visits.length > 330);
  }
  return (
    (need === "nights" && nights > 0) ||
    need === countsIn ||
    events.some(
      (event) =>
        event.kind === need ||
        ("fault" in event && event.fault === need) ||
        ("ends" in event && event.ends?.how === need) ||
        (need === "file" && "links" in event),
    )
  );
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

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await runCommandLine({ default: command, example: "pnpm plant --only 404 --minutes 2" });

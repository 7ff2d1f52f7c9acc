import { loadWorker } from "./runtime/load-worker.ts";
import { openSimulatedDatabase } from "./platform/postgres.ts";
import { planLife } from "./life/life-plan.ts";
import { runLife } from "./life/run-life.ts";
const t0 = performance.now();
const [producer, consumer, api] = await Promise.all([loadWorker("producer"), loadWorker("consumer"), loadWorker("api")]);
console.log("loaded", performance.now() - t0);
const database = await openSimulatedDatabase();
console.log("database", performance.now() - t0);
const from = Number(process.argv[2] ?? 1), to = Number(process.argv[3] ?? from);
for (let seed = from; seed <= to; seed++) {
  const t1 = performance.now(); const c0 = process.cpuUsage();
  const plan = planLife(seed);
  const life = await runLife(plan, { code: { producer, consumer, api }, database });
  console.log(seed, "visits", life.visits, "lasts", plan.lastsMs / 1000, "ms", Math.round(performance.now() - t1), "cpu", Math.round(process.cpuUsage(c0).user / 1000), life.hash.slice(0, 8), life.faults);
  if (process.argv[4] === "-v") console.log(life.story.join("\n"));
}
await database.close();
process.exit(0);

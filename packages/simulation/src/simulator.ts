/** A simulator: code, bundled once, and a database that each life empties. */
import type { Code } from "./life/deployment.ts";
import { planLife, type LifePlan } from "./life/life-plan.ts";
import { type Life, runLife } from "./life/run-life.ts";
import { openSimulatedDatabase } from "./platform/postgres.ts";
import { loadWorker } from "./runtime/load-worker.ts";

export type Simulator = {
  readonly live: (plan: LifePlan, untilMs?: number) => Promise<Life>;
  readonly close: () => Promise<void>;
};

export async function openSimulator(): Promise<Simulator> {
  const [database, code] = await Promise.all([openSimulatedDatabase(), loadCode()]);
  return {
    live: (plan, untilMs) => runLife(plan, { code, database, untilMs }),
    close: () => database.close(),
  };
}

export async function loadCode(): Promise<Code> {
  const [producer, consumer, api] = await Promise.all([
    loadWorker("producer"),
    loadWorker("consumer"),
    loadWorker("api"),
  ]);
  return { producer, consumer, api };
}

export type Failed = { readonly plan: LifePlan; readonly life: Life };

/** Lives seed after seed. Resolves to the first life in which a promise was broken, or `null`. */
export async function liveSeeds(
  { live }: Pick<Simulator, "live">,
  seeds: Iterable<number>,
  onLife: (seed: number, life: Life) => void = () => undefined,
): Promise<Failed | null> {
  for (const seed of seeds) {
    const plan = planLife(seed);
    const life = await live(plan);
    onLife(seed, life);
    if (life.faults.length > 0) {
      return { plan, life };
    }
  }
  return null;
}

/** Leaves out what is not needed for the failure: halves of the events, then quarters and so on, as long as something of it stays. */
export async function shrink({ live }: Simulator, failed: Failed, maxLives = 60): Promise<Failed> {
  let best = failed;
  let lives = 0;
  for (let size = Math.ceil(best.plan.events.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < best.plan.events.length && lives < maxLives;) {
      const events = best.plan.events.toSpliced(from, size);
      const plan = { ...best.plan, events };
      lives += 1;
      const life = await live(plan);
      if (life.faults.length > 0) {
        best = { plan, life };
      } else {
        from += size;
      }
    }
  }
  return best;
}

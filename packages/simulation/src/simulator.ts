/** A simulator: code, bundled once, and a database that each life empties. */
import type { Code } from "./life/deployment.ts";
import type { LifeEvent, LifePlan } from "./life/life-plan.ts";
import { type Life, runLife, type Stage } from "./life/run-life.ts";
import { openSimulatedClickHouse } from "./platform/clickhouse.ts";
import { openSimulatedDatabase } from "./platform/postgres.ts";
import { loadWorker } from "./runtime/load-worker.ts";

export type Simulator = {
  readonly live: (plan: LifePlan, untilMs?: number) => Promise<Life>;
  readonly close: () => Promise<void>;
};

export async function openSimulator(): Promise<Simulator> {
  const { close, ...stage } = await openStage();
  return { live: (plan, untilMs) => runLife(plan, { ...stage, untilMs }), close };
}

export async function openStage(): Promise<Stage & Pick<Simulator, "close">> {
  const opening = [openSimulatedDatabase(), openSimulatedClickHouse(), loadCode()] as const;
  const [database, clickHouse, code] = await Promise.all(opening);
  const close = async (): Promise<void> => {
    await database.close();
    await clickHouse?.close();
  };
  return { code, database, clickHouse, close };
}

async function loadCode(): Promise<Code> {
  const loading = [loadWorker("producer"), loadWorker("consumer"), loadWorker("api")] as const;
  const [producer, consumer, api] = await Promise.all(loading);
  return { producer, consumer, api };
}

export type Failed = { readonly plan: LifePlan; readonly life: Life };

/**
 * Leaves out what is not needed for the failure: what comes after it, differences of place, and then halves of the events, quarters and so
 * on, as long as something of it stays. A life that failed before its calm is lived only until then.
 */
export async function shrink(
  { live }: Pick<Simulator, "live">,
  failed: Failed,
  maxLives = 60,
): Promise<Failed> {
  let best = failed;
  let lives = 0;
  const attempt = async (events: readonly LifeEvent[]): Promise<boolean> => {
    const { plan, life } = best;
    const untilMs = isBeforeCalm(best) ? life.brokenAtMs + 1_000 : undefined;
    lives += 1;
    const tried = { plan: { ...plan, events }, life: await live({ ...plan, events }, untilMs) };
    const isFailed = tried.life.faults.length > 0;
    best = isFailed ? tried : best;
    return isFailed;
  };
  if (isBeforeCalm(failed)) {
    await attempt(failed.plan.events.filter(({ atMs }) => atMs <= failed.life.brokenAtMs));
  }
  await attempt(best.plan.events.map((event) => ("isolate" in event ? { ...event, isolate: 1 } : event)));
  await attempt(best.plan.events.map((event) => ("colo" in event ? { ...event, colo: "AMS" } : event)));
  for (let size = Math.ceil(best.plan.events.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < best.plan.events.length && lives < maxLives;) {
      from += (await attempt(best.plan.events.toSpliced(from, size))) ? 0 : size;
    }
  }
  return best;
}

const isBeforeCalm = ({ plan, life }: Failed): boolean => life.brokenAtMs < plan.lastsMs;

/** Makes incidents happen to a stack, and has everything well again at the end. */
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { SqlFault } from "@hopline/testkit/sql-endpoint/sql-fault";
import type { Fault, Incident } from "./schedule.ts";
import type { TortureStack } from "./torture-stack.ts";

const SQL_FAULTS: Partial<Record<Fault, SqlFault>> = {
  "sql-delayed": { kind: "delay", delayMs: 400 },
  "sql-dropped": { kind: "reset" },
  "sql-answer-lost": { kind: "execute-then-reset" },
};
/** Of the requests to the /sql endpoint that fail: all would be an outage, which is another fault. */
const ONE_IN = 3;

const CLOCK_STEP_S = 30;

/** Resolves when the fault is to end. */
type UntilOver = () => Promise<void>;

/** How many are there of each now. */
export type ActiveFaults = Map<Fault, number>;

export function decideSql(active: ActiveFaults, number: number): SqlFault | null {
  const faults = Object.entries(SQL_FAULTS).filter(([name]) => (active.get(name as Fault) ?? 0) > 0);
  const [, fault] = faults[number % Math.max(1, faults.length)] ?? [];
  return number % ONE_IN === 0 ? (fault ?? null) : null;
}

export async function injectFaults(
  incidents: readonly Incident[],
  {
    stack,
    active,
    signal,
    tell,
  }: {
    readonly stack: TortureStack;
    readonly active: ActiveFaults;
    /** After this nothing is started again. */
    readonly signal: AbortSignal;
    readonly tell: (text: string) => void;
  },
): Promise<void> {
  const rest = (ms: number): Promise<void> => delay(ms, undefined, { signal });
  /** One after the other what takes Postgres or the receiver down and up. */
  let servers = Promise.resolve();
  const inject = async ({ fault, atMs, forMs }: Incident): Promise<void> => {
    await rest(atMs);
    tell(`${fault} for ${(forMs / 1_000).toFixed(1)} s`);
    const fail = SERVER_FAULTS[fault];
    if (fail === undefined) {
      active.set(fault, (active.get(fault) ?? 0) + 1);
      await rest(forMs);
      active.set(fault, (active.get(fault) ?? 1) - 1);
    } else {
      servers = servers.then(() => fail(stack, () => rest(forMs)));
      await servers;
    }
  };
  await Promise.all(incidents.map(inject));
}

const SERVER_FAULTS: Partial<Record<Fault, (stack: TortureStack, untilOver: UntilOver) => Promise<void>>> = {
  async "postgres-killed"({ postgres }, untilOver) {
    await postgres.halt("crash");
    await untilOver();
    await postgres.start();
  },
  async "receiver-killed"({ receiver }, untilOver) {
    await receiver.kill();
    await untilOver();
    await receiver.start();
  },
  /** A flush of the log takes this much longer: as long as the server's own setting allows. */
  async "disk-slow"({ database }, untilOver) {
    const set = async (microseconds: number, siblings: number): Promise<void> => {
      await database.query(`ALTER SYSTEM SET commit_delay = ${microseconds}`);
      await database.query(`ALTER SYSTEM SET commit_siblings = ${siblings}`);
      await database.query("SELECT pg_reload_conf()");
    };
    await set(100_000, 0);
    await untilOver();
    await set(0, 5);
  },
  async "clickhouse-killed"({ clickHouse }, untilOver) {
    await clickHouse?.server.kill();
    await untilOver();
    await clickHouse?.server.restart();
  },
  "clock-ahead": ({ clock }, untilOver) => stepClock(clock, CLOCK_STEP_S, untilOver),
  "clock-behind": ({ clock }, untilOver) => stepClock(clock, -CLOCK_STEP_S, untilOver),
  async "disk-full"({ disk, postgres }, untilOver) {
    if (disk === null) {
      return;
    }
    const path = join(disk, "ballast");
    await fill(path);
    await untilOver();
    await rm(path);
    // Without room for its journal the server ends itself.
    await postgres.halt("crash").catch(() => undefined);
    await postgres.start();
  },
};

async function stepClock(clock: TortureStack["clock"], seconds: number, untilOver: UntilOver): Promise<void> {
  await clock?.step(seconds);
  await untilOver();
  await clock?.step(0);
}

async function fill(path: string): Promise<void> {
  const file = await open(path, "w");
  try {
    for (const block = Buffer.alloc(1_048_576); ;) {
      await file.write(block);
    }
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) {
      throw error;
    }
  } finally {
    await file.close();
  }
}

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
    tell,
  }: { readonly stack: TortureStack; readonly active: ActiveFaults; readonly tell: (text: string) => void },
): Promise<void> {
  /** One after the other what takes Postgres or the receiver down and up. */
  let servers = Promise.resolve();
  const inject = async ({ fault, atMs, forMs }: Incident): Promise<void> => {
    await delay(atMs);
    tell(`${fault} for ${(forMs / 1_000).toFixed(1)} s`);
    const fail = SERVER_FAULTS[fault];
    if (fail === undefined) {
      active.set(fault, (active.get(fault) ?? 0) + 1);
      await delay(forMs);
      active.set(fault, (active.get(fault) ?? 1) - 1);
    } else {
      servers = servers.then(() => fail(stack, forMs));
      await servers;
    }
  };
  await Promise.all(incidents.map(inject));
}

const SERVER_FAULTS: Partial<Record<Fault, (stack: TortureStack, forMs: number) => Promise<void>>> = {
  async "postgres-killed"({ postgres }, forMs) {
    await postgres.halt("crash");
    await delay(forMs);
    await postgres.start();
  },
  async "receiver-killed"({ receiver }, forMs) {
    await receiver.kill();
    await delay(forMs);
    await receiver.start();
  },
  /** A flush of the log takes this much longer: as long as the server's own setting allows. */
  async "disk-slow"({ database }, forMs) {
    const set = async (microseconds: number, siblings: number): Promise<void> => {
      await database.query(`ALTER SYSTEM SET commit_delay = ${microseconds}`);
      await database.query(`ALTER SYSTEM SET commit_siblings = ${siblings}`);
      await database.query("SELECT pg_reload_conf()");
    };
    await set(100_000, 0);
    await delay(forMs);
    await set(0, 5);
  },
  async "clickhouse-killed"({ clickHouse }, forMs) {
    await clickHouse?.server.kill();
    await delay(forMs);
    await clickHouse?.server.restart();
  },
  "clock-ahead": ({ clock }, forMs) => stepClock(clock, CLOCK_STEP_S, forMs),
  "clock-behind": ({ clock }, forMs) => stepClock(clock, -CLOCK_STEP_S, forMs),
  async "disk-full"({ disk, postgres }, forMs) {
    if (disk === null) {
      return;
    }
    const path = join(disk, "ballast");
    await fill(path);
    await delay(forMs);
    await rm(path);
    // Without room for its journal the server ends itself.
    await postgres.halt("crash").catch(() => undefined);
    await postgres.start();
  },
};

async function stepClock(clock: TortureStack["clock"], seconds: number, forMs: number): Promise<void> {
  await clock?.step(seconds);
  await delay(forMs);
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

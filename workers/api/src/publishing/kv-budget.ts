/**
 * What may be written to KV on one day. Cloudflare's Free plan has 1,000 writes a day; without a limit nothing is counted.
 *
 * Edits are counted and never refused. Mass changes get half of the day, so that an import in the morning leaves something for the
 * edits of the afternoon; what is over waits for the next day, and Postgres answers its visitors.
 */
import { kvWrites } from "@hopline/db/schema";
import { eq, sql } from "drizzle-orm";
import type { Database } from "../database.ts";

export interface KvBudget {
  /** Counts writes. Never rejects: they are made whatever this says. */
  count(writes: number): Promise<void>;
  /** How many mass changes may be written now; a few more are, where several publishers ask at once. Rejects without a database. */
  leftForMass(): Promise<number>;
}

const SHARE_OF_MASS = 0.5;

/** @param writesPerDay KV_WRITES_PER_DAY; 0: no limit. */
export function createKvBudget(writesPerDay: number, database: Database): KvBudget {
  if (writesPerDay === 0) {
    return { count: async () => undefined, leftForMass: async () => Infinity };
  }
  return {
    async count(writes) {
      await database
        .insert(kvWrites)
        .values({ day: TODAY, writes })
        .onConflictDoUpdate({ target: kvWrites.day, set: { writes: sql`${kvWrites.writes} + ${writes}` } })
        .catch(() => undefined);
    },
    async leftForMass() {
      const [today] = await database.select().from(kvWrites).where(eq(kvWrites.day, TODAY));
      return Math.max(0, Math.floor(writesPerDay * SHARE_OF_MASS) - Number(today?.writes ?? 0));
    },
  };
}

/** In UTC, as Cloudflare counts. */
const TODAY = sql`(now() AT TIME ZONE 'UTC')::date`;

/** A whole number; anything else counts as no limit. */
export function parseWritesPerDay(text: string | undefined): number {
  const writes = Number(text ?? "");
  return Number.isSafeInteger(writes) && writes > 0 ? writes : 0;
}

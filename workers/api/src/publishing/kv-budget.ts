/**
 * What may be written to KV on one day. Cloudflare's Free plan has 1,000 writes a day; without a limit nothing is counted.
 *
 * Edits and deletions are counted and never refused. Imported links get half of the day at most, so that an import in the
 * morning leaves something for the edits of the afternoon; what is over is not written, and Postgres answers its visitors.
 */
import { kvWrites } from "@hopline/db/schema";
import { eq, sql } from "drizzle-orm";
import type { Database } from "../database.ts";

export interface KvBudget {
  /** Counts the writes of edits and deletions. Never rejects: they are made whatever this says. */
  count(writes: number): Promise<void>;
  /** How many of the `wanted` writes an import may make, and counts them. Rejects when the database can't be reached. */
  takeForImport(wanted: number): Promise<number>;
}

const SHARE_OF_IMPORTS = 0.5;

/** @param writesPerDay KV_WRITES_PER_DAY; 0: no limit. */
export function createKvBudget(writesPerDay: number, database: Database): KvBudget {
  if (writesPerDay === 0) {
    return { count: async () => undefined, takeForImport: async (wanted) => wanted };
  }
  const startDay = () => database.insert(kvWrites).values({ day: TODAY }).onConflictDoNothing();
  return {
    async count(writes) {
      await database
        .batch([
          startDay(),
          database
            .update(kvWrites)
            .set({ writes: sql`${kvWrites.writes} + ${writes}` })
            .where(eq(kvWrites.day, TODAY)),
        ])
        .catch(() => undefined);
    },
    async takeForImport(wanted) {
      const limit = Math.floor(writesPerDay * SHARE_OF_IMPORTS);
      const [, taken] = await database.batch([
        startDay(),
        database.execute(sql`
          WITH before AS (
            SELECT writes, greatest(0, least(${wanted}::bigint, ${limit}::bigint - writes)) AS granted
            FROM kv_writes WHERE day = ${TODAY} FOR UPDATE
          )
          UPDATE kv_writes SET writes = before.writes + granted, left_out = left_out + ${wanted}::bigint - granted
          FROM before WHERE day = ${TODAY}
          RETURNING granted`),
      ]);
      return Number(taken.rows[0]?.["granted"] ?? 0);
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

/** Removes sessions that have ended, one-time tokens that nobody used in time, and networks that nobody came from for long: hourly, so many at once. */
import type { Again, WorkHandler } from "@hopline/db/work/run-work";
import { sql } from "drizzle-orm";
import type { Database } from "../database.ts";

/** One item for all of them. */
export const REMOVE_EXPIRED = { kind: "remove-expired", key: "all" } as const;

const ROWS_A_STATEMENT = 5_000;
const EVERY_SECONDS = 3_600;

export function expiredHandler(database: Database, rowsAStatement = ROWS_A_STATEMENT): WorkHandler {
  return {
    async run(): Promise<Again> {
      const { rows } = await database.execute(sql`
        WITH sessions_removed AS (
          DELETE FROM sessions WHERE id IN (
            SELECT id FROM sessions WHERE expires_at < now() ORDER BY expires_at LIMIT ${rowsAStatement} FOR UPDATE SKIP LOCKED)
          RETURNING 1
        ),
        tokens_removed AS (
          DELETE FROM verifications WHERE id IN (
            SELECT id FROM verifications WHERE expires_at < now() ORDER BY expires_at LIMIT ${rowsAStatement}
            FOR UPDATE SKIP LOCKED)
          RETURNING 1
        ),
        networks_removed AS (
          DELETE FROM known_networks WHERE subject IN (
            SELECT subject FROM known_networks WHERE seen_at < now() - interval '90 days' ORDER BY seen_at
            LIMIT ${rowsAStatement} FOR UPDATE SKIP LOCKED)
          RETURNING 1
        )
        SELECT greatest((SELECT count(*) FROM sessions_removed), (SELECT count(*) FROM tokens_removed),
          (SELECT count(*) FROM networks_removed)) AS most`);
      const isWhole = Number(rows[0]?.["most"]) < rowsAStatement;
      return { againInSeconds: isWhole ? EVERY_SECONDS : 0 };
    },
    timeLimitMs: 20_000,
    atOnce: 1,
    maxDelaySeconds: 600,
  };
}

/**
 * Removes sessions that have ended, one-time tokens that were not used in time, networks without a sign-in for long, and what
 * requests with an Idempotency-Key left, of every workspace: hourly, so many at once.
 */
import type { Again, WorkHandler } from "@hopline/db/work/run-work";
import { sql } from "drizzle-orm";
import type { Database } from "../database.ts";

/** One item for all of them. */
export const REMOVE_EXPIRED = { kind: "remove-expired", key: "all" } as const;

/** Answers of up to 256 KB go with their keys. */
const ROWS_A_STATEMENT = 1_000;
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
        keys_removed AS (
          DELETE FROM idempotency_keys WHERE (owner_id, key) IN (
            SELECT owner_id, key FROM idempotency_keys WHERE created_at < now() - interval '1 day'
            ORDER BY created_at LIMIT ${rowsAStatement} FOR UPDATE SKIP LOCKED)
          RETURNING 1
        ),
        sums_removed AS (
          DELETE FROM stored_answers WHERE (owner_id, day) IN (
            SELECT owner_id, day FROM stored_answers WHERE day < current_date - 1
            ORDER BY day LIMIT ${rowsAStatement} FOR UPDATE SKIP LOCKED)
          RETURNING 1
        ),
        networks_removed AS (
          DELETE FROM known_networks WHERE subject IN (
            SELECT subject FROM known_networks WHERE seen_at < now() - interval '90 days' ORDER BY seen_at
            LIMIT ${rowsAStatement} FOR UPDATE SKIP LOCKED)
          RETURNING 1
        )
        SELECT greatest((SELECT count(*) FROM sessions_removed), (SELECT count(*) FROM tokens_removed),
          (SELECT count(*) FROM networks_removed), (SELECT count(*) FROM keys_removed),
          (SELECT count(*) FROM sums_removed)) AS most`);
      const isWhole = Number(rows[0]?.["most"]) < rowsAStatement;
      return { againInSeconds: isWhole ? EVERY_SECONDS : 0 };
    },
    timeLimitMs: 20_000,
    atOnce: 1,
    maxDelaySeconds: 600,
  };
}

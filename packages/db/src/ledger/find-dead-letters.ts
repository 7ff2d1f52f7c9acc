/** Reads dead letters for a person, and marks one as replayed. Bodies stay sealed here. */
import type { RunSql } from "../neon-client.ts";
import { sql } from "../sql.ts";

export type StoredLetter = {
  readonly id: string;
  readonly kind: string;
  readonly reason: string;
  readonly source: string;
  readonly sealedBody: string;
  readonly isolateId: string | null;
  readonly firstSequence: number | null;
  readonly clickCount: number | null;
  /** The ledger's row of a refused click: the segment it came in. */
  readonly ledger: { readonly firstSequence: number; readonly clickCount: number } | null;
  readonly createdAtMs: number;
  readonly replayedAtMs: number | null;
};

/** Named and typed as in `StoredLetter`. */
const COLUMNS = sql`id::text AS id, kind, reason, source, body AS "sealedBody", isolate_id AS "isolateId",
  first_sequence::float8 AS "firstSequence", click_count AS "clickCount",
  CASE WHEN segment_click_count IS NOT NULL THEN
    json_build_object('firstSequence', segment_first_sequence, 'clickCount', segment_click_count)
  END AS ledger,
  extract(epoch FROM created_at)::float8 * 1000 AS "createdAtMs",
  extract(epoch FROM replayed_at)::float8 * 1000 AS "replayedAtMs"`;

/** Oldest first. Rejects as `RunSql` does. */
export async function listDeadLetters(
  runSql: RunSql,
  choice: { readonly withReplayed: boolean; readonly limit: number },
  timeoutMs: number,
): Promise<readonly StoredLetter[]> {
  const statement = sql`
    SELECT ${COLUMNS} FROM dead_letters WHERE replayed_at IS NULL OR ${choice.withReplayed}::boolean
    ORDER BY created_at, id LIMIT ${choice.limit}::int`;
  return (await runSql(statement, timeoutMs)) as readonly StoredLetter[];
}

/** The letters whose id begins with this text. Rejects as `RunSql` does. */
export async function findDeadLetters(
  runSql: RunSql,
  idPrefix: string,
  timeoutMs: number,
): Promise<readonly StoredLetter[]> {
  const statement = sql`
    SELECT ${COLUMNS} FROM dead_letters WHERE starts_with(id::text, ${idPrefix}) ORDER BY id LIMIT 10`;
  return (await runSql(statement, timeoutMs)) as readonly StoredLetter[];
}

/** Rejects as `RunSql` does. */
export async function markReplayed(runSql: RunSql, id: string, timeoutMs: number): Promise<void> {
  await runSql(sql`UPDATE dead_letters SET replayed_at = now() WHERE id = ${id}::uuid`, timeoutMs);
}

/** Reads dead letters for a person, and marks one as replayed. Bodies stay sealed here. */
import type { RunSql, SqlRow } from "../neon-client.ts";

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

const COLUMNS = `id, kind, reason, source, body, isolate_id, first_sequence::float8 AS first_sequence, click_count,
  segment_first_sequence::float8 AS segment_first_sequence, segment_click_count,
  extract(epoch FROM created_at)::float8 * 1000 AS created_at_ms,
  extract(epoch FROM replayed_at)::float8 * 1000 AS replayed_at_ms`;

/** Oldest first. Rejects as `RunSql` does. */
export async function listDeadLetters(
  runSql: RunSql,
  choice: { readonly withReplayed: boolean; readonly limit: number },
  timeoutMs: number,
): Promise<readonly StoredLetter[]> {
  const statement = `
    SELECT ${COLUMNS} FROM dead_letters WHERE replayed_at IS NULL OR $1::boolean
    ORDER BY created_at, id LIMIT $2::int`;
  const rows = await runSql(statement, [choice.withReplayed, choice.limit], timeoutMs);
  return rows.map(toLetter);
}

/** The letters whose id begins with this text. Rejects as `RunSql` does. */
export async function findDeadLetters(
  runSql: RunSql,
  idPrefix: string,
  timeoutMs: number,
): Promise<readonly StoredLetter[]> {
  const statement = `SELECT ${COLUMNS} FROM dead_letters WHERE starts_with(id::text, $1) ORDER BY id LIMIT 10`;
  return (await runSql(statement, [idPrefix], timeoutMs)).map(toLetter);
}

/** Rejects as `RunSql` does. */
export async function markReplayed(runSql: RunSql, id: string, timeoutMs: number): Promise<void> {
  await runSql("UPDATE dead_letters SET replayed_at = now() WHERE id = $1::uuid", [id], timeoutMs);
}

function toLetter(row: SqlRow): StoredLetter {
  const ledgerFirst = toNumber(row["segment_first_sequence"]);
  const ledgerCount = toNumber(row["segment_click_count"]);
  return {
    id: String(row["id"]),
    kind: String(row["kind"]),
    reason: String(row["reason"]),
    source: String(row["source"]),
    sealedBody: String(row["body"]),
    isolateId: typeof row["isolate_id"] === "string" ? row["isolate_id"] : null,
    firstSequence: toNumber(row["first_sequence"]),
    clickCount: toNumber(row["click_count"]),
    ledger:
      ledgerFirst === null || ledgerCount === null
        ? null
        : { firstSequence: ledgerFirst, clickCount: ledgerCount },
    createdAtMs: toNumber(row["created_at_ms"]) ?? 0,
    replayedAtMs: toNumber(row["replayed_at_ms"]),
  };
}

function toNumber(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

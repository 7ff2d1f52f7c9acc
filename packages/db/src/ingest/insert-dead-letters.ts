/**
 * Stores what could not be written where a person can find it, and records it in the ledger, in one statement. The caller seals
 * the body: no address and no user agent may get here.
 */
import type { RunSql } from "../neon-client.ts";
import { sql } from "../sql.ts";
import { toArrays, unnest } from "./columns.ts";
import { ledgerUpsert, SEGMENT_COLUMNS, type SegmentEntry } from "./segment-entry.ts";

/** What the kinds mean: migrations/0003. */
export type DeadLetterKind = "click_refused" | "message_undecodable";

export type DeadLetter = {
  /** UUID made from the unsealed body: the same letter twice is one row. */
  readonly id: string;
  readonly kind: DeadLetterKind;
  /** SQLSTATE or the name of a field; never a value. */
  readonly reason: string;
  readonly source: string;
  readonly sealedBody: string;
  /** The clicks inside, consecutive numbers of one isolate. `null` if they could not be read. */
  readonly clicks: null | {
    readonly firstSequence: number;
    readonly count: number;
    readonly segment: SegmentEntry;
  };
};

/** Resolves to whether the letter is new. Rejects as `RunSql` does; then nothing was written, or the answer was lost. */
export async function insertDeadLetter(
  runSql: RunSql,
  letter: DeadLetter,
  timeoutMs: number,
): Promise<boolean> {
  const { clicks } = letter;
  const segment = clicks?.segment;
  const segments = toArrays(SEGMENT_COLUMNS, segment === undefined ? [] : [segment]);
  // A letter that is already there was counted when it was written: this delivery is a duplicate.
  const settled = ledgerUpsert(sql`
    FROM (
      SELECT segment.*, 0 AS inserted,
        (SELECT COALESCE(sum(click_count), 0)::integer FROM letter) AS rejected
      FROM ${unnest("segment", SEGMENT_COLUMNS, segments)}
    ) segment
    WHERE true`);
  const [row] = await runSql(
    sql`
      WITH letter AS (
        INSERT INTO dead_letters (id, kind, reason, source, body, isolate_id, first_sequence, click_count,
          segment_first_sequence, segment_click_count)
        VALUES (${letter.id}::uuid, ${letter.kind}::text, ${letter.reason}::text, ${letter.source}::text,
          ${letter.sealedBody}::text, ${segment?.isolateId ?? null}::text, ${clicks?.firstSequence ?? null}::bigint,
          ${clicks?.count ?? null}::integer, ${segment?.firstSequence ?? null}::bigint,
          ${segment?.clickCount ?? null}::integer)
        ON CONFLICT DO NOTHING
        RETURNING kind, click_count
      ), settled AS (${settled})
      SELECT (SELECT count(*) FROM letter)::int AS written`,
    timeoutMs,
  );
  return row?.["written"] === 1;
}

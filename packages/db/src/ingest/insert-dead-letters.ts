/**
 * Stores what could not be written where a person can find it, and tells the ledger, in one statement. The caller seals
 * the body: no address and no user agent may get here.
 */
import type { RunSql } from "../neon-client.ts";
import { toArrays, unnest } from "./columns.ts";
import { ledgerUpsert, SEGMENT_COLUMNS, type SegmentEntry } from "./segment-entry.ts";

/** What the kinds mean: migrations/0003. */
export type DeadLetterKind = "click_refused" | "segment_exhausted" | "message_undecodable";

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

const LETTER = `
    INSERT INTO dead_letters (id, kind, reason, source, body, isolate_id, first_sequence, click_count,
      segment_first_sequence, segment_click_count)
    VALUES ($1::uuid, $2::text, $3::text, $4::text, $5::text, ($8::text[])[1], $6::bigint, $7::integer,
      ($9::bigint[])[1], ($10::integer[])[1])
    ON CONFLICT DO NOTHING
    RETURNING kind, click_count`;

// A letter that is already there was counted when it was written: this delivery is a duplicate.
const LEDGER = ledgerUpsert(`
    FROM (
      SELECT segment.*, 0 AS inserted,
        (SELECT COALESCE(sum(click_count), 0)::integer FROM letter WHERE kind = 'click_refused') AS rejected,
        (SELECT COALESCE(sum(click_count), 0)::integer FROM letter WHERE kind = 'segment_exhausted') AS dead_lettered
      FROM ${unnest("segment", SEGMENT_COLUMNS, 8)}
    ) segment
    WHERE true`);

const STATEMENT = `
  WITH letter AS (${LETTER}
  ), settled AS (${LEDGER}
  )
  SELECT (SELECT count(*) FROM letter)::int AS written`;

/** Resolves to whether the letter is new. Rejects as `RunSql` does; then nothing was written, or the answer was lost. */
export async function insertDeadLetter(
  runSql: RunSql,
  letter: DeadLetter,
  timeoutMs: number,
): Promise<boolean> {
  const { clicks } = letter;
  const parameters = [
    letter.id,
    letter.kind,
    letter.reason,
    letter.source,
    letter.sealedBody,
    clicks?.firstSequence ?? null,
    clicks?.count ?? null,
    ...toArrays(SEGMENT_COLUMNS, clicks === null ? [] : [clicks.segment]),
  ];
  const result = await runSql(STATEMENT, parameters, timeoutMs);
  return result[0]?.["written"] === 1;
}
